/** What a clock may run faster or slower than another, as a part of the time passed: NTP slews no faster. */
const DRIFT = 0.0005;

/**
 * Tells a server's time from what its replies said, on the safe side: never later than it is.
 *
 * A reply that was sent for at `sentMs` and came at `receivedMs` was made in between, so the server's clock is ahead of
 * ours by `nowUs - receivedMs` at least and by `nowUs - sentMs` at most. The best lower bound is kept, and given up when
 * a reply contradicts it: the server's clock was set back, or it is another server.
 */
export class ServerClock {
  private leastAheadUs: number | undefined;
  private learnedMs = 0;

  /** Times of ours: milliseconds of a clock that never steps back. `nowUs`: the server's, microseconds. */
  learn(nowUs: number, sentMs: number, receivedMs: number): void {
    const leastUs = nowUs - receivedMs * 1000;
    const mostUs = nowUs - sentMs * 1000;
    const known = this.aheadUs(receivedMs);
    if (known !== undefined && leastUs < known && known <= mostUs) return;
    this.leastAheadUs = leastUs;
    this.learnedMs = receivedMs;
  }

  /** The server's time at `atMs` of our clock or a little before, whole microseconds; undefined before a reply. */
  atUs(atMs: number): number | undefined {
    const ahead = this.aheadUs(atMs);
    return ahead === undefined ? undefined : Math.floor(atMs * 1000 + ahead);
  }

  private aheadUs(atMs: number): number | undefined {
    if (this.leastAheadUs === undefined) return undefined;
    return this.leastAheadUs - Math.max(0, atMs - this.learnedMs) * 1000 * DRIFT;
  }
}
