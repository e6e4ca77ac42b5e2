import { eventLoop } from '../stores/clocks.js';

/** A call on its way. Times are {@link EventLoop.runningMs}. */
export class Flight {
  isLate = false;
  deadlineAtMs: number;

  /**
   * @param sinceMs when its oldest job arrived
   * @param onLate called once if the deadline passes before the call ends
   */
  constructor(
    readonly sentMs: number,
    sinceMs: number,
    private readonly deadlineMs: number,
    readonly onLate: () => void,
  ) {
    this.deadlineAtMs = sinceMs + deadlineMs;
  }

  /** The call is sent again, with its whole deadline. */
  restart(nowMs: number): void {
    this.deadlineAtMs = nowMs + this.deadlineMs;
  }
}

/** Watches the deadlines of calls with one timer, which stays when a call ends: a timer per call cost a tenth of a single one. */
export class Flights {
  // Not a Set: when V8 replaces the table of a Set, the former one keeps ended flights alive until the next major collection.
  private open: Flight[] = [];
  private timerAtMs = Number.POSITIVE_INFINITY;
  private cancelTimer: (() => void) | undefined;
  private isClosed = false;

  add(flight: Flight): void {
    this.open.push(flight);
    this.wakeAt(flight.deadlineAtMs);
  }

  /** The call has ended. */
  delete(flight: Flight): void {
    const at = this.open.indexOf(flight);
    if (at >= 0) this.open.splice(at, 1);
    if (this.isClosed) this.stopIfIdle();
  }

  /** Stops the timer, which keeps the process alive, when no call is on its way. */
  close(): void {
    this.isClosed = true;
    this.stopIfIdle();
  }

  private stopIfIdle(): void {
    if (this.open.length > 0) return;
    this.cancelTimer?.();
    this.timerAtMs = Number.POSITIVE_INFINITY;
  }

  private wakeAt(atMs: number): void {
    if (atMs >= this.timerAtMs) return;
    this.cancelTimer?.();
    this.timerAtMs = atMs;
    this.cancelTimer = eventLoop.at(atMs, () => this.check());
  }

  private check(): void {
    this.timerAtMs = Number.POSITIVE_INFINITY;
    const nowMs = eventLoop.runningMs();
    const late = this.open.filter(({ deadlineAtMs }) => deadlineAtMs <= nowMs);
    this.open = this.open.filter(({ deadlineAtMs }) => deadlineAtMs > nowMs);
    for (const { deadlineAtMs } of this.open) this.wakeAt(deadlineAtMs);
    for (const flight of late) {
      flight.isLate = true;
      flight.onLate();
    }
  }
}
