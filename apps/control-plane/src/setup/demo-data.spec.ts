import { ALGORITHM_NAMES, type LimitPolicy } from '@tollgate/contracts';
import { checkLimitPolicy } from '@tollgate/decision-plane/internals';
import { describe, expect, it } from 'vitest';
import { toLimitDraft } from '../features/catalogue/index.js';
import { type DemoData, readDemoData } from './demo-data.js';

const demo = readDemoData();
/** What a day at a weekend has of an average one, and somewhat less. */
const QUIET_DAY = 0.35;
const policies = demo.tiers.flatMap(({ limits }) => limits.map(policyOf));

describe('the demo', () => {
  it.each(ALGORITHM_NAMES)('has a limit of algorithm %s', (algorithm) => {
    expect(policies.filter((policy) => policy.algorithm === algorithm)).not.toEqual([]);
  });

  it.each<[string, (policy: LimitPolicy) => boolean]>([
    ['a fixed window by the clock', (p) => p.algorithm === 'fixed_window' && p.alignment === 'clock'],
    ['one that the first request starts', (p) => p.algorithm === 'fixed_window' && p.alignment !== 'clock'],
    ['a counter in 60 parts', (p) => p.algorithm === 'sliding_window_counter' && p.buckets === 60],
    ['an estimate', (p) => p.algorithm === 'sliding_window_counter' && p.buckets === 1],
    ['a steady refill', (p) => p.algorithm === 'token_bucket' && p.refill === 'continuous'],
    ['a refill by interval', (p) => p.algorithm === 'token_bucket' && p.refill === 'interval'],
    ['a quota by day', (p) => p.algorithm === 'quota' && p.period === 'day'],
    ['a quota by billing period', (p) => p.algorithm === 'quota' && p.period === 'billing'],
    ['a hard limit', (p) => p.throttle === undefined],
    ['a soft limit of 10 %', (p) => p.throttle?.mode === 'soft' && p.throttle.percent === 10],
    ['an elastic limit', (p) => p.throttle?.mode === 'elastic'],
    ['a queue', (p) => p.throttle?.mode === 'queue'],
    ['a shadow', (p) => p.enforcement?.mode === 'shadow'],
    ['enforcement for a part', (p) => p.enforcement?.mode === 'percent'],
    ['a candidate', (p) => p.candidate !== undefined],
    ['three failures a day', (p) => p.charge === 'on_failure' && p.algorithm === 'quota' && p.limit === 3],
    ['a charge on success', (p) => p.charge === 'on_success'],
    ['a leased limit', (p) => p.consistency?.mode === 'leased'],
    ['a ceiling for all tenants', (p) => p.per[0] === 'global'],
    ['a hybrid of user and address', (p) => p.per.join() === 'user,ip'],
  ])('has %s', (_name, matches) => {
    expect(policies.filter(matches)).not.toEqual([]);
  });

  it('never guards a sign-in by account alone: nobody may lock the owner out', () => {
    const login = policies.filter(({ api, operations }) => api === 'auth' && operations.includes('login'));
    expect(login.map(({ per }) => per)).toEqual([['user', 'ip'], ['ip']]);
  });

  it('reaches each limit by an operation of a tenant that is on its tier', () => {
    for (const { key, limits } of demo.tiers) {
      expect(demo.tenants.map(({ tierKey }) => tierKey)).toContain(key);
      for (const { apiKey, operations } of limits) {
        const known = demo.apis.find((api) => api.key === apiKey)?.operations.map(({ name }) => name);
        expect(known).toEqual(expect.arrayContaining(operations));
      }
    }
  });
});

describe('a rush of the demo', () => {
  const rushes = demo.usage.filter(({ lastHours }) => lastHours !== undefined);

  it.each(rushes)(
    'uses up $limit of $tenant within a day, on a quiet day too',
    ({ tenant, limit, perHour }) => {
      const tier = demo.tiers.find(
        ({ key }) => key === demo.tenants.find((one) => one.key === tenant)?.tierKey,
      );
      const quota = tier?.limits.find(({ name }) => name === limit);
      expect(quota?.algorithm).toBe('QUOTA');
      expect(perHour * 24 * QUIET_DAY).toBeGreaterThan(quota?.limit ?? 0);
    },
  );
});

function policyOf(limit: DemoData['tiers'][number]['limits'][number]): LimitPolicy {
  const checked = checkLimitPolicy(toLimitDraft(limit).draft);
  if (!checked.ok) throw new Error(`${limit.name}: ${checked.errors[0]?.message}`);
  return checked.policy;
}
