import { type LimitPolicy, policyOfConfig, type Rule } from '@tollgate/contracts';
import { randomFrom } from '@tollgate/test-kit/random';
import { describe, expect, it } from 'vitest';
import { randomPair, reaches, withLessRoom } from '../../../../test/support/limit-search.js';
import { readDemoData } from '../../../setup/demo-data.js';
import { findUnreachable } from './unreachable-limits.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function limit(rule: Rule, more: Partial<LimitPolicy> = {}): LimitPolicy {
  const common = { name: 'a', api: 'shop', operations: [], per: [], onUnavailable: 'share' };
  return { ...common, ...rule, ...more } as LimitPolicy;
}

const fixed = (max: number, windowMs: number): Rule => ({
  algorithm: 'fixed_window',
  limit: max,
  windowMs,
  alignment: 'clock',
});
const log = (max: number, windowMs: number): Rule => ({
  algorithm: 'sliding_window_log',
  limit: max,
  windowMs,
});
const gcra = (max: number, windowMs: number, burst: number): Rule => ({
  algorithm: 'gcra',
  limit: max,
  windowMs,
  burst,
});
const quota = (max: number, period: 'day' | 'week' | 'month'): Rule => ({
  algorithm: 'quota',
  limit: max,
  period,
});

const places = (...limits: LimitPolicy[]) => findUnreachable(limits).map(({ index }) => index);

describe('requests without a value', () => {
  const user = { per: ['user'] };
  it.each<[string, boolean, Partial<LimitPolicy>, Partial<LimitPolicy>]>([
    ['both count them', true, user, user],
    ['the narrow limit skips them', false, { ...user, onMissing: 'skip' }, user],
    ['both skip them', true, { ...user, onMissing: 'skip' }, { ...user, onMissing: 'skip' }],
    ['the wide limit rejects them', false, user, { ...user, onMissing: 'refuse' }],
    ['both reject them', true, { ...user, onMissing: 'refuse' }, { ...user, onMissing: 'refuse' }],
    ['only the wide limit counts by user', true, {}, { ...user, onMissing: 'skip' }],
  ])('decide whether a wider limit is unreachable: %s', (_, isNeverReached, narrow, wide) => {
    const policies = [limit(log(10, MINUTE_MS), narrow), limit(log(600, HOUR_MS), { name: 'b', ...wide })];
    expect(findUnreachable(policies).map(({ index }) => index)).toEqual(isNeverReached ? [1] : []);
  });
});

describe('a limit is unreachable', () => {
  it.each<[string, Rule, Rule]>([
    // At most 61 windows overlap an hour: 610.
    ['10 a minute, 610 an hour', fixed(10, MINUTE_MS), log(610, HOUR_MS)],
    // Exactly 60 minutes.
    ['10 in any minute, 600 in any hour', log(10, MINUTE_MS), log(600, HOUR_MS)],
    ['one every 6 s, 600 an hour', gcra(10, MINUTE_MS, 0), fixed(600, HOUR_MS)],
    ['a rate behind a slower rate', gcra(10, MINUTE_MS, 2), gcra(20, MINUTE_MS, 2)],
    [
      'a queue behind an even rate',
      gcra(1, 1000, 0),
      { algorithm: 'leaky_bucket', limit: 2, windowMs: 1000, queue: 9 },
    ],
    ['10 a minute, 20,000 a day', log(10, MINUTE_MS), quota(20_000, 'day')],
    ['5 a day, 35 a week', quota(5, 'day'), quota(35, 'week')],
    ['5 a day, 155 a month', quota(5, 'day'), quota(155, 'month')],
    ['10 a minute, 600 an hour of the same clock', fixed(10, MINUTE_MS), fixed(600, HOUR_MS)],
  ])('%s', (_name, narrow, wide) => {
    expect(places(limit(wide), limit(narrow))).toEqual([0]);
    expect(places(limit(narrow), limit(wide))).toEqual([1]);
  });

  const narrow = limit(log(10, MINUTE_MS));
  it.each<[string, LimitPolicy, LimitPolicy]>([
    ['a limit per user above the tenant limit', narrow, limit(log(11, MINUTE_MS), { per: ['user'] })],
    [
      'a limit per IP address above a global limit',
      { ...narrow, per: ['global'] },
      limit(log(11, MINUTE_MS), { per: ['ip'] }),
    ],
    ['if it covers fewer operations', narrow, limit(log(10, MINUTE_MS), { operations: ['buy'] })],
    [
      'of an address, above one of its network',
      limit(fixed(20, HOUR_MS), { per: ['ip'], ipv4Prefix: 24, ipv6Prefix: 48 }),
      limit(fixed(100, HOUR_MS), { per: ['ip'] }),
    ],
    [
      'of the tenant alone, above one that it shares with children',
      limit(fixed(10, HOUR_MS), { sharedWithChildren: true }),
      limit(fixed(20, HOUR_MS)),
    ],
    [
      'above a limit and all that can roll over',
      limit(quota(100, 'month'), { rolloverPercent: 50 }),
      limit(quota(150, 'month'), { rolloverPercent: 1 }),
    ],
    [
      'a soft band beyond the narrower limit',
      narrow,
      limit(log(10, MINUTE_MS), { throttle: { mode: 'soft', percent: 50 } }),
    ],
  ])('%s', (_name, first, second) => {
    expect(places(first, second)).toEqual([1]);
  });

  it('if it is the later of two equal ones, and both are behind a narrower third', () => {
    expect(places(narrow, narrow)).toEqual([1]);
    expect(places(narrow, narrow, limit(log(9, MINUTE_MS)))).toEqual([0, 1]);
  });
});

