/** Upper bounds of the buckets, seconds: around the deadline of a decision, from a tenth of a millisecond to a second. */
export const LATENCY_BOUNDS_S: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];

/** Counts durations in fixed buckets: to observe one allocates nothing. */
export class Histogram {
  /** One more than there are bounds: the last takes what is beyond them. */
  private readonly counts = new Float64Array(LATENCY_BOUNDS_S.length + 1);
  private sumS = 0;

  observe(durationMs: number): void {
    const seconds = durationMs / 1000;
    this.sumS += seconds;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_S.length && seconds > (LATENCY_BOUNDS_S[bucket] as number)) bucket++;
    (this.counts[bucket] as number)++;
  }

  /** How many were at most as long as each bound, as Prometheus counts: the last is all of them. */
  read(): { cumulative: number[]; sumS: number } {
    let sum = 0;
    return { cumulative: Array.from(this.counts, (count) => (sum += count)), sumS: this.sumS };
  }
}
