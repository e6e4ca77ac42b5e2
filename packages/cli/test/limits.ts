import type { FixedWindowPolicy, GcraPolicy } from '@tollgate/contracts';

const common = {
  api: 'website',
  operations: [],
  per: ['ip'],
  windowMs: 60_000,
  onUnavailable: 'share' as const,
};

/** 10 a minute per client, aligned to the clock, unless told otherwise. */
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

/** 60 a minute per client and 5 more at once, unless told otherwise. */
export function gcraLimit(over: Partial<GcraPolicy> = {}): GcraPolicy {
  return { ...common, name: 'client-rate', algorithm: 'gcra', limit: 60, burst: 5, ...over };
}
