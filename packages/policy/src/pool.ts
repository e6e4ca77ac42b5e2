import type { PoolRecord, PoolWarmUp, Priority } from '@tollgate/contracts';

/** An API's pool. Its capacity is counted in cost units over a sliding second. */
export interface Pool {
  /** Key of the shared state in Redis: `{pool:<api>:<name>}`. Tenant names contain no `:`, so no counter has this hash tag. */
  readonly key: string;
  readonly capacity: number;
  /** Capacity below this percentage that own traffic does not use may be borrowed. */
  readonly reclaimPercent: number;
  readonly warmUp?: PoolWarmUp | undefined;
}

/** A number per priority, from the one denied last to the one denied first. */
export type ByPriority = readonly [critical: number, normal: number, background: number];

export const RANK: Readonly<Record<Priority, 0 | 1 | 2>> = { critical: 0, normal: 1, background: 2 };

export function compilePool(api: string, record: PoolRecord): Pool {
  const { name, capacity, reclaimPercent, warmUp } = record;
  return { key: `{pool:${api}:${name}}`, capacity, reclaimPercent, warmUp };
}

export function sumOf([critical, normal, background]: ByPriority): number {
  return critical + normal + background;
}

/** How long the same parts are rounded up: moving a unit to another borrower takes a second and two exchanges. */
const ROTATION_MS = 2000;

/** Rounds parts to whole units, preserving their sum; the offset moves, so that no small part is always rounded to 0. */
export class Spread {
  private readonly offset: number;
  private sum = 0;
  private assigned = 0;

  constructor(nowMs: number) {
    const rotation = Math.floor(nowMs / ROTATION_MS) % 1_000_000;
    this.offset = ((rotation * 618_034) % 1_000_000) / 1_000_000;
  }

  next(part: number): number {
    this.sum += part;
    const upTo = Math.floor(this.sum + this.offset);
    const whole = upTo - this.assigned;
    this.assigned = upTo;
    return whole;
  }
}

/** Width of a bucket, ms: a unit counts for a second, plus at most this. */
export const BUCKET_MS = 10;

const BUCKETS = 1000 / BUCKET_MS + 1;

/** Several counters of events within the last second, with common buckets. */
export class SlidingSecond {
  private readonly buckets: Float64Array;
  private readonly totals: Float64Array;
  private newest = Number.NEGATIVE_INFINITY;
  private bucket = 0;

  constructor(private readonly counters: number) {
    this.buckets = new Float64Array(counters * BUCKETS);
    this.totals = new Float64Array(counters);
  }

  /** Removes expired units; a clock that is set back changes nothing. */
  advance(nowMs: number): void {
    const bucket = Math.floor(nowMs / BUCKET_MS);
    if (bucket <= this.newest) return;
    const passed = Math.min(BUCKETS, bucket - this.newest);
    for (let i = 0; i < passed; i++) {
      this.bucket = (this.bucket + 1) % BUCKETS;
      this.clearBucket();
    }
    this.newest = bucket;
  }

  /** Adds `units`; negative units undo an earlier addition. */
  add(counter: number, units: number): void {
    const at = this.bucket * this.counters + counter;
    this.buckets[at] = (this.buckets[at] ?? 0) + units;
    this.totals[counter] = (this.totals[counter] ?? 0) + units;
  }

  /** Units of the last second; never negative, although an undo may expire later than its addition. */
  total(counter: number): number {
    return Math.max(0, this.totals[counter] ?? 0);
  }

  private clearBucket(): void {
    const start = this.bucket * this.counters;
    for (let i = 0; i < this.counters; i++) {
      this.totals[i] = (this.totals[i] ?? 0) - (this.buckets[start + i] ?? 0);
      this.buckets[start + i] = 0;
    }
  }
}
