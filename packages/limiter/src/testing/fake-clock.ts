interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A manual clock with timers. */
export class FakeClock {
  private timers: Timer[] = [];

  /** @param now milliseconds since the Unix epoch; default 2026-01-01T00:00:00Z */
  constructor(private now: number = Date.UTC(2026, 0, 1)) {}

  /** Milliseconds since the Unix epoch. */
  nowMs(): number {
    return this.now;
  }

  /** Microseconds since the Unix epoch. */
  nowUs(): number {
    return this.now * 1000;
  }

  /** Moves the clock, backwards if negative, and runs due timers, each at its time. */
  advanceMs(ms: number): void {
    const target = this.now + ms;
    for (;;) {
      const due = this.timers.filter(({ atMs }) => atMs <= target).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.now = Math.max(this.now, due.atMs);
      due.run();
    }
    this.now = target;
  }

  /** Runs a callback once, after `delayMs` of this clock; returns a function that cancels it. */
  schedule(run: () => void, delayMs: number): () => void {
    const timer = { atMs: this.now + delayMs, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }
}
