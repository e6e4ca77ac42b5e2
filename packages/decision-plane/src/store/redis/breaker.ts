/** How far back lateness is looked at. */
const WINDOW_MS = 1000;

/** As much as one stall counts at most: less than what opens, so that a single one, however long, never does. */
const MAX_STALL_MS = 250;

/** Opens when so much of the window was spent on calls that came late. */
const OPENS_AT_MS = 400;

/** Time between two changes, at least. */
const HOLD_MS = 5000;

const PROBE_INTERVAL_MS = 1000;

/** Closes after so many probes in a row that were answered in time. */
const GOOD_PROBES = 4;

interface Stall {
  /** When the call was sent that came late. */
  readonly fromMs: number;
  /** When the lane went on; undefined while it waits. */
  untilMs: number | undefined;
}

/**
 * Finds a server that lives and answers too late again and again (a grey failure), where each attempt would cost a
 * caller the whole deadline.
 *
 * Opens within a second of it: open, it lets one call a second through, and closes when several in a row were answered
 * in time, five seconds after it opened at the earliest. A single stall of any length does not open it, nor does a lost
 * connection: after a freeze or a restart the server is asked again at once.
 *
 * Times are milliseconds of a clock that never steps back, passed in.
 */
export class Breaker {
  private stalls: Stall[] = [];
  private state: 'closed' | 'open' = 'closed';
  private changedMs = Number.NEGATIVE_INFINITY;
  private probedMs = Number.NEGATIVE_INFINITY;
  private goodProbes = 0;

  /** A call that was sent at `sentMs` is past its deadline; nothing is sent until {@link resumed} or {@link dropped}. */
  stalled(sentMs: number): void {
    this.goodProbes = 0;
    if (this.current === undefined) this.stalls.push({ fromMs: sentMs, untilMs: undefined });
  }

  /** All late calls came back. */
  resumed(nowMs: number): void {
    if (this.current !== undefined) this.current.untilMs = nowMs;
  }

  /** The connection ended: whatever was late on it says nothing about the next one. */
  dropped(): void {
    if (this.current !== undefined) this.stalls.pop();
  }

  /** A call was answered in time. */
  answered(nowMs: number): void {
    if (this.state === 'closed') return;
    this.goodProbes++;
    if (this.goodProbes >= GOOD_PROBES && nowMs - this.changedMs >= HOLD_MS) this.change('closed', nowMs);
  }

  isOpen(nowMs: number): boolean {
    if (this.state === 'closed' && this.stalls.length > 0 && nowMs - this.changedMs >= HOLD_MS) {
      if (this.lateMs(nowMs) >= OPENS_AT_MS) this.change('open', nowMs);
    }
    return this.state === 'open';
  }

  /** Whether a call may be sent now: any while closed, one a second while open. */
  admits(nowMs: number): boolean {
    if (!this.isOpen(nowMs)) return true;
    if (nowMs - this.probedMs < PROBE_INTERVAL_MS) return false;
    this.probedMs = nowMs;
    return true;
  }

  private get current(): Stall | undefined {
    const last = this.stalls.at(-1);
    return last?.untilMs === undefined ? last : undefined;
  }

  /** How much of the window ending now was lost to stalls. */
  private lateMs(nowMs: number): number {
    const sinceMs = nowMs - WINDOW_MS;
    this.stalls = this.stalls.filter(({ untilMs = nowMs }) => untilMs > sinceMs);
    return this.stalls.reduce((sum, { fromMs, untilMs = nowMs }) => {
      return sum + Math.min(MAX_STALL_MS, untilMs - Math.max(fromMs, sinceMs));
    }, 0);
  }

  private change(state: 'closed' | 'open', nowMs: number): void {
    this.state = state;
    this.changedMs = nowMs;
    this.stalls = this.stalls.filter(({ untilMs }) => untilMs === undefined);
    this.goodProbes = 0;
    // The callers of just now were the probe.
    this.probedMs = nowMs;
  }
}