describe('a limit is reachable', () => {
  const narrow = limit(log(10, MINUTE_MS));
  const wide = limit(log(1000, HOUR_MS));
  it.each<[string, LimitPolicy, LimitPolicy]>([
    ['if a window boundary admits more', limit(fixed(10, MINUTE_MS)), limit(log(609, HOUR_MS))],
    ['if a burst admits more', limit(gcra(10, MINUTE_MS, 5)), limit(fixed(604, HOUR_MS))],
    ['if the common clock leaves room', limit(fixed(10, MINUTE_MS)), limit(fixed(599, HOUR_MS))],
    ['for a week of seven days', limit(quota(5, 'day')), limit(quota(34, 'week'))],
    ['for a month of 31 days', limit(quota(5, 'day')), limit(quota(154, 'month'))],
    [
      'if sub-windows expire slightly early',
      limit({ algorithm: 'sliding_window_counter', limit: 10, windowMs: MINUTE_MS, buckets: 60 }),
      limit({
        algorithm: 'token_bucket',
        limit: 10,
        windowMs: MINUTE_MS,
        capacity: 10,
        refill: 'continuous',
      }),
    ],
    ['of another API', narrow, { ...wide, api: 'bank' }],
    ['by other dimensions', { ...narrow, per: ['user'] }, wide],
    ['of a tenant, next to one for all tenants', narrow, { ...wide, per: ['global'] }],
    ['on operations that the other one does not cover', { ...narrow, operations: ['buy'] }, wide],
    ['next to a limit in shadow mode', { ...narrow, enforcement: { mode: 'shadow' } }, wide],
    [
      'next to a partially enforced limit',
      { ...narrow, enforcement: { mode: 'percent', percent: 50 } },
      wide,
    ],
    ['in shadow mode', narrow, { ...wide, enforcement: { mode: 'shadow' } }],
    ['with a candidate', narrow, { ...wide, candidate: fixed(5, 1000) }],
    ['next to a limit that counts failures only', { ...narrow, charge: 'on_failure' }, wide],
    ['next to a limit that queues', { ...narrow, throttle: { mode: 'queue', maxDelayMs: 1000 } }, wide],
    [
      'next to a limit with a large enough soft band',
      { ...narrow, throttle: { mode: 'soft', percent: 70 } },
      wide,
    ],
    ['if it is stricter while Redis is unavailable', narrow, { ...wide, onUnavailable: 'deny' }],
    [
      'if it is leased',
      narrow,
      limit(fixed(1000, HOUR_MS), { consistency: { mode: 'leased', leaseMs: 100 } }),
    ],
    ['for concurrency', narrow, limit({ algorithm: 'concurrency', limit: 1000, leaseMs: 1000 })],
    [
      'of a network, next to one of its addresses',
      limit(fixed(20, HOUR_MS), { per: ['ip'] }),
      limit(fixed(100, HOUR_MS), { per: ['ip'], ipv4Prefix: 24 }),
    ],
    [
      'of a network of IPv6, next to one of longer networks of IPv4',
      limit(fixed(20, HOUR_MS), { per: ['ip'], ipv4Prefix: 24 }),
      limit(fixed(100, HOUR_MS), { per: ['ip'], ipv6Prefix: 48 }),
    ],
    [
      'shared with children, next to one of the tenant alone',
      limit(fixed(10, HOUR_MS)),
      limit(fixed(20, HOUR_MS), { sharedWithChildren: true }),
    ],
    [
      'if rolled over units reach it',
      limit(quota(100, 'month'), { rolloverPercent: 50 }),
      limit(quota(120, 'month')),
    ],
    ['if it starts below the other one', narrow, { ...wide, warmUp: { ms: 600_000, startPercent: 1 } }],
    [
      'with amounts for labels',
      narrow,
      { ...wide, amounts: { by: 'region', labels: [{ label: 'eu', limit: 5 }] } },
    ],
  ])('%s', (_name, first, second) => {
    expect(places(first, second)).toEqual([]);
  });

  it('in every demo tier', () => {
    for (const [key, { limits = [] }] of Object.entries(readDemoData().document.tiers ?? {})) {
      const policies = limits.map((limit) => policyOfConfig(limit) as LimitPolicy);
      expect(findUnreachable(policies), key).toEqual([]);
    }
  });
});

