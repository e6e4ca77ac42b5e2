import { afterEach, beforeEach, vi } from 'vitest';
import { eventLoop } from '../src/stores/clocks.js';
import { FakeClock } from '../src/testing/fake-clock.js';

/** The time of deadlines, moved by the test only. */
export class HandTime {
  private clock = new FakeClock();
  private blockedMs = 0;

  nowMs(): number {
    return this.clock.nowMs() + this.blockedMs;
  }

  /** Lets deadlines pass. */
  advanceMs(ms: number): void {
    this.clock.advanceMs(ms);
  }

  /** Time in which the process lacks CPU: no deadline passes. */
  blockMs(ms: number): void {
    this.blockedMs += ms;
  }

  /** Replaces the time of the process until mocks are restored. */
  install(): void {
    this.clock = new FakeClock();
    this.blockedMs = 0;
    vi.spyOn(eventLoop, 'nowMs').mockImplementation(() => this.nowMs());
    vi.spyOn(eventLoop, 'runningMs').mockImplementation(() => this.clock.nowMs());
    vi.spyOn(eventLoop, 'at').mockImplementation((atMs, onPassed) =>
      this.clock.schedule(onPassed, atMs - this.clock.nowMs()),
    );
  }
}

/** Registers such a time for each test of the file. */
export function useHandTime(): HandTime {
  const time = new HandTime();
  beforeEach(() => time.install());
  afterEach(() => vi.restoreAllMocks());
  return time;
}
