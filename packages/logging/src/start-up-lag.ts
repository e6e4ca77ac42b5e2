import type { LagBound } from './admission.js';

/** The event loop is calm when its average lag was at most half of the bound for this long. */
const CALM_FOR_MS = 500;

/** Longest time until the loop counts as calm: on a machine without spare CPU, a lagging node is better than none. */
const CALM_WITHIN_MS = 10_000;

const CHECK_EVERY_MS = 50;

/** How long requests wait for a lagging loop after it was calm for the first time: code that runs first is slow. */
const PATIENT_FOR_MS = 10_000;

/** Longest average lag meanwhile, ms; as long as a decision waits for CPU to reach Redis. */
const PATIENT_MAX_MS = 1000;

export interface StartUpLagOptions {
  readonly lagMs: () => number;
  /** Bound after the start. */
  readonly maxMs: number;
  readonly onCalm: () => void;
  /** Monotonic; default: the process's clock. */
  readonly clockMs?: () => number;
}

/**
 * The lag of a process that has just started: its loop lags while it loads and compiles code, which soon ends, so it is not ready
 * before its loop is calm, and its first requests wait instead of being shed.
 */
export class StartUpLag implements LagBound {
  readonly lagMs: () => number;
  maxMs: number;
  private readonly clockMs: () => number;
  private readonly startedMs: number;
  private calmSinceMs: number | undefined;
  private calmAtMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: StartUpLagOptions) {
    this.lagMs = options.lagMs;
    this.maxMs = Math.max(PATIENT_MAX_MS, options.maxMs);
    this.clockMs = options.clockMs ?? (() => performance.now());
    this.startedMs = this.clockMs();
  }

  start(): void {
    this.timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  }

  /** Whether the loop has been calm since the start. */
  get isCalm(): boolean {
    return this.calmAtMs !== undefined;
  }

  /** Called regularly: an admission must not read a clock. */
  check(): void {
    const nowMs = this.clockMs();
    const { lagMs, maxMs, onCalm } = this.options;
    if (this.calmAtMs !== undefined) {
      if (nowMs - this.calmAtMs < PATIENT_FOR_MS) return;
      this.maxMs = maxMs;
      clearInterval(this.timer);
      return;
    }
    const lags = lagMs() > maxMs / 2;
    this.calmSinceMs = lags ? undefined : (this.calmSinceMs ?? nowMs);
    const isCalm = this.calmSinceMs !== undefined && nowMs - this.calmSinceMs >= CALM_FOR_MS;
    if (!isCalm && nowMs - this.startedMs < CALM_WITHIN_MS) return;
    this.calmAtMs = nowMs;
    onCalm();
  }
}
