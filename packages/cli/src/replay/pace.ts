/**
 * When each line of a log is due. The first is due at once, the others as much later as the log says, divided by the
 * speed. A line whose time lies before that of an earlier one is due with that: order is kept.
 */
export class Pace {
  private startMs: number | undefined;
  private firstAtMs = 0;
  private latestAtMs = 0;

  /** @param speed 1: as recorded; 60: an hour in a minute */
  constructor(private readonly speed: number) {}

  /**
   * @param atMs the line's time, unix ms
   * @param nowMs now, on any clock that never goes back
   * @returns when the line is due, on the clock of `nowMs`
   */
  dueMs(atMs: number, nowMs: number): number {
    if (this.startMs === undefined) {
      this.startMs = nowMs;
      this.firstAtMs = atMs;
      this.latestAtMs = atMs;
    }
    this.latestAtMs = Math.max(this.latestAtMs, atMs);
    return this.startMs + (this.latestAtMs - this.firstAtMs) / this.speed;
  }
}
