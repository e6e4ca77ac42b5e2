import type { LimitPolicy } from '@tollgate/contracts';
import { countsInWindows, type WindowAlgorithm } from '@tollgate/contracts/limit-title';
import { groupBy } from '@tollgate/contracts/older-node';
import type {
  CompiledPolicy,
  CompiledTokenBucketInterval,
  CompiledVirtualTime,
} from '@tollgate/limiter/algorithms';

/** Requests to a limit in a part of the past. */
export interface UsageBucket {
  /** Unix ms. Times without a bucket had no requests. */
  readonly startMs: number;
  readonly ms: number;
  readonly requests: number;
  /** Cost of all requests. */
  readonly units: number;
  /** Requests that the limit denied. */
  readonly denied: number;
  /** Requests denied for another reason; they may or may not have met the limit. */
  readonly deniedElsewhere: number;
  /** Most units of a minute from a day before the bucket until its end; undefined: unknown. */
  readonly busiestMinute?: number | undefined;
  /** Whether the limit was at most as high as the one of the bounds, of its kind, and unchanged during the bucket. */
  readonly wasLower: boolean;
}

export interface DenialBounds {
  /** All requests, and those that the limit denied. */
  readonly requests: number;
  readonly denied: number;
  /** Least and most requests that it would have denied. */
  readonly low: number;
  readonly high: number;
}

export interface BoundsOptions {
  /** Only buckets from here count; those before bound the usage left in a window. */
  readonly fromMs: number;
  /** Cost of every request; null: not the same for all. */
  readonly cost: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Longest time from which usage can be left, for {@link UsageBucket.busiestMinute} to contain it. */
const BUSIEST_REACH_MS = HOUR_MS;

/**
 * Bounds of the requests that a limit would have denied, had it alone decided. The limiter's models cannot tell, because a bucket does not
 * say when its requests came. The bounds are equal where its windows coincide with buckets. Not for concurrency limits and quotas.
 * @param policy of `limit`
 * @param buckets ascending, not overlapping, and complete since at least `policy.horizonMs` before `fromMs`
 */
export function denialBounds(
  limit: LimitPolicy,
  policy: CompiledPolicy,
  buckets: readonly UsageBucket[],
  { fromMs, cost }: BoundsOptions,
): DenialBounds {
  const model = countsInWindows(limit)
    ? new Windows(limit, policy)
    : // The only kinds left: concurrency limits and quotas have no bounds here.
      new Flow(policy as CompiledTokenBucketInterval | CompiledVirtualTime);
  const joined = model.join(buckets);
  const counted = { requests: 0, denied: 0, low: 0, high: 0 };
  let uncharged = 0;
  let isCapped = cost !== null;
  for (const [i, bucket] of joined.entries()) {
    const most = cost === 0 ? 0 : model.mostDenied(joined, i, cost);
    if (bucket.startMs < fromMs) continue;
    const { requests, denied, deniedElsewhere, wasLower } = bucket;
    // Requests that were not charged then, and may be now, take the place of as many others.
    const carried = unchargedSince(joined, i, bucket.startMs - model.reachOf(bucket));
    const own = denied + deniedElsewhere;
    counted.high += cost !== null && wasLower ? Math.min(most, own + carried) : most;
    isCapped &&= wasLower;
    uncharged += counted.requests === 0 ? own + carried : own;
    counted.requests += requests;
    counted.denied += denied;
    if (cost === null || cost === 0) continue;
    counted.low += Math.max(0, requests - deniedElsewhere - Math.floor(model.mostIn(bucket) / cost));
  }
  return isCapped ? { ...counted, high: Math.min(counted.high, uncharged) } : counted;
}

function unchargedSince(buckets: readonly UsageBucket[], end: number, sinceMs: number): number {
  let sum = 0;
  for (let i = end - 1; i >= 0; i--) {
    const { startMs, ms, denied, deniedElsewhere } = buckets[i] as UsageBucket;
    if (startMs + ms <= sinceMs) break;
    sum += denied + deniedElsewhere;
  }
  return sum;
}

/** Least and most that a kind of limit admits. */
interface Model {
  join(buckets: readonly UsageBucket[]): readonly UsageBucket[];
  /** Time before the bucket from which usage can be left, ms. */
  reachOf(bucket: UsageBucket): number;
  /** The most requests of bucket `i` that can be denied; called in order. */
  mostDenied(buckets: readonly UsageBucket[], i: number, cost: number | null): number;
  /** The most units that can be admitted. */
  mostIn(bucket: UsageBucket): number;
}

type WindowLimit = Extract<LimitPolicy, { algorithm: WindowAlgorithm }>;

/** Limits of the units in a window. */
class Windows implements Model {
  private readonly units: number;
  private readonly windowMs: number;
  private readonly isOnClock: boolean;
  private readonly reachMs: number;

