import { describe, it } from 'vitest';
import { outboxLosesNothing } from '../chaos/c4-outbox.js';
import { CHAOS_SEED, expectToHold } from './support/goals.js';

describe(`the outbox, seed ${CHAOS_SEED}`, () => {
  it('C4: nothing is lost after late commits, a killed publisher and a crash of Postgres', () =>
    expectToHold(outboxLosesNothing, { scale: 0.01 }));
});
