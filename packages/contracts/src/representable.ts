import {
  type LimitPolicy,
  MAX_LOG_LIMIT,
  MAX_LOG_UNITS,
  MAX_PERMITS,
  MAX_ROUNDING,
  MAX_WINDOW_MS,
} from './limit-policy.js';
import { isBlocking } from './limit-scope.js';

/** Counts up to this can be scaled and added exactly. */
const MAX_COUNT = 2 ** 52;

type Rated = Extract<LimitPolicy, { algorithm: 'gcra' | 'token_bucket' | 'leaky_bucket' }>;

/**
 * Returns the nearest limit that can be counted exactly, so that an adjusted limit always compiles. Drops the throttle
 * band or the lease where the limit is too low for them. @param base compiles
 */
export function representable(wanted: LimitPolicy, base: LimitPolicy): LimitPolicy {
  if (isBlocking(wanted)) return wanted;
  const limit = Math.min(wanted.limit, Math.max(mostOf(wanted), base.limit));
  const policy = withBand({ ...wanted, limit });
  switch (policy.algorithm) {
    case 'gcra':
    case 'leaky_bucket':
      return rated(policy);
    case 'token_bucket':
      return policy.refill === 'continuous' ? rated(policy) : refilled(policy);
    default:
      return policy;
  }
}

/** The highest limit that the algorithm's `compile` accepts. */
function mostOf(policy: LimitPolicy): number {
  switch (policy.algorithm) {
    case 'sliding_window_log': {
      const { throttle, windowMs } = policy;
      const waiting = throttle?.mode === 'queue' ? Math.ceil(throttle.maxDelayMs / windowMs) : 0;
      return Math.min(
        MAX_LOG_LIMIT,
        withinBand(policy, MAX_LOG_UNITS),
        Math.floor(MAX_LOG_UNITS / (1 + waiting)),
      );
    }
    case 'sliding_window_counter':
      return withinBand(
        policy,
        policy.buckets === 1 ? Math.floor(Number.MAX_SAFE_INTEGER / policy.windowMs) : MAX_COUNT,
      );
    case 'concurrency':
      return withinBand(policy, MAX_PERMITS);
    case 'fixed_window':
    case 'gcra':
    case 'token_bucket':
    case 'leaky_bucket':
    case 'quota':
      return withinBand(policy, MAX_COUNT);
  }
}

function percentOf({ throttle }: LimitPolicy): number {
  if (throttle?.mode === 'soft') return throttle.percent;
  return throttle?.mode === 'elastic' ? throttle.maxPercent : 0;
}

/** The highest limit that, with its band, is at most `most`. */
function withinBand(policy: LimitPolicy, most: number): number {
  return Math.max(1, Number((BigInt(most) * 100n) / BigInt(100 + percentOf(policy))));
}

function extraOf(policy: LimitPolicy): number {
  return Math.floor((policy.limit * percentOf(policy)) / 100);
}

/** A band of less than one request allows nothing. */
function withBand(policy: LimitPolicy): LimitPolicy {
  return percentOf(policy) > 0 && extraOf(policy) < 1 ? withoutThrottle(policy) : policy;
}

function withoutThrottle<P extends LimitPolicy>({ throttle: _, ...policy }: P): P {
  return policy as P;
}

/** Fits spacing to whole microseconds, capacity to 366 days, and leases to the capacity. */
function rated(policy: Rated): LimitPolicy {
  const spaced = { ...policy, limit: spacedLimit(policy) };
  const intervalUs = Math.ceil((spaced.windowMs * 1000) / spaced.limit);
  const { throttle, consistency } = spaced;
  const delayUs = throttle?.mode === 'queue' ? throttle.maxDelayMs * 1000 : 0;
  const keptOf = (leaseMs: number) => Math.ceil((leaseMs * 1000) / intervalUs);
  const kept = consistency?.mode === 'leased' ? keptOf(consistency.leaseMs) : 0;
  const room = Math.floor((MAX_WINDOW_MS * 1000 - delayUs) / intervalUs) - extraOf(spaced);
  // Drops the band if even one request with it takes too long.
  if (room < 1) return rated(withoutThrottle(spaced));
  const fitted = withCapacity(spaced, Math.min(capacityOf(spaced), room + kept));
  return kept > 0 && capacityOf(fitted) <= kept ? rated(unleased(fitted)) : fitted;
}

function unleased({ consistency: _, ...policy }: Rated): Rated {
  return policy as Rated;
}

/** The highest limit whose spacing needs little enough rounding. */
function spacedLimit({ limit, windowMs }: Rated): number {
  const windowUs = windowMs * 1000;
  for (let intervalUs = Math.ceil(windowUs / limit); ; intervalUs++) {
    const least = windowUs / intervalUs;
    const highest = Math.min(limit, Math.floor(least * (1 + MAX_ROUNDING)));
    if (highest < least) continue;
    if ((intervalUs * highest) / windowUs - 1 <= MAX_ROUNDING) return highest;
    if (highest - 1 >= least) return highest - 1;
  }
}

function capacityOf(policy: Rated): number {
  if (policy.algorithm === 'gcra') return policy.burst + 1;
  return policy.algorithm === 'leaky_bucket' ? policy.queue + 1 : policy.capacity;
}

function withCapacity(policy: Rated, capacity: number): Rated {
  if (policy.algorithm === 'gcra') return { ...policy, burst: capacity - 1 };
  if (policy.algorithm === 'leaky_bucket') return { ...policy, queue: capacity - 1 };
  return { ...policy, capacity };
}

/** Full again within 366 days. */
function refilled(policy: Extract<LimitPolicy, { algorithm: 'token_bucket' }>): LimitPolicy {
  const refills = Math.floor(MAX_WINDOW_MS / policy.windowMs);
  const room = Math.min(MAX_COUNT, refills * policy.limit) - extraOf(policy);
  if (room < 1) return refilled(withoutThrottle(policy));
  return { ...policy, capacity: Math.min(policy.capacity, room) };
}
