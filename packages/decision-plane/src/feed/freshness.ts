/** Default of `maxStaleMs`: a day. */
export const DEFAULT_MAX_STALE_MS = 86_400_000;

export interface FreshnessOptions {
  maxStaleMs: number;
  /** Unix ms. */
  nowMs: () => number;
  /** Called when the policy becomes stale, and when it is fresh again. */
  onStale: (isStale: boolean, ageMs: number) => void;
}

/** Measures the time since the control plane confirmed the active policy as the newest. */
export class Freshness {
  private confirmedAtMs: number | undefined;
  private reported = false;

  constructor(private readonly options: FreshnessOptions) {}

  /** The active policy was the newest at this time, Unix ms. */
  confirmed(atMs: number): void {
    if (atMs > (this.confirmedAtMs ?? -1)) this.confirmedAtMs = atMs;
  }

  /** Time of the last confirmation, Unix ms; undefined before the first policy. */
  get lastConfirmedMs(): number | undefined {
    return this.confirmedAtMs;
  }

  /** Null before the first policy. Never negative, also if the control plane's clock is ahead. */
  get ageMs(): number | null {
    return this.confirmedAtMs === undefined ? null : Math.max(0, this.options.nowMs() - this.confirmedAtMs);
  }

  /** When the policy becomes stale, Unix ms. */
  get staleFromMs(): number {
    return (this.confirmedAtMs ?? Number.POSITIVE_INFINITY) + this.options.maxStaleMs;
  }

  get isStale(): boolean {
    return this.options.nowMs() > this.staleFromMs;
  }

  /** Reports a change of staleness; called every second. */
  check(): void {
    const { isStale } = this;
    if (isStale === this.reported) return;
    this.reported = isStale;
    this.options.onStale(isStale, this.ageMs ?? 0);
  }
}
