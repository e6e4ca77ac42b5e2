import { type CarryOver, carriedOver, type Rule } from '@tollgate/contracts';
import type { RuleKind } from '../src/algorithms/algorithm.js';

/** Long enough that nothing expires while a test runs. */
const windowMs = 30 * 86_400_000;

/** One limit of each kind, whose `limit` and capacity are both `n`. */
export const LONG_RULES: Record<RuleKind, (n: number) => Rule> = {
  fixed_window: (limit) => ({ algorithm: 'fixed_window', limit, windowMs, alignment: 'first_request' }),
  sliding_window_log: (limit) => ({ algorithm: 'sliding_window_log', limit, windowMs }),
  sliding_window_counter: (limit) => ({ algorithm: 'sliding_window_counter', limit, windowMs, buckets: 60 }),
  sliding_window_estimate: (limit) => ({ algorithm: 'sliding_window_counter', limit, windowMs, buckets: 1 }),
  token_bucket: (limit) => ({
    algorithm: 'token_bucket',
    limit,
    windowMs,
    capacity: limit,
    refill: 'continuous',
  }),
  token_bucket_interval: (limit) => ({
    algorithm: 'token_bucket',
    limit,
    windowMs,
    capacity: limit,
    refill: 'interval',
  }),
  leaky_bucket: (limit) => ({ algorithm: 'leaky_bucket', limit, windowMs, queue: limit - 1 }),
  gcra: (limit) => ({ algorithm: 'gcra', limit, windowMs, burst: limit - 1 }),
  concurrency: (limit) => ({ algorithm: 'concurrency', limit, leaseMs: 3 * 3_600_000 }),
  quota: (limit) => ({ algorithm: 'quota', limit, period: 'month' }),
};

const BUCKETS: readonly RuleKind[] = ['gcra', 'token_bucket', 'token_bucket_interval', 'leaky_bucket'];

/**
 * Usage after a policy change, as defined by `Algorithm.rebase`.
 * @param most capacity of the new limit: usage above it is dropped
 */
export function usedAfter(
  kind: RuleKind,
  used: number,
  { from, to, most }: { from: number; to: number; most: number },
  rule: CarryOver,
): number {
  // Held permits stay held.
  if (kind === 'concurrency') return rule === 'reset' ? 0 : used;
  const carried = carriedOver(used, from, to, rule);
  return BUCKETS.includes(kind) ? Math.min(carried, most) : carried;
}
