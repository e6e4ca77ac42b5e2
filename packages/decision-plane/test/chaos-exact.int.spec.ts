// @module-tag redis-server
import { describe, it } from 'vitest';
import { exactWhenHealthy } from '../chaos/r1-exact.js';
import { keepsItsLedger } from '../chaos/r4-cluster-ledger.js';
import { allOrNothing } from '../chaos/r7-all-or-nothing.js';
import { expectToHold } from './chaos.js';

describe('counting goals, short form', () => {
  it('R1: admits exactly the limit on a healthy server', () => expectToHold(exactWhenHealthy));

  it('R1: admits exactly the limit on a healthy cluster', () =>
    expectToHold(exactWhenHealthy, { cluster: true }));

  it('R4: a cluster charges what it answered while slots move and a master changes', () =>
    expectToHold(keepsItsLedger));

  it('R7: charges several limits together or not at all, while nodes die', () =>
    expectToHold(allOrNothing, { seconds: 2, scale: 1 }));
});
