import { type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { gcraLimit, limitOf, windowLimit } from '../../test/limits.js';
import { type Charge, ChargeLog } from './charge-log.js';
import { LimitHistory } from './limit-history.js';
import { recount } from './recount.js';

const T0 = Date.UTC(2026, 0, 1, 10, 0, 0);

/** Admissions by one limit, a millisecond apart, recounted. */
function recounted(policies: Record<number, LimitPolicy>, charges: readonly Partial<Charge>[]) {
  const limits = new LimitHistory();
  for (const [revision, policy] of Object.entries(policies)) {
    const told = { tenant: 'northwind', api: 'website', limits: [{ policy, summary: '' }] };
    limits.add({ ...told, revision: Number(revision) });
  }
  const log = new ChargeLog();
  charges.forEach((charge, i) => {
    const policy = policies[charge.revision ?? 1];
    log.add({
      limit: policy?.name ?? 'unknown',
      client: '203.0.113.9',
      revision: 1,
      limitMax: policy?.limit ?? 1,
      windowMs: policy === undefined ? 1 : nominalWindowMs(policy),
      cost: 1,
      sentMs: T0 + i,
      receivedMs: T0 + i + 1,
      resetMs: T0 + 60_000,
      ...charge,
    });
  });
  return recount(log, limits, 5);
}

const TWO = windowLimit({ limit: 2 });

describe('recount', () => {
  it('counts clients apart where the limit does', () => {
    const clients = ['a', 'a', 'b', 'b'].map((client) => ({ client }));
    expect(recounted({ 1: TWO }, clients)).toEqual({
      charges: 4,
      counters: 2,
      overAdmitted: 0,
      contradictions: 0,
      leftOut: [],
      findings: [],
    });
    const more = recounted({ 1: TWO }, [...clients, { client: 'b' }]);
    expect(more).toMatchObject({ overAdmitted: 1, counters: 2 });
    expect(more.findings[0]).toContain('client-minute for b: 3 admitted');
  });

  it('counts all clients together where the limit counts the tenant', () => {
    const clients = ['a', 'b', 'c'].map((client) => ({ client }));
    const result = recounted({ 1: { ...TWO, per: [] } }, clients);
    expect(result).toMatchObject({ charges: 3, counters: 1, overAdmitted: 1 });
    expect(result.findings[0]).toContain('client-minute for the tenant: 3 admitted');
  });

  it('keeps a count across revisions that do not change how it is counted', () => {
    const revisions = [1, 2, 3].map((revision) => ({ revision }));
    expect(recounted({ 1: TWO, 2: TWO, 3: TWO }, revisions).overAdmitted).toBe(1);
  });

  it('begins anew where the way of counting changes', () => {
    const other = gcraLimit({ name: TWO.name, limit: 60, burst: 1 });
    const charges = [
      { revision: 1 },
      { revision: 1 },
      { revision: 2, resetMs: T0 + 1002 },
      { revision: 2, resetMs: T0 + 2002 },
    ];
    expect(recounted({ 1: TWO, 2: other }, charges)).toMatchObject({ charges: 4, overAdmitted: 0 });
  });

  it('says how many admissions it could not judge', () => {
    const unknown = { limit: 'another' };
    expect(recounted({ 1: TWO }, [{}, unknown, unknown])).toMatchObject({
      charges: 1,
      leftOut: [{ reason: 'their limit was replaced before it could be read', charges: 2 }],
    });
  });

  it.each<[string, LimitPolicy]>([
    ['(concurrency)', limitOf('concurrency')],
    ['(elastic)', windowLimit({ throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' } })],
    ['(queue)', gcraLimit({ throttle: { mode: 'queue', maxDelayMs: 250 } })],
    ['(leased)', windowLimit({ consistency: { mode: 'leased', leaseMs: 1000 } })],
  ])('leaves out, and says why, what the log of admissions cannot tell: %s', (reason, policy) => {
    const result = recounted({ 1: policy }, [{}, {}]);
    expect(result).toMatchObject({ charges: 0, counters: 0, overAdmitted: 0 });
    expect(result.leftOut).toEqual([{ reason: expect.stringContaining(reason), charges: 2 }]);
  });

  it('shows the first few findings and counts them all', () => {
    const clients = Array.from({ length: 24 }, (_, i) => ({ client: `client-${i % 8}` }));
    const result = recounted({ 1: TWO }, clients);
    expect(result.overAdmitted).toBe(8);
    expect(result.findings).toHaveLength(5);
  });
});
