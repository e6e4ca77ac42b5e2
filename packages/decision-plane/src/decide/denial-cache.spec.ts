import type { LimitPolicy } from '@tollgate/contracts';
import type { Check, CheckResult, Decided } from '@tollgate/limiter/stores';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, gcraPolicy } from '../../../limiter/test/policies.js';
import { DenialCache } from './denial-cache.js';

const NOW_US = 1_800_000_000_000_000;

const minute = compiled(fixedWindowPolicy());
const spaced = compiled(gcraPolicy({ name: 'spaced' }));
const permits = compiled({
  name: 'permits',
  api: 'url-shortener',
  operations: [],
  per: [],
  onUnavailable: 'share',
  algorithm: 'concurrency',
  limit: 3,
  leaseMs: 60_000,
});

const LIMITS = [minute, spaced];
const checks: Check[] = [
  { key: '{acme}:minute', policy: minute.policy, cost: 2 },
  { key: '{acme}:spaced', policy: spaced.policy, cost: 2 },
];
const passes: CheckResult = { allowed: true, over: false, remaining: 2, waitUs: 0, resetAfterUs: 500_000 };
const refuses = (waitUs: number): CheckResult => ({
  allowed: false,
  over: false,
  remaining: 0,
  waitUs,
  resetAfterUs: 60_000_000,
});
const refusal = (...results: CheckResult[]): Decided => ({
  available: true,
  nowUs: NOW_US,
  allowed: false,
  replayed: false,
  checks: results,
});

/** A cache that contains the denial of `checks` by the second one, requested at 1000. */
function refused(waitUs: number, limits: readonly { stored: LimitPolicy }[] = LIMITS): DenialCache {
  const cache = new DenialCache();
  cache.remember(limits, checks, refusal(passes, refuses(waitUs)), 1000, 1001);
  return cache;
}

