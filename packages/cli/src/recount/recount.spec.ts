import { type LimitPolicy, nominalWindowMs, type PolicyOf } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcraLimit, limitOf, windowLimit } from '../../test/limits.js';
import { arrivalsWithin, play } from '../../test/play.js';
import { type Charge, ChargeLog } from './charge-log.js';
import { LimitHistory, recount, ruleFor } from './recount.js';
import { NOTHING_FOUND } from './windows.js';

type Kind = Parameters<typeof play>[0];

const limit = fc.integer({ min: 1, max: 30 });
const windowMs = fc.constantFrom(300, 600, 900, 1200);
// A band of less than one request is invalid.
const throttle = fc.constantFrom<LimitPolicy['throttle'][]>(undefined, { mode: 'soft', percent: 100 });
const shared = { limit, windowMs, throttle };

const POLICIES: [Kind, fc.Arbitrary<LimitPolicy>][] = [
  [
    'fixed_window',
    fc
      .record({
        ...shared,
        alignment: fc.constantFrom<PolicyOf<'fixed_window'>['alignment'][]>('clock', 'first_request'),
      })
      .map((over) => limitOf('fixed_window', over)),
  ],
  ['sliding_window_log', fc.record(shared).map((over) => limitOf('sliding_window_log', over))],
  [
    'sliding_window_counter',
    fc
      .record({ ...shared, buckets: fc.constantFrom(2, 3, 60) })
      .map((over) => limitOf('sliding_window_counter', over)),
  ],
  [
    'sliding_window_estimate',
    fc.record(shared).map((over) => limitOf('sliding_window_counter', { ...over, buckets: 1 })),
  ],
  [
    'token_bucket',
    fc
      .record({ ...shared, capacity: fc.integer({ min: 1, max: 40 }) })
      .map((over) => limitOf('token_bucket', over)),
  ],
  [
    'token_bucket_interval',
    fc
      .record({ ...shared, more: fc.nat(20) })
      .map(({ more, ...over }) =>
        limitOf('token_bucket', { ...over, capacity: over.limit + more, refill: 'interval' }),
      ),
  ],
  ['leaky_bucket', fc.record({ ...shared, queue: fc.nat(10) }).map((over) => limitOf('leaky_bucket', over))],
  ['gcra', fc.record({ ...shared, burst: fc.nat(10) }).map((over) => limitOf('gcra', over))],
  [
    'quota',
    fc
      .record({
        limit,
        throttle,
        period: fc.constantFrom<PolicyOf<'quota'>['period'][]>('day', 'week', 'month', 'billing'),
      })
      .map((over) => limitOf('quota', over)),
  ],
];

/** Upper bound of what any of the policies above allows within the replay. */
const BEYOND_ANY_LIMIT = 3000;

describe.each(POLICIES)('recount of %s', (kind, policies) => {
  const judge = (charges: ReturnType<typeof play>) => {
    const [first] = charges;
    const rule = first === undefined ? '' : ruleFor(first.policy);
    return typeof rule === 'string' ? NOTHING_FOUND : rule.judge(charges, 5);
  };

  it('finds no violation in admissions of the model, even with slow requests', () => {
    fc.assert(
      fc.property(policies, arrivalsWithin(3000), (policy, requests) => {
        expect(judge(play(kind, policy, requests))).toEqual(NOTHING_FOUND);
      }),
      { numRuns: 300 },
    );
  });

  it('finds over-admission after a counter was lost', () => {
    fc.assert(
      fc.property(policies, arrivalsWithin(3000), fc.nat(), (policy, requests, pick) => {
        const charges = play(kind, policy, requests);
        const copied = charges[pick % Math.max(1, charges.length)];
        if (copied === undefined) return;
        const verdict = judge([...charges, { ...copied, cost: BEYOND_ANY_LIMIT }]);
        expect(verdict.overAdmitted).toBeGreaterThan(0);
        expect(verdict.finding).toContain('admitted');
      }),
    );
  });
});

const TEN = windowLimit({ limit: 10 });
const FIVE = windowLimit({ limit: 5 });

function history(revisions: Record<number, LimitPolicy[]>): LimitHistory {
  const limits = new LimitHistory();
  for (const [revision, policies] of Object.entries(revisions)) {
    limits.add({
      tenant: 'northwind',
      api: 'website',
      revision: Number(revision),
      limits: policies.map((policy) => ({ policy, summary: '' })),
    });
  }
  return limits;
}

function charge(revision: number, limitMax: number, limit = 'client-minute'): Charge {
  const windowMs = 60_000;
  return {
    limit,
    client: 'a',
    revision,
    limitMax,
    windowMs,
    cost: 1,
    sentMs: 0,
    receivedMs: 1,
    resetMs: windowMs,
  };
}

describe('limit history', () => {
  it('finds the limit of the revision', () => {
    const limits = history({ 1: [TEN], 3: [FIVE] });
    expect(limits.find(charge(1, 10))).toBe(TEN);
    expect(limits.find(charge(3, 5))).toBe(FIVE);
    expect(limits.find(charge(3, 5, 'another'))).toBeUndefined();
  });

  it('finds the limit of a revision that could not be read from the one before or after that agrees', () => {
    const limits = history({ 1: [TEN], 5: [FIVE] });
    expect(limits.find(charge(2, 10))).toBe(TEN);
    expect(limits.find(charge(4, 5))).toBe(FIVE);
    expect(limits.find(charge(6, 5))).toBe(FIVE);
    expect(limits.find(charge(3, 7))).toBeUndefined();
  });

  it('believes the answer where a node acted on a new tier a moment before its revision', () => {
    const limits = history({ 1: [TEN], 2: [FIVE] });
    expect(limits.find(charge(1, 5))).toBe(FIVE);
    expect(limits.find(charge(2, 10))).toBe(TEN);
  });

  it('does not compare windows for limits without one', () => {
    const quota = limitOf('quota', { limit: 10 });
    expect(history({ 1: [quota] }).find(charge(1, 10, quota.name))).toBe(quota);
  });

  it('returns undefined if the neighbors differ in a field that the answer does not contain', () => {
    const limits = history({ 1: [gcraLimit({ burst: 5 })], 3: [gcraLimit({ burst: 9 })] });
    expect(limits.find(charge(2, 60, 'client-rate'))).toBeUndefined();
  });
});

const T0 = Date.UTC(2026, 0, 1, 10, 0, 0);

/** Recounts admissions by one limit, one millisecond apart. */
function recounted(policies: Record<number, LimitPolicy>, charges: readonly Partial<Charge>[]) {
  const limits = new LimitHistory();
  for (const [revision, policy] of Object.entries(policies)) {
    const common = { tenant: 'northwind', api: 'website', limits: [{ policy, summary: '' }] };
    limits.add({ ...common, revision: Number(revision) });
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
  it('counts clients separately for limits per client', () => {
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

  it('starts a new group when the counting method changes', () => {
    const other = gcraLimit({ name: TWO.name, limit: 60, burst: 1 });
    const charges = [
      { revision: 1 },
      { revision: 1 },
      { revision: 2, resetMs: T0 + 1002 },
      { revision: 2, resetMs: T0 + 2002 },
    ];
    expect(recounted({ 1: TWO, 2: other }, charges)).toMatchObject({ charges: 4, overAdmitted: 0 });
  });

  it('reports the number of admissions that it could not recount', () => {
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
  ])('reports why admissions under %s cannot be recounted', (reason, policy) => {
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
