/** Microseconds since the Unix epoch. */
export type ClockUs = () => number;

/** The process's wall clock. */
export const systemClockUs: ClockUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** What `work` comes to, if it does so within the time; else undefined, and the work goes on. @throws whatever `work` throws in time */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

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

const REFRESH_EVERY_MS = 1000;

export interface StoreTimeOptions {
  /** Each tells a server's time, microseconds since the Unix epoch, or undefined before its first reply; the first one counts. */
  servers: readonly (() => number | undefined)[];
  /** The process's wall clock, Unix ms: used until a server has replied. */
  wallMs?: () => number;
}

/**
 * The time that everything which admits is measured by: a server's, carried on by the process's monotonic clock. The wall
 * clocks of nodes may differ by hours; counters, windows and reports all live in the server's time.
 */
export class StoreTime {
  private aheadMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly wallMs: () => number;

  constructor(private readonly options: StoreTimeOptions) {
    this.wallMs = options.wallMs ?? Date.now;
  }

  /** Unix ms, whole. */
  readonly nowMs = (): number =>
    Math.floor(this.aheadMs === undefined ? this.wallMs() : performance.now() + this.aheadMs);

  start(): void {
    this.timer = setInterval(() => this.refresh(), REFRESH_EVERY_MS);
    this.timer.unref();
  }

  /** Reads the servers' clocks; keeps the last reading where none is known. */
  refresh(): void {
    for (const server of this.options.servers) {
      const nowUs = server();
      if (nowUs === undefined) continue;
      this.aheadMs = nowUs / 1000 - performance.now();
      return;
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
