// @module-tag redis-server
import { describe, it } from 'vitest';
import { exactWhenHealthy } from '../chaos/r1-exact.js';
import { keepsItsLedger } from '../chaos/r4-cluster-ledger.js';
import { retryChargesOnce } from '../chaos/r6-retry-once.js';
import { allOrNothing } from '../chaos/r7-all-or-nothing.js';
import { clocksLie } from '../chaos/r9-clocks-lie.js';
import { endlessIds } from '../chaos/r11-endless-ids.js';
import { permitsHeal } from '../chaos/r14-permits-heal.js';
import { CHAOS_SEED, expectToHold } from './chaos.js';

describe(`counting goals, short form, seed ${CHAOS_SEED}`, () => {
  it('R1: admits exactly the limit on a healthy server', () => expectToHold(exactWhenHealthy));

  it('R1: admits exactly the limit on a healthy cluster', () =>
    expectToHold(exactWhenHealthy, { cluster: true }));

  it('R4: a cluster charges what it answered while slots move and a master changes', () =>
    expectToHold(keepsItsLedger));

  it('R6: charges once for up to five sends, with every tenth reply lost', () =>
    expectToHold(retryChargesOnce, { scale: 0.02 }));

  it('R7: charges several limits together or not at all, while nodes die', () =>
    expectToHold(allOrNothing, { seconds: 2, scale: 1 }));

  it("R9: admits at most one more when the store's clock steps back", () => expectToHold(clocksLie));

  it('R11: random identifiers evict no monthly counter', () => expectToHold(endlessIds, { scale: 0.125 }));

  it('R14: permits of dead holders are freed, and the limit on held permits is never exceeded', () =>
    expectToHold(permitsHeal));
});
