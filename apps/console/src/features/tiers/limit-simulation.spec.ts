import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { simulate } from './limit-simulation.js';

const COMMON = { name: 'x', api: 'shop', onUnavailable: 'share' } as const;
const RULES = [
  { algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
  { algorithm: 'sliding_window_log', limit: 100, windowMs: 60_000 },
  { algorithm: 'sliding_window_counter', limit: 100, windowMs: 60_000, buckets: 60 },
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
      refused: sum.refused + one.refused,
    }),
    { passed: 0, beyond: 0, delayed: 0, refused: 0 },
  );

describe.each(RULES)('$algorithm', (rule) => {
  const policy = { ...COMMON, ...rule, operations: [], per: [] } as LimitPolicy;

  it('loses no request, and refuses some where nothing passes beyond', () => {
    for (const { passed, beyond, delayed, refused } of simulate(policy).moments) {
      for (const part of [passed, beyond, delayed, refused]) expect(part).toBeGreaterThanOrEqual(0);
    }
    const { moments, highest } = simulate(policy);
    const asked = moments.filter(({ passed, refused, delayed }) => passed + refused + delayed > 0).length;
    const { passed, delayed, refused, beyond } = total(policy);
    expect(passed + delayed + refused + beyond).toBeCloseTo(asked * highest, 6);
    expect(refused).toBeGreaterThan(0);
    expect(beyond).toBe(0);
  });

  it('lets more pass in a soft band, borrowed or after a delay', () => {
    const soft = total({ ...policy, throttle: { mode: 'soft', percent: 20 } });
    const elastic = total({ ...policy, throttle: { mode: 'elastic', maxPercent: 50, pool: 'p' } });
    const queue = total({ ...policy, throttle: { mode: 'queue', maxDelayMs: 20_000 } });
    expect(soft.beyond).toBeGreaterThan(0);
    expect(elastic.beyond).toBeGreaterThan(0);
    expect(queue.delayed).toBeGreaterThan(0);
  });
});
