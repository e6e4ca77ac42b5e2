// @module-tag redis-server
import { describe, it } from 'vitest';
import { expectToHold } from '../expect-to-hold.ts';
import { allOrNothing } from './all-or-nothing.ts';
import { keepsItsLedger } from './cluster-ledger.ts';
import { exactWhenHealthy } from './exact-when-healthy.ts';

describe('counting goals, short form', () => {
  it('R1: admits exactly the limit on a healthy server', () => expectToHold(exactWhenHealthy));

  it('R1: admits exactly the limit on a healthy cluster', () =>
    expectToHold(exactWhenHealthy, { cluster: true }));

  it('R4: a cluster charges what it answered while slots move and a master changes', () =>
    expectToHold(keepsItsLedger));

  it('R7: charges several limits together or not at all, while nodes die', () =>
    expectToHold(allOrNothing, { seconds: 2, scale: 1 }));
});
