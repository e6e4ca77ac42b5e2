import { ALGORITHM_NAMES, type LimitPolicy, policyOfConfig } from '@tollgate/contracts';
import { checkLimitPolicy } from '@tollgate/policy';
import { describe, expect, it } from 'vitest';
import { readDemoData } from './demo-data.js';
import { DemoTraffic } from './demo-traffic.js';

const demo = readDemoData();
const { apis = {}, tiers = {}, tenants = {} } = demo.document;
const limitsByTier = Object.entries(tiers).map(
  ([key, { limits = [] }]) => [key, limits.map((limit) => checked(policyOfConfig(limit)))] as const,
);
const policies = limitsByTier.flatMap(([, limits]) => limits);

describe('the demo', () => {
  it.each(ALGORITHM_NAMES)('has a limit of algorithm %s', (algorithm) => {
    expect(policies.filter((policy) => policy.algorithm === algorithm)).not.toEqual([]);
  });

  it.each<[string, (policy: LimitPolicy) => boolean]>([
    ['a fixed window by the clock', (p) => p.algorithm === 'fixed_window' && p.alignment === 'clock'],
    [
      'a fixed window started by the first request',
      (p) => p.algorithm === 'fixed_window' && p.alignment !== 'clock',
    ],
    ['a sliding window with 60 buckets', (p) => p.algorithm === 'sliding_window_counter' && p.buckets === 60],
    ['an estimated sliding window', (p) => p.algorithm === 'sliding_window_counter' && p.buckets === 1],
    ['a continuous refill', (p) => p.algorithm === 'token_bucket' && p.refill === 'continuous'],
    ['a refill by interval', (p) => p.algorithm === 'token_bucket' && p.refill === 'interval'],
    ['a quota by day', (p) => p.algorithm === 'quota' && p.period === 'day'],
    ['a quota by billing period', (p) => p.algorithm === 'quota' && p.period === 'billing'],
    ['a hard limit', (p) => p.throttle === undefined],
    ['a soft limit of 10 %', (p) => p.throttle?.mode === 'soft' && p.throttle.percent === 10],
    ['an elastic limit', (p) => p.throttle?.mode === 'elastic'],
    ['a throttle queue', (p) => p.throttle?.mode === 'queue'],
    ['a limit in shadow mode', (p) => p.enforcement?.mode === 'shadow'],
    ['partial enforcement', (p) => p.enforcement?.mode === 'percent'],
    ['a candidate', (p) => p.candidate !== undefined],
    [
      'a quota of three failures a day',
      (p) => p.charge === 'on_failure' && p.algorithm === 'quota' && p.limit === 3,
    ],
    ['a charge on success', (p) => p.charge === 'on_success'],
    ['a leased limit', (p) => p.consistency?.mode === 'leased'],
    ['a global ceiling', (p) => p.per[0] === 'global'],
    ['a limit per user and IP address', (p) => p.per.join() === 'user,ip'],
  ])('has %s', (_name, matches) => {
    expect(policies.filter(matches)).not.toEqual([]);
  });

  it('never limits sign-in per account alone, so that an attacker cannot lock the owner out', () => {
    const login = policies.filter(({ api, operations }) => api === 'auth' && operations.includes('login'));
    expect(login.map(({ per }) => per)).toEqual([['user', 'ip'], ['ip']]);
  });

  it('has a tenant on each tier and the operations of each limit', () => {
    const used = Object.values(tenants).map(({ tier }) => tier);
    for (const [key, limits] of limitsByTier) {
      expect(used).toContain(key);
      for (const { api, operations } of limits)
        expect(Object.keys(apis[api]?.operations ?? {})).toEqual(expect.arrayContaining(operations));
    }
  });

  it('has people and keys for each tenant', () => {
    expect(Object.keys(demo.tenants)).toEqual(Object.keys(tenants));
  });
});

describe('the traffic of the demo', () => {
  it('names operations, and tenants other than the one without requests', () => {
    for (const { tenant, api, operation } of demo.traffic) {
      expect(Object.keys(apis[api]?.operations ?? {})).toContain(operation);
      expect(demo.tenants[tenant]?.hoursAgo, tenant).toBeUndefined();
    }
  });

  it('is the same for the same seed and minute, and about a million requests in 30 days', () => {
    const endMs = Date.UTC(2026, 10, 23, 12);
    const traffic = new DemoTraffic(demo.traffic, 1, endMs);
    const again = new DemoTraffic(demo.traffic, 1, endMs);
    expect(traffic.list(endMs - 3_600_000)).toEqual(again.list(endMs - 3_600_000));
    let count = 0;
    for (let day = 0; day < 30; day++)
      for (let minute = 0; minute < 1440; minute += 30)
        count += 30 * traffic.list(endMs - day * 86_400_000 - minute * 60_000).length;
    expect(count).toBeGreaterThan(700_000);
    expect(count).toBeLessThan(1_500_000);
  });
});

function checked(policy: ReturnType<typeof policyOfConfig>): LimitPolicy {
  const result = checkLimitPolicy(policy);
  if (!result.ok) throw new Error(`${policy.name}: ${result.errors[0]?.message}`);
  return result.policy;
}
