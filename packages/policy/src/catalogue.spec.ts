import type { ApiRecord, LimitPolicy, Rule, TenantRecord, TierRecord } from '@tollgate/contracts';
import { MemoryStore } from '@tollgate/limiter/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { CompiledCatalogue, type TierPolicy } from './catalogue.js';
import type { LimitMode } from './limit-mode.js';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 5, 12);
const window = (limit: number, windowMs = HOUR_MS): Rule => ({
  algorithm: 'fixed_window',
  limit,
  windowMs,
  alignment: 'clock',
});

const apiOf = (operations: number): ApiRecord => ({
  key: 'url-shortener',
  unknownOperations: 'allow',
  operations: Array.from({ length: operations }, (_, i) => ({ name: `op${i}`, cost: 1 })),
});

function catalogueOf(versions: LimitPolicy[][], operations = 1, over: Partial<TierRecord> = {}) {
  const tier = { key: 'free', currentVersion: versions.length, ...over };
  const records = versions.map((limits, i) => ({ number: i + 1, limits }));
  return CompiledCatalogue.compile(
    JSON.stringify({
      kind: 'catalogue',
      revision: 1,
      apis: [apiOf(operations)],
      tiers: [{ ...tier, versions: records }],
      serviceTokens: [],
    }),
  );
}

/** On the tier's current version; left its first one `agoMs` ago, its counters kept. */
function moved(tenant: string, agoMs: number, over: Partial<TenantRecord> = {}): TenantRecord {
  const move = { tier: 'free', version: 1, generation: 0, carryOver: 'keep' as const };
  const record = { kind: 'tenant' as const, revision: 1, tenant, status: 'active' as const };
  const moves = [{ ...move, atMs: NOW_MS - agoMs }];
  return { ...record, tier: 'free', pinnedVersion: 2, generation: 4, moves, ...over };
}

function carriesOf(policy: TierPolicy | undefined, mode: LimitMode = 'enforce') {
  const limit = policy
    ?.operation('url-shortener', 'op0')
    ?.limits.find(({ candidate }) => candidate === (mode === 'candidate'));
  return limit?.policy(NOW_MS, mode).carries.map(({ id, policy: { capacity } }) => ({ id, capacity }));
}

describe('carry-over after moves of a tenant', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const at = (nowMs: number) => vi.useFakeTimers({ toFake: ['Date'], now: nowMs });

  it('carries over a candidate from the earlier candidate, a live limit from the earlier live limit', () => {
    at(NOW_MS);
    const limits = [
      [policyBy(window(10), { candidate: window(100) })],
      [policyBy(window(20), { candidate: window(200) })],
    ];
    const policy = catalogueOf(limits).policyOf(moved('acme', 60_000));
    expect(carriesOf(policy)).toEqual([{ id: 1, capacity: 10 }]);
    expect(carriesOf(policy, 'candidate')).toEqual([{ id: 1, capacity: 100 }]);
  });

  it('carries nothing over to a new candidate', () => {
    at(NOW_MS);
    const limits = [[policyBy(window(10))], [policyBy(window(20), { candidate: window(200) })]];
    expect(carriesOf(catalogueOf(limits).policyOf(moved('acme', 60_000)), 'candidate')).toEqual([]);
  });

  it('carries a quota over from the period of the move, also after its end', () => {
    const changeMs = Date.UTC(2026, 9, 20);
    const quotas = (['month', 'billing'] as const).map((period) => [
      policyBy({ algorithm: 'quota', limit: 1000, period }),
    ]);
    const tenant = moved('acme', NOW_MS - changeMs, { billingAnchorDay: 15 });
    const store = new MemoryStore({ clockUs: () => Date.now() * 1000 });
    const ask = (record: TenantRecord, cost: number) => {
      const limit = catalogueOf(quotas).policyOf(record)?.operation('url-shortener', 'op0')?.limits[0];
      if (limit === undefined) throw new Error('there is no such limit');
      const policy = limit.policy(Date.now(), 'enforce');
      return store.chargeNow({ checks: [{ key: '{acme}:q', policy, cost }], peek: cost === 0 }).checks[0];
    };
    at(changeMs - HOUR_MS);
    ask({ ...tenant, pinnedVersion: 1, generation: 0, moves: [] }, 900);
    // The billing period of the change lasts from 15 October to 15 November.
    at(NOW_MS);
    expect(ask(tenant, 0)).toMatchObject({ remaining: 100 });
  });

  it('forgets moves whose counters are expired and shares the policy again', () => {
    at(NOW_MS);
    const hours = policyBy(window(10));
    const catalogue = catalogueOf([[hours], [policyBy(window(20))]]);
    expect(carriesOf(catalogue.policyOf(moved('acme', HOUR_MS)))).toHaveLength(1);
    const long = [moved('globex', 100 * HOUR_MS), moved('initech', 200 * HOUR_MS)];
    const [first, second] = long.map((tenant) => catalogue.policyOf(tenant));
    expect(carriesOf(first)).toEqual([]);
    expect(first).toBe(second);
  });

  it('shares a limit with a short window while another one still carries over', () => {
    at(NOW_MS);
    const version = (n: number) => [
      policyBy(window(n)),
      policyBy({ algorithm: 'quota', limit: n, period: 'month' }, { name: 'monthly' }),
    ];
    const catalogue = catalogueOf([version(10), version(20)]);
    const [one, other] = [100, 101].map((hours) =>
      catalogue.policyOf(moved(`t${hours}`, hours * HOUR_MS))?.operation('url-shortener', 'op0'),
    );
    expect(one?.limits[0]).toBe(other?.limits[0]);
    expect(one?.limits[1]).not.toBe(other?.limits[1]);
    expect(one?.limits[1]?.policy(NOW_MS, 'enforce').carries).toHaveLength(1);
  });

  it('keeps the policies of the latest of 6,000 recently moved tenants only', () => {
    at(NOW_MS);
    const version = (n: number) =>
      Array.from({ length: 10 }, (_, i) => policyBy(window(n + i), { name: `limit-${i}` }));
    const catalogue = catalogueOf([version(10), version(20)]);
    const tenants = Array.from({ length: 6000 }, (_, i) => moved(`t${i}`, i));
    const policyOf = (tenant: TenantRecord | undefined) => catalogue.policyOf(tenant as TenantRecord);
    const limitsOf = (policy: TierPolicy | undefined) =>
      policy?.operation('url-shortener', 'op0')?.limits ?? [];
    const [first, last] = [policyOf(tenants[0]), policyOf(tenants.at(-1))];
    const limits = limitsOf(first);
    for (const tenant of tenants) limitsOf(policyOf(tenant));
    expect(policyOf(tenants[0])).not.toBe(first);
    for (const [i, limit] of limitsOf(policyOf(tenants[0])).entries()) expect(limit).not.toBe(limits[i]);
    const latest = policyOf(tenants.at(-1));
    expect(latest).not.toBe(last);
    expect(policyOf({ ...(tenants.at(-1) as TenantRecord) })).toBe(latest);
  });
});

it('rejects a catalogue with too many limits for one request when it is compiled', () => {
  const limits = Array.from({ length: 17 }, (_, i) => policyBy(window(10), { name: `limit-${i}` }));
  expect(() => catalogueOf([limits])).toThrow(/op0: 17 limits; at most 16/);
});
