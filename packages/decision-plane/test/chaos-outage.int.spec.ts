import { hasRedisServer } from '@tollgate/test-kit';
import { describe, it } from 'vitest';
import { neverHangs } from '../chaos/r2-never-hangs.js';
import { boundedInOutage } from '../chaos/r3-bounded-outage.js';
import { recoversOnce } from '../chaos/r5-recovers.js';
import { queuesKeepTheirWord } from '../chaos/r15-queues.js';
import { CHAOS_SEED, expectToHold } from './chaos.js';

// Each starts servers and nodes of its own and waits for faults to take effect.
describe.runIf(hasRedisServer)(`outage goals in short, seed ${CHAOS_SEED}`, { timeout: 90_000 }, () => {
  it('R2: under ten faults everything is answered, nothing is thrown, and what is admitted without the store says so', () =>
    expectToHold(neverHangs));

  it('R3: in an outage a limit is passed by no more than its stated bound, while a node joins and one leaves', () =>
    expectToHold(boundedInOutage, { seconds: 2 }));

  it('R5: the store comes back, nothing is charged after its answer, and all is exact again', () =>
    expectToHold(recoversOnce));

  it('R15: whoever is told to wait is told the right time, also while the store dies', () =>
    expectToHold(queuesKeepTheirWord, { scale: 1 }));
});
