import type { AlgorithmName, FixedWindowPolicy, GcraPolicy, PolicyOf } from '@tollgate/contracts';

const unwindowed = { api: 'website', operations: [], per: ['ip'], onUnavailable: 'share' as const };
const common = { ...unwindowed, windowMs: 60_000 };

/** 10 per minute per client, aligned to the clock; `over` overrides fields. */
export function windowLimit(over: Partial<FixedWindowPolicy> = {}): FixedWindowPolicy {
  return {
    ...common,
    name: 'client-minute',
    algorithm: 'fixed_window',
    alignment: 'clock',
    limit: 10,
    ...over,
  };
}

/** 60 per minute per client plus a burst of 5; `over` overrides fields. */
export function gcraLimit(over: Partial<GcraPolicy> = {}): GcraPolicy {
  return { ...common, name: 'client-rate', algorithm: 'gcra', limit: 60, burst: 5, ...over };
}

const KINDS: { [A in AlgorithmName]: PolicyOf<A> } = {
  fixed_window: windowLimit(),
  sliding_window_log: { ...common, name: 'client-log', algorithm: 'sliding_window_log', limit: 10 },
  sliding_window_counter: {
    ...common,
    name: 'client-steps',
    algorithm: 'sliding_window_counter',
    limit: 10,
    buckets: 6,
  },
  token_bucket: {
    ...common,
    name: 'client-bucket',
    algorithm: 'token_bucket',
    limit: 60,
    capacity: 100,
    refill: 'continuous',
  },
  leaky_bucket: { ...common, name: 'client-queue', algorithm: 'leaky_bucket', limit: 60, queue: 5 },
  gcra: gcraLimit(),
  concurrency: { ...unwindowed, name: 'client-slots', algorithm: 'concurrency', limit: 5, leaseMs: 30_000 },
  quota: { ...unwindowed, name: 'client-day', algorithm: 'quota', limit: 10, period: 'day' },
};

/** A limit per client of any kind, changed. */
export function limitOf<A extends AlgorithmName>(algorithm: A, over: Partial<PolicyOf<A>> = {}): PolicyOf<A> {
  return { ...(KINDS[algorithm] as PolicyOf<A>), ...over };
}
