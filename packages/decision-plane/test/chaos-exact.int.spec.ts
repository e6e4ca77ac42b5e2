import { hasRedisServer } from '@tollgate/test-kit';
import { describe, it } from 'vitest';
import { exactWhenHealthy } from '../chaos/r1-exact.js';
import { retryChargesOnce } from '../chaos/r6-retry-once.js';
import { allOrNothing } from '../chaos/r7-all-or-nothing.js';
import { clocksLie } from '../chaos/r9-clocks-lie.js';
import { endlessIds } from '../chaos/r11-endless-ids.js';
import { slotsHeal } from '../chaos/r14-slots-heal.js';
import { CHAOS_SEED, expectToHold } from './chaos.js';

describe.runIf(hasRedisServer)(`counting goals in short, seed ${CHAOS_SEED}`, { timeout: 90_000 }, () => {
  it('R1: nothing above and nothing below the limit passes on a healthy server', () =>
    expectToHold(exactWhenHealthy));

  it('R1: nor on a healthy cluster', () => expectToHold(exactWhenHealthy, { cluster: true }));

  it('R6: what is sent up to five times, with every tenth reply lost, is charged once', () =>
    expectToHold(retryChargesOnce, { scale: 0.02 }));

  it('R7: several limits are charged together or not at all, while nodes die', () =>
    expectToHold(allOrNothing, { seconds: 2, scale: 1 }));

  it('R9: a store whose clock steps back admits at most one more', () => expectToHold(clocksLie));

  it('R11: random identifiers push out no monthly counter', () => expectToHold(endlessIds, { scale: 0.125 }));

  it('R14: slots of holders that died come back, and never more are held than there are', () =>
    expectToHold(slotsHeal));
});
