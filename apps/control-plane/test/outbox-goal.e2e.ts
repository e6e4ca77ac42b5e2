import { describe, it } from 'vitest';
import { outboxLosesNothing } from '../chaos/c4-outbox.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`the outbox, seed ${CHAOS_SEED}`, { timeout: 180_000 }, () => {
  it('C4: late commits, a publisher that is killed and a Postgres that crashes: nothing is lost', () =>
    expectToHold(outboxLosesNothing, { scale: 0.01 }));
});