describe('a limit is unreachable for most tenants', () => {
  const ramp = { ms: 600_000, startPercent: 10 };
  it.each<[string, LimitPolicy, LimitPolicy, string | undefined]>([
    [
      'unless a child has a floor',
      limit(fixed(10, HOUR_MS), { sharedWithChildren: true }),
      limit(fixed(20, HOUR_MS), { sharedWithChildren: true }),
      'a child has a floor of it',
    ],
    [
      'of which a child can have no floor: for all',
      limit(gcra(10, MINUTE_MS, 0), { sharedWithChildren: true }),
      limit(gcra(20, MINUTE_MS, 0), { sharedWithChildren: true }),
      undefined,
    ],
    [
      'unless rounding of a common warm-up decides',
      limit(log(10, MINUTE_MS), { warmUp: ramp }),
      limit(log(20, MINUTE_MS), { warmUp: ramp }),
      'a tenant warms up',
    ],
  ])('%s', (_name, narrow, wide, unless) => {
    expect(findUnreachable([narrow, wide])).toMatchObject([{ index: 1, by: narrow }]);
    expect(findUnreachable([narrow, wide])[0]?.unless).toBe(unless);
  });
});

describe('a search for requests that reach the limit', () => {
  const SEED = 20_261_120;

  it('finds none for limits that are reported as unreachable', () => {
    const next = randomFrom(SEED).below;
    const found = { never: 0, reached: 0, notReached: 0 };
    for (let i = 0; i < 1500; i++) {
      const [narrow, drawn] = randomPair(next);
      const isNever = places(narrow, drawn).includes(1);
      const wide = isNever ? tightest(narrow, drawn) : drawn;
      const isReached = reaches(narrow, wide, next, 250);
      if (isNever) expect(isReached, JSON.stringify({ SEED, i, narrow, wide })).toBe(false);
      found[isNever ? 'never' : isReached ? 'reached' : 'notReached']++;
    }
    // Both outcomes occur often enough to be meaningful.
    expect(found.never).toBeGreaterThan(500);
    expect(found.reached).toBeGreaterThan(2 * found.notReached);
  });

  /** `wide` with the smallest limit that is still reported as unreachable: an error would show there. */
  function tightest(narrow: LimitPolicy, wide: LimitPolicy): LimitPolicy {
    let last = wide;
    for (;;) {
      const less = withLessRoom(last);
      if (less === undefined || !places(narrow, less).includes(1)) return last;
      last = less;
    }
  }
});
