import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { TESTBED_API } from './local-node.ts';

/** A limit of the testbed, on the operation of the same name, by user unless specified. */
export function limitBy(
  name: string,
  rule: Rule,
  over: Partial<Omit<LimitPolicy, keyof Rule>> = {},
): LimitPolicy {
  return {
    name,
    api: TESTBED_API,
    operations: [name],
    per: ['user'],
    onUnavailable: 'share',
    ...rule,
    ...over,
  };
}

/** Exact algorithms. */
export const EXACT_RULES: Readonly<Record<string, (limit: number, windowMs: number) => Rule>> = {
  'fixed-clock': (limit, windowMs) => ({ algorithm: 'fixed_window', limit, windowMs, alignment: 'clock' }),
  'fixed-first': (limit, windowMs) => ({
    algorithm: 'fixed_window',
    limit,
    windowMs,
    alignment: 'first_request',
  }),
  log: (limit, windowMs) => ({ algorithm: 'sliding_window_log', limit, windowMs }),
  gcra: (limit, windowMs) => ({ algorithm: 'gcra', limit, windowMs, burst: limit - 1 }),
  'token-steady': (limit, windowMs) => ({
    algorithm: 'token_bucket',
    limit,
    windowMs,
    capacity: limit,
    refill: 'continuous',
  }),
  'token-interval': (limit, windowMs) => ({
    algorithm: 'token_bucket',
    limit,
    windowMs,
    capacity: limit,
    refill: 'interval',
  }),
  leaky: (limit, windowMs) => ({ algorithm: 'leaky_bucket', limit, windowMs, queue: limit - 1 }),
  permits: (limit, windowMs) => ({ algorithm: 'concurrency', limit, leaseMs: windowMs }),
  quota: (limit) => ({ algorithm: 'quota', limit, period: 'month' }),
};

/** Algorithms that trade exactness for memory. */
export const ESTIMATE_RULES: Readonly<Record<string, (limit: number, windowMs: number) => Rule>> = {
  'sub-windows-10': (limit, windowMs) => ({
    algorithm: 'sliding_window_counter',
    limit,
    windowMs,
    buckets: 10,
  }),
  'sub-windows-60': (limit, windowMs) => ({
    algorithm: 'sliding_window_counter',
    limit,
    windowMs,
    buckets: 60,
  }),
  'two-windows': (limit, windowMs) => ({ algorithm: 'sliding_window_counter', limit, windowMs, buckets: 1 }),
};
