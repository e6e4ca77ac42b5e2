// @module-tag redis-server
import { describe, it } from 'vitest';
import { neverHangs } from '../chaos/r2-never-hangs.js';
import { boundedDuringOutage } from '../chaos/r3-bounded-outage.js';
import { recoversOnce } from '../chaos/r5-recovers.js';
import { queuesReturnCorrectWaits } from '../chaos/r15-queues.js';
import { CHAOS_SEED, expectToHold } from './chaos.js';

// Each test starts servers and nodes, and waits for faults to take effect.
describe(`outage goals, short form, seed ${CHAOS_SEED}`, () => {
  it('R2: under ten faults every request is answered, nothing throws, and degraded decisions are marked', () =>
    expectToHold(neverHangs));

  it('R3: during an outage a limit is exceeded by no more than its documented bound, while one node joins and one leaves', () =>
    expectToHold(boundedDuringOutage, { seconds: 2 }));

  it('R5: after the store returns, degraded charges end and counting is exact again', () =>
    expectToHold(recoversOnce));

  it('R15: returned waits are correct, also while the store fails', () =>
    expectToHold(queuesReturnCorrectWaits, { scale: 1 }));
});
