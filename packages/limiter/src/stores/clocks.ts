import { withResolvers } from '@tollgate/contracts/older-node';
import type { Redis } from 'ioredis';

/** Microseconds since the Unix epoch. */
export type ClockUs = () => number;

export const systemClockUs: ClockUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** Unix ms. @throws connection errors */
export async function readTimeMs(redis: Pick<Redis, 'time'>): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

const TICK_MS = 10;

/** Timer delay of an idle event loop. */
const TOLERANCE_MS = 2;

const AVERAGE_OVER_MS = 250;

/** The time of deadlines. Measures how long the event loop was blocked: the delay of a timer that fires every 10 ms. */
export class EventLoop {
  private timer: NodeJS.Timeout | undefined;
  private tickedMs = 0;
  private blockedMs = 0;
  private averageMs = 0;

  /** A monotonic clock, ms. */
  readonly nowMs = (): number => performance.now();

  /**
   * A monotonic clock, ms, that stops while the event loop is blocked and the process cannot read a reply.
   * @param nowMs {@link nowMs}, if the caller has read it
   */
  readonly runningMs = (nowMs = this.nowMs()): number => nowMs - this.blockedMs - this.lateMs(nowMs);

  /** Average lag, ms; older samples fade within about 250 ms. */
  readonly lagMs = (): number => {
    this.start();
    return this.averageMs;
  };

  /** Calls `onPassed` once when {@link runningMs} reaches `atMs`. @returns a function that cancels it */
  readonly at = (atMs: number, onPassed: () => void): (() => void) => {
    let isDone = false;
    let timer: NodeJS.Timeout | undefined;
    const check = () => {
      if (isDone) return;
      if (this.runningMs() < atMs) wait();
      else onPassed();
    };
    const wait = () => {
      // The event loop reads sockets before it runs immediates, so a reply that has arrived still counts.
      timer = setTimeout(() => setImmediate(check), Math.max(0, atMs - this.runningMs()));
    };
    wait();
    return () => {
      isDone = true;
      clearTimeout(timer);
    };
  };

  private lateMs(nowMs: number): number {
    this.start();
    const lateMs = nowMs - this.tickedMs - TICK_MS - TOLERANCE_MS;
    return Math.max(lateMs, 0);
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

export const eventLoop = new EventLoop();

/**
 * Result of `work` if it settles within `ms` in which the event loop runs; undefined otherwise, without canceling it.
 * @throws errors of `work` in time
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = withResolvers<undefined>();
  const cancel = eventLoop.at(eventLoop.runningMs() + ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

/** Maximum rate difference of two clocks, as a fraction: NTP slews no faster. */
const DRIFT = 0.0005;

/**
 * Estimates a server's time from its replies, never ahead of the server. Its clock is ahead of the local one by at least
 * `nowUs - receivedMs` and at most `nowUs - sentMs`. The largest lower bound is kept until a reply contradicts it: then the
 * clock was set back, or the server was replaced.
 */
export class ServerClock {
  private leastAheadUs: number | undefined;
  private learnedMs = 0;

  /** `sentMs` and `receivedMs` are local monotonic times; `nowUs` is the server's time in microseconds. */
  learn(nowUs: number, sentMs: number, receivedMs: number): void {
    const leastUs = nowUs - receivedMs * 1000;
    const mostUs = nowUs - sentMs * 1000;
    const known = this.aheadUs(receivedMs);
    if (known !== undefined && leastUs < known && known <= mostUs) return;
    this.leastAheadUs = leastUs;
    this.learnedMs = receivedMs;
  }

  /** Estimated server time at `atMs` of the local clock, in microseconds; undefined before the first reply. */
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
  /** Server times, microseconds since the Unix epoch; undefined before a reply. The first defined one is used. */
  servers: readonly (() => number | undefined)[];
  /** The process's wall clock, Unix ms; used until a server has replied. */
  wallMs?: () => number;
}

/**
 * A server's time, extrapolated by the process's monotonic clock, for everything that affects admission: the wall clocks of
 * nodes may differ by hours.
 */
export class StoreTime {
  private aheadMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly wallMs: () => number;

  constructor(private readonly options: StoreTimeOptions) {
    this.wallMs = options.wallMs ?? Date.now;
  }

  /** Unix ms, integer. @param monotonicMs `performance.now()`, if it was just read */
  readonly nowMs = (monotonicMs?: number): number =>
    Math.floor(
      this.aheadMs === undefined ? this.wallMs() : (monotonicMs ?? performance.now()) + this.aheadMs,
    );

  start(): void {
    this.timer = setInterval(() => this.refresh(), REFRESH_EVERY_MS).unref();
  }

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