  constructor(limit: WindowLimit, { capacity, extra }: CompiledPolicy) {
    this.units = capacity + extra;
    this.windowMs = limit.windowMs;
    this.isOnClock = limit.algorithm === 'fixed_window' && limit.alignment === 'clock';
    // Counters weigh all units of a sub-window, the oldest of which ends a window ago.
    this.reachMs = limit.algorithm === 'sliding_window_counter' ? 2 * limit.windowMs : limit.windowMs;
  }

  /** One bucket per window, if no bucket is in two. */
  join(buckets: readonly UsageBucket[]): readonly UsageBucket[] {
    const { windowMs } = this;
    const windowOf = (ms: number) => Math.floor(ms / windowMs);
    const fits = ({ startMs, ms }: UsageBucket) => windowOf(startMs) === windowOf(startMs + ms - 1);
    if (!this.isOnClock || !buckets.every(fits)) return buckets;
    const groups = groupBy(buckets, ({ startMs }) => windowOf(startMs));
    return [...groups].map(([index, group]) => {
      const sum = (field: 'requests' | 'units' | 'denied' | 'deniedElsewhere') =>
        group.reduce((total, bucket) => total + bucket[field], 0);
      return {
        ...{ startMs: index * windowMs, ms: windowMs },
        ...{ requests: sum('requests'), units: sum('units') },
        ...{ denied: sum('denied'), deniedElsewhere: sum('deniedElsewhere') },
        wasLower: group.every(({ wasLower }) => wasLower),
      };
    });
  }

  reachOf({ startMs }: UsageBucket): number {
    return this.isOnClock && startMs % this.windowMs === 0 ? 0 : this.reachMs;
  }

  mostDenied(buckets: readonly UsageBucket[], i: number, cost: number | null): number {
    const bucket = buckets[i] as UsageBucket;
    const sinceMs = bucket.startMs - this.reachOf(bucket);
    let { requests, units } = bucket;
    for (let j = i - 1; j >= 0; j--) {
      const earlier = buckets[j] as UsageBucket;
      if (earlier.startMs + earlier.ms <= sinceMs) break;
      requests += earlier.requests;
      units += earlier.units;
    }
    if (units <= this.units || this.mostInWindow(bucket) <= this.units) return 0;
    if (cost === null) return bucket.requests;
    return Math.min(bucket.requests, Math.max(0, requests - Math.floor(this.units / cost)));
  }

  mostIn({ startMs, ms }: UsageBucket): number {
    const { windowMs, units } = this;
    if (!this.isOnClock) return (Math.ceil(ms / windowMs) + 1) * units;
    const windows = Math.floor((startMs + ms - 1) / windowMs) - Math.floor(startMs / windowMs) + 1;
    return windows * units;
  }

  /** Units of the minutes that a window can touch. */
  private mostInWindow({ busiestMinute }: UsageBucket): number {
    const { windowMs, isOnClock, reachMs } = this;
    if (busiestMinute === undefined || reachMs > BUSIEST_REACH_MS) return Number.POSITIVE_INFINITY;
    if (isOnClock && MINUTE_MS % windowMs === 0) return busiestMinute;
    if (isOnClock && windowMs % MINUTE_MS === 0) return busiestMinute * (windowMs / MINUTE_MS);
    return busiestMinute * (Math.ceil(reachMs / MINUTE_MS) + 1);
  }
}

/** Limits of a rate: a bucket that fills by the requests and empties evenly, or at the end of intervals. */
class Flow implements Model {
  private readonly burst: number;
  private readonly horizonMs: number;
  /** Units that leave at least, and at most, in a time. */
  private readonly least: (ms: number) => number;
  private readonly most: (ms: number) => number;
  /** Units that are left at most of those before the next bucket. */
  private left: number;
  private untilMs = Number.NEGATIVE_INFINITY;

