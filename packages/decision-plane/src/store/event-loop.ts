const TICK_MS = 10;

/** Timers of an idle event loop fire at most this much late. */
const TOLERANCE_MS = 2;

/** Time constant of the lag average. */
const AVERAGE_OVER_MS = 250;

/**
 * Measures how long the event loop was blocked: by the program, a garbage collection, or a kernel that ran other processes.
 *
 * A timer fires every 10 ms. Its delay counts as blocked time.
 */
export class EventLoop {
  private timer: NodeJS.Timeout | undefined;
  private tickedMs = 0;
  private blockedMs = 0;
  private averageMs = 0;

  /**
   * Milliseconds on a monotonic clock that stops while the event loop is blocked. Deadlines measured by it do not count
   * time in which this process could not read an answer.
   */
  readonly runningMs = (): number => {
    const nowMs = performance.now();
    return nowMs - this.blockedMs - this.lateMs(nowMs);
  };

  /** Average lag of the event loop, ms; weighted by time, older samples fade within about 250 ms. */
  readonly lagMs = (): number => {
    this.start();
    return this.averageMs;
  };

  private lateMs(nowMs: number): number {
    this.start();
    const lateMs = nowMs - this.tickedMs - TICK_MS - TOLERANCE_MS;
    return lateMs > 0 ? lateMs : 0;
  }

  private start(): void {
    if (this.timer !== undefined) return;
    this.tickedMs = performance.now();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  private tick(): void {
    const nowMs = performance.now();
    const lateMs = this.lateMs(nowMs);
    const weight = 1 - Math.exp((this.tickedMs - nowMs) / AVERAGE_OVER_MS);
    this.averageMs += weight * (lateMs - this.averageMs);
    this.blockedMs += lateMs;
    this.tickedMs = nowMs;
  }
}

/** The event loop of this process. */
export const eventLoop = new EventLoop();
