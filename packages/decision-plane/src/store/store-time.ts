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