  constructor(policy: CompiledTokenBucketInterval | CompiledVirtualTime) {
    this.horizonMs = policy.horizonMs;
    if ('refill' in policy) {
      const { capacity, extra, refill, windowMs } = policy;
      this.burst = capacity + extra;
      this.least = (ms) => refill * Math.floor(ms / windowMs);
      this.most = (ms) => refill * (Math.floor(ms / windowMs) + 1);
    } else {
      const intervalMs = policy.intervalUs / 1000;
      this.burst = Math.floor(policy.maxAheadUs / policy.intervalUs);
      this.least = (ms) => ms / intervalMs;
      this.most = (ms) => ms / intervalMs + 1;
    }
    this.left = this.burst;
  }

  join(buckets: readonly UsageBucket[]): readonly UsageBucket[] {
    return buckets;
  }

  reachOf(): number {
    return this.horizonMs;
  }

  mostDenied(buckets: readonly UsageBucket[], i: number, cost: number | null): number {
    const { startMs, ms, requests, units, busiestMinute } = buckets[i] as UsageBucket;
    const { burst } = this;
    const left = Number.isFinite(this.untilMs)
      ? Math.max(0, this.left - this.least(startMs - this.untilMs))
      : this.left;
    // Where no minute has more units than leave in it, those of two minutes can be there at once.
    const isEven = busiestMinute !== undefined && busiestMinute <= this.least(MINUTE_MS);
    const together = isEven ? Math.min(units, 2 * busiestMinute) : units;
    const peak = Math.max(Math.min(left + units, left + (isEven ? busiestMinute : units)), together);
    this.left = Math.min(burst, Math.max(0, left + units - this.least(ms), together));
    this.untilMs = startMs + ms;
    if (peak <= burst) return 0;
    if (cost === null) return requests;
    return Math.min(requests, Math.max(0, requests - Math.floor((burst - left) / cost)));
  }

  mostIn({ ms }: UsageBucket): number {
    return this.burst + this.most(ms);
  }
}

/** Requests to a quota on one day. */
export interface UsageDay
  extends Pick<UsageBucket, 'startMs' | 'requests' | 'units' | 'denied' | 'deniedElsewhere'> {
  /** Start of its period, Unix ms. */
  readonly periodMs: number;
}

/**
 * The same for a quota: exact, except for requests denied for another reason.
 * @param days ascending, complete since the start of the first period
 * @param once units in addition to `capacity` that are used once, not in each period
 */
export function quotaBounds(
  capacity: number,
  days: readonly UsageDay[],
  { fromMs, cost }: BoundsOptions,
  once = 0,
): DenialBounds {
  const counted = { requests: 0, denied: 0, low: 0, high: 0 };
  let [leastOnce, mostOnce] = [0, 0];
  for (const period of groupBy(days, ({ periodMs }) => periodMs).values()) {
    const inRange = period.filter(({ startMs }) => startMs >= fromMs);
    const requests = sumOf(inRange, 'requests');
    counted.requests += requests;
    counted.denied += sumOf(inRange, 'denied');
    if (sumOf(period, 'units') <= capacity || cost === 0) continue;
    if (cost === null) {
      mostOnce += requests;
      continue;
    }
    const admitted = Math.floor(capacity / cost);
    const beyond = (all: number, own: number) => Math.max(0, Math.min(own, all - admitted));
    const [all, elsewhere] = [sumOf(period, 'requests'), sumOf(period, 'deniedElsewhere')];
    mostOnce += beyond(all, requests);
    leastOnce += beyond(all - elsewhere, requests - sumOf(inRange, 'deniedElsewhere'));
  }
  if (cost === null) return { ...counted, high: mostOnce };
  const fitting = cost === 0 ? 0 : once / cost;
  return {
    ...counted,
    low: Math.max(0, leastOnce - Math.floor(fitting)),
    high: Math.max(0, mostOnce - Math.floor(fitting)),
  };
}

function sumOf(
  days: readonly UsageDay[],
  field: 'requests' | 'units' | 'denied' | 'deniedElsewhere',
): number {
  return days.reduce((sum, day) => sum + day[field], 0);
}
