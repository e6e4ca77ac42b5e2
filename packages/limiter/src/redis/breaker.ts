/** Time over which late calls are summed. */
const WINDOW_MS = 1000;

/** Maximum contribution of one stall: below {@link OPEN_AT_MS}, so that a single stall never opens the breaker. */
const MAX_STALL_MS = 250;

/** Late time within the window at which the breaker opens. */
const OPEN_AT_MS = 400;

/** Minimum time between two state changes. */
const MIN_STATE_MS = 5000;

const PROBE_INTERVAL_MS = 1000;

/** Consecutive probes in time that close the breaker. */
const PROBES_TO_CLOSE = 4;

interface Stall {
  readonly fromMs: number;
  untilMs: number | undefined;
}

/**
 * Detects a server that is up but repeatedly late (a gray failure), where each attempt would cost a caller the whole
 * deadline. Opens within a second; while open, it admits one call a second, and closes after several calls in time, at the
 * earliest after five seconds. Neither a single stall of any length nor a lost connection opens it. Times are monotonic.
 */
export class Breaker {
  private stalls: Stall[] = [];
  private state: 'closed' | 'open' = 'closed';
  private changedMs = Number.NEGATIVE_INFINITY;
  private probedMs = Number.NEGATIVE_INFINITY;
  private probesInTime = 0;

  /** A call sent at `sentMs` missed its deadline; nothing is sent until {@link resumed} or {@link dropped}. */
  stalled(sentMs: number): void {
    this.probesInTime = 0;
    if (this.current === undefined) this.stalls.push({ fromMs: sentMs, untilMs: undefined });
  }

  resumed(nowMs: number): void {
    if (this.current !== undefined) this.current.untilMs = nowMs;
  }

  /** The connection ended: its late calls do not predict the behavior of the next connection. */
  dropped(): void {
    if (this.current !== undefined) this.stalls.pop();
  }

  answered(nowMs: number): void {
    if (this.state === 'closed') return;
    this.probesInTime++;
    if (this.probesInTime >= PROBES_TO_CLOSE && nowMs - this.changedMs >= MIN_STATE_MS)
      this.change('closed', nowMs);
  }

  /** Whether a call in time changes nothing. */
  get isClosed(): boolean {
    return this.state === 'closed';
  }

  isOpen(nowMs: number): boolean {
    if (this.state === 'closed' && this.stalls.length > 0 && nowMs - this.changedMs >= MIN_STATE_MS) {
      if (this.lateMs(nowMs) >= OPEN_AT_MS) this.change('open', nowMs);
    }
    return this.state === 'open';
  }

  /** Whether a call may be sent now: always while closed, one per second while open. */
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
    this.probesInTime = 0;
    // The calls that opened it count as the first probe.
    this.probedMs = nowMs;
  }
}