describe('DenialCache', () => {
  it('returns the remaining wait for the same request until it ends', () => {
    const cache = refused(3_000_000);
    expect(cache.find(checks, 1200)).toEqual({
      available: true,
      nowUs: NOW_US + 200_000,
      allowed: false,
      replayed: false,
      checks: [
        { ...passes, resetAfterUs: 300_000 },
        { ...refuses(2_800_000), resetAfterUs: 59_800_000 },
      ],
    });
    expect(cache.find(checks, 3999.9)?.checks[1]?.waitUs).toBeGreaterThan(0);
    expect(cache.find(checks, 4000)).toBeUndefined();
  });

  it('reports other limits as unused after their reset', () => {
    expect(refused(3_000_000).find(checks, 1600)?.checks[0]).toEqual({
      ...passes,
      remaining: minute.policy.capacity,
      resetAfterUs: 0,
    });
  });

  it('keeps a denial for five seconds at most, also of a cost above the capacity', () => {
    for (const waitUs of [3_600_000_000, -1]) {
      expect(refused(waitUs).find(checks, 5999)).toMatchObject({ checks: [{}, { allowed: false }] });
      expect(refused(waitUs).find(checks, 6000)).toBeUndefined();
    }
    expect(refused(-1).find(checks, 2000)?.checks[1]?.waitUs).toBe(-1);
  });

  it('does not apply to other counters, policies, numbers of limits or costs', () => {
    const cache = refused(3_000_000);
    const [first, second] = checks as [Check, Check];
    expect(cache.find([{ ...first, key: '{acme}:other' }, second], 1001)).toBeUndefined();
    expect(
      cache.find([{ ...first, policy: compiled(fixedWindowPolicy()).policy }, second], 1001),
    ).toBeUndefined();
    expect(cache.find([second], 1001)).toBeUndefined();
    expect(cache.find([first, second, { ...first, key: '{acme}:third' }], 1001)).toBeUndefined();
    // A lower cost may pass; a higher one waits longer, or can never pass.
    for (const cost of [1, 3, 1000]) {
      expect(cache.find([first, { ...second, cost }], 1001)).toBeUndefined();
      expect(cache.find([{ ...first, cost }, second], 1001)).toBeUndefined();
    }
    expect(cache.find([first, second], 1001)).toBeDefined();
  });

  it('expires with the first of several denials', () => {
    const cache = new DenialCache();
    cache.remember(LIMITS, checks, refusal(refuses(1_000_000), refuses(4_000_000)), 1000, 1001);
    expect(cache.find(checks, 1999)).toBeDefined();
    expect(cache.find(checks, 2000)).toBeUndefined();
  });

  it.each([
    ['permits', [permits]],
    [
      'an elastic limit',
      [{ ...minute, stored: { ...minute.stored, throttle: { mode: 'elastic', maxPercent: 50, pool: 'p' } } }],
    ],
    [
      'a leased limit',
      [{ ...minute, stored: { ...minute.stored, consistency: { mode: 'leased', leaseMs: 1000 } } }],
    ],
    ['a limit in shadow', [{ ...minute, policy: { ...minute.policy, shadow: true } }]],
  ] as const)('keeps no refusal of %s: it may change at any moment, or is none', (_, limits) => {
    const cache = new DenialCache();
    const asked = limits.map(({ policy }) => ({ key: '{acme}:x', policy, cost: 1 }));
    const stored = limits.map((limit) => ({ stored: limit.stored as LimitPolicy }));
    cache.remember(stored, asked, refusal(refuses(3_000_000)), 1000, 1001);
    expect(cache.find(asked, 1001)).toBeUndefined();
  });

  it('keeps a denial by a limit with a penalty only during a block, because others are counted', () => {
    const penalty = { denials: 2, windowMs: 1000, blockMs: 1000, maxBlockMs: 1000 };
    const penalized = compiled(fixedWindowPolicy({ penalty }));
    const asked = [{ key: '{acme}:x', policy: penalized.policy, cost: 1 }, checks[1] as Check];
    const cached = (...results: CheckResult[]) => {
      const cache = new DenialCache();
      cache.remember([penalized, spaced], asked, refusal(...results), 1000, 1001);
      return cache.find(asked, 1002) !== undefined;
    };
    expect(cached(refuses(3_000_000), passes)).toBe(false);
    expect(cached(passes, refuses(3_000_000))).toBe(false);
    expect(cached({ ...refuses(3_000_000), penalized: true }, passes)).toBe(true);
    expect(cached({ ...refuses(3_000_000), penalized: true }, refuses(3_000_000))).toBe(true);
  });

  it('does not cache allowed requests and replays', () => {
    const cache = new DenialCache();
    const reply = refusal(passes, refuses(3_000_000));
    cache.remember(LIMITS, checks, { ...reply, allowed: true }, 1000, 1001);
    cache.remember(LIMITS, checks, { ...reply, replayed: true }, 1000, 1001);
    expect(cache.find(checks, 1001)).toBeUndefined();
  });

  it('forgets only the refunded counter', () => {
    const cache = refused(3_000_000);
    const other = [{ ...(checks[0] as Check), key: '{other}:minute' }];
    cache.remember([minute], other, refusal(refuses(3_000_000)), 1000, 1001);
    cache.clear('{acme}:spaced', 1002);
    expect(cache.find(checks, 1003)).toBeUndefined();
    expect(cache.find(other, 1003)).toBeDefined();
    cache.clearAll(1004);
    expect(cache.find(other, 1005)).toBeUndefined();
  });

  it('does not cache a denial by attempts in flight, which may be reported at any moment', () => {
    const cache = new DenialCache();
    cache.remember(LIMITS, checks, refusal(passes, { ...refuses(1_000_000), inFlight: true }), 1000, 1001);
    expect(cache.find(checks, 1002)).toBeUndefined();
  });

  it('does not cache a denial in flight when its counter is cleared', () => {
    const reply = refusal(passes, refuses(3_000_000));
    const cache = new DenialCache();
    cache.clear('{acme}:spaced', 1001);
    cache.remember(LIMITS, checks, reply, 1000, 1002);
    expect(cache.find(checks, 1003)).toBeUndefined();
    cache.remember(LIMITS, checks, reply, 1002, 1003);
    expect(cache.find(checks, 1004)).toBeDefined();
    cache.clearAll(1005);
    cache.remember(LIMITS, checks, reply, 1004, 1006);
    expect(cache.find(checks, 1007)).toBeUndefined();
  });

  it('does not cache denials in flight after more clears than it remembers', () => {
    const cache = new DenialCache();
    cache.clear('{acme}:spaced', 1001);
    for (let i = 0; i < 10_001; i++) cache.clear(`{other}:${i}`, 1002);
    cache.remember(LIMITS, checks, refusal(passes, refuses(3_000_000)), 1000, 1003);
    expect(cache.find(checks, 1004)).toBeUndefined();
  });

  it('evicts the oldest denial above its maximum', () => {
    const cache = new DenialCache({ maxDenials: 2 });
    const asked = ['a', 'b', 'c'].map((key) => [{ key, policy: minute.policy, cost: 1 }]);
    for (const one of asked) cache.remember([minute], one, refusal(refuses(3_000_000)), 1000, 1001);
    expect(asked.map((one) => cache.find(one, 1002) !== undefined)).toEqual([false, true, true]);
  });
});
