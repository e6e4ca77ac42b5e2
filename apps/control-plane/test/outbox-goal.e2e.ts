// @module-tag redis-server
import { describe, it } from 'vitest';
import { outboxLosesNothing } from '../chaos/c4-outbox.js';
import { expectToHold } from './support/goals.js';

describe('the outbox', () => {
  it('C4: nothing is lost after late commits, a killed publisher and a crash of Postgres', () =>
    expectToHold(outboxLosesNothing, { scale: 0.01 }));
});
