import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { describeAtLimit, simulate } from './limit-simulation.js';

const COMMON = { name: 'x', api: 'shop', onUnavailable: 'share' } as const;
const RULES = [
  { algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
  { algorithm: 'sliding_window_log', limit: 100, windowMs: 60_000 },
  { algorithm: 'sliding_window_counter', limit: 100, windowMs: 60_000, buckets: 60 },
  { algorithm: 'sliding_window_counter', limit: 100, windowMs: 60_000, buckets: 1 },
  { algorithm: 'token_bucket', limit: 100, windowMs: 60_000, capacity: 100, refill: 'continuous' },
  { algorithm: 'token_bucket', limit: 100, windowMs: 60_000, capacity: 100, refill: 'interval' },
  { algorithm: 'leaky_bucket', limit: 100, windowMs: 60_000, queue: 20 },
  { algorithm: 'gcra', limit: 100, windowMs: 60_000, burst: 10 },
  { algorithm: 'concurrency', limit: 10, leaseMs: 60_000 },
  { algorithm: 'quota', limit: 1000, period: 'month' },
] as const;

const total = (policy: LimitPolicy) =>
  simulate(policy).moments.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      beyond: sum.beyond + one.beyond,
      delayed: sum.delayed + one.delayed,
      denied: sum.denied + one.denied,
    }),
    { passed: 0, beyond: 0, delayed: 0, denied: 0 },
  );

describe.each(RULES)('$algorithm', (rule) => {
  const policy = { ...COMMON, ...rule, operations: [], per: [] } as LimitPolicy;

  it('accounts for every request, and denies some without an extra allowance', () => {
    for (const { passed, beyond, delayed, denied } of simulate(policy).moments) {
      for (const part of [passed, beyond, delayed, denied]) expect(part).toBeGreaterThanOrEqual(0);
    }
    const { moments, highest } = simulate(policy);
    const request = moments.filter(({ passed, denied, delayed }) => passed + denied + delayed > 0).length;
    const { passed, delayed, denied, beyond } = total(policy);
    expect(passed + delayed + denied + beyond).toBeCloseTo(request * highest, 6);
    expect(denied).toBeGreaterThan(0);
    expect(beyond).toBe(0);
  });
});

const SOFT = { mode: 'soft', percent: 20 } as const;
const ELASTIC = { mode: 'elastic', maxPercent: 50, pool: 'p' } as const;
const QUEUE = { mode: 'queue', maxDelayMs: 20_000 } as const;
const [fixed, log, counter, estimate, bucket, interval, leaky, gcra, permits, quota] = RULES;

it.each<[string, (typeof RULES)[number][], LimitPolicy['throttle'], keyof ReturnType<typeof total>]>([
  ['soft', [fixed, log, counter, estimate, bucket, interval, gcra, permits, quota], SOFT, 'beyond'],
  ['elastic', [fixed, log, counter, estimate, bucket, interval, gcra, permits, quota], ELASTIC, 'beyond'],
  ['queue', [log, bucket, gcra], QUEUE, 'delayed'],
])('%s allows more, by the algorithms that support it', (_mode, rules, throttle, part) => {
  const withThrottle = (rule: (typeof RULES)[number]) =>
    total({ ...COMMON, ...rule, operations: [], per: [], throttle } as LimitPolicy)[part];
  for (const rule of rules) expect(withThrottle(rule)).toBeGreaterThan(0);
  const others = RULES.filter((rule) => rule !== leaky && !rules.includes(rule));
  expect(others.map(withThrottle)).toEqual(others.map(() => 0));
});

it('a leaky bucket delays what is faster than its rate', () => {
  const policy = { ...COMMON, ...leaky, operations: [], per: [] } as LimitPolicy;
  expect(total(policy).delayed).toBeGreaterThan(total(policy).passed);
});

it('passes requests throughout the second window of an estimate, where sub-windows deny its end', () => {
  const passedIn = (buckets: number) => {
    const rule = { algorithm: 'sliding_window_counter', limit: 100, windowMs: 60_000, buckets } as const;
    const { moments } = simulate({ ...COMMON, ...rule, operations: [], per: [] });
    return moments.slice(17, 28).filter(({ passed }) => passed > 0).length;
  };
  expect(passedIn(1)).toBe(11);
  expect(passedIn(60)).toBe(8);
});

const LIMIT_AT_WORK_COMMON = { name: 'x', api: 'shop', onUnavailable: 'share' } as const;

it.each<[Partial<LimitPolicy>, string]>([
  [
    {
      ...{ algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
      throttle: { mode: 'soft', percent: 10 },
    },
    'Up to 110 requests a minute pass, the last 10 marked; then 429 for up to 1 min.',
  ],
  [
    { algorithm: 'gcra', limit: 10, windowMs: 1000, burst: 0 },
    'Up to 10 requests a second pass; then 429 for up to 100 ms.',
  ],
  [
    { algorithm: 'sliding_window_log', limit: 1, windowMs: 90_000 },
    'Up to 1 request every 1 min 30 s pass; then 429 for up to 1 min 30 s.',
  ],
  [
    {
      ...{ algorithm: 'quota', limit: 10_000, period: 'month' },
      throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' },
    },
    'Up to 10,000 requests a month pass, and up to 5,000 more while pool main has spare capacity; then 429 until the next period begins in the tenant’s time zone.',
  ],
  [
    { algorithm: 'concurrency', limit: 5, leaseMs: 30_000, throttle: { mode: 'queue', maxDelayMs: 2000 } },
    'Up to 5 requests at the same time pass at once; further requests are delayed by up to 2 s; then 429 until one of them ends.',
  ],
  [
    {
      ...{ algorithm: 'fixed_window', limit: 1, windowMs: 1000, alignment: 'clock' },
      enforcement: { mode: 'shadow' },
    },
    'Shadow mode: nothing is denied, only counted.',
  ],
])('%o', (rule, text) => {
  expect(describeAtLimit({ ...LIMIT_AT_WORK_COMMON, ...rule, operations: [], per: [] } as LimitPolicy)).toBe(
    text,
  );
});
