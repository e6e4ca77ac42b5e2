import type { PoolRecord, Priority } from '@tollgate/contracts';

/** An API's pool as nodes hold it. Units are those of costs; capacity is counted over a sliding second. */
export interface Pool {
  /** Where nodes meet in Redis: `{pool:<api>:<name>}`. Tenant keys hold no `:`, so no counter shares its slot tag. */
  readonly key: string;
  readonly capacity: number;
  /** Below this part of the capacity, percent, what own traffic leaves may be borrowed. */
  readonly reclaimPercent: number;
}

/** A number for each priority, from the one that is refused last to the one that is refused first. */
export type ByPriority = readonly [critical: number, normal: number, background: number];

/** Where a priority stands in every {@link ByPriority}. */
export const RANK: Readonly<Record<Priority, 0 | 1 | 2>> = { critical: 0, normal: 1, background: 2 };

/** The pool `record` of `api`, for {@link PoolBook}. */
export function compilePool(api: string, record: PoolRecord): Pool {
  const { name, capacity, reclaimPercent } = record;
  return { key: `{pool:${api}:${name}}`, capacity, reclaimPercent };
}

/** All three together. */
export function sumOf([critical, normal, background]: ByPriority): number {
  return critical + normal + background;
}

/** So long the same parts are rounded up: long enough for a unit to change hands, which takes a second and two exchanges. */
const ROTATION_MS = 2000;

/**
 * Rounds a row of parts to whole units that add up to what the parts do: each is rounded down or up. Where it begins
 * moves every two seconds by the golden ratio, so that a part of 0.3 units is one unit three tenths of the time: nobody's
 * small part is rounded to nothing for ever.
 */
export class Spread {
  private readonly offset: number;
  private sum = 0;
  private given = 0;

  constructor(nowMs: number) {
    const turn = Math.floor(nowMs / ROTATION_MS) % 1_000_000;
    this.offset = ((turn * 618_034) % 1_000_000) / 1_000_000;
  }

  /** The next part in whole units. */
  next(part: number): number {
    this.sum += part;
    const upTo = Math.floor(this.sum + this.offset);
    const whole = upTo - this.given;
    this.given = upTo;
    return whole;
  }
}

/** Width of a bucket, ms: a unit counts for a second at least, and for this much longer at most. */
export const BUCKET_MS = 10;

/** The second's, and the one that is filling. */
const BUCKETS = 1000 / BUCKET_MS + 1;

/** Several counters of what happened within the last second, in buckets that pass together. */
export class SlidingSecond {
  private readonly buckets: Float64Array;
  private readonly totals: Float64Array;
  private newest = Number.NEGATIVE_INFINITY;
  private slot = 0;

  constructor(private readonly counters: number) {
    this.buckets = new Float64Array(counters * BUCKETS);
    this.totals = new Float64Array(counters);
  }

  /** Lets pass what is over by `nowMs`; a clock that steps back changes nothing. */
  advance(nowMs: number): void {
    const bucket = Math.floor(nowMs / BUCKET_MS);
    if (bucket <= this.newest) return;
    const passed = Math.min(BUCKETS, bucket - this.newest);
    for (let i = 0; i < passed; i++) {
      this.slot = (this.slot + 1) % BUCKETS;
      this.clearSlot();
    }
    this.newest = bucket;
  }

  /** Counts `units`; negative ones take back what did not happen after all. */
  add(counter: number, units: number): void {
    const at = this.slot * this.counters + counter;
    this.buckets[at] = (this.buckets[at] ?? 0) + units;
    this.totals[counter] = (this.totals[counter] ?? 0) + units;
  }

  /** Units of the last second. Never negative, though what is taken back may outlast what it took back by a moment. */
  total(counter: number): number {
    return Math.max(0, this.totals[counter] ?? 0);
  }

  private clearSlot(): void {
    const start = this.slot * this.counters;
    for (let i = 0; i < this.counters; i++) {
      this.totals[i] = (this.totals[i] ?? 0) - (this.buckets[start + i] ?? 0);
      this.buckets[start + i] = 0;
    }
  }
}
