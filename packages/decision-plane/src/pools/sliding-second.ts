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
