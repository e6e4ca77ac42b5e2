export const DEFAULT_MAX_STALE_MS = 86_400_000;

export interface FreshnessOptions {
  maxStaleMs: number;
  /** Unix ms. */
  nowMs: () => number;
  /** Called when the policy becomes stale, and when it is fresh again. */
  onStale: (isStale: boolean, ageMs: number) => void;
}

export class Freshness {
  private confirmedAtMs: number | undefined;
  private reported = false;

  constructor(private readonly options: FreshnessOptions) {}

  confirmed(atMs: number): void {
    if (atMs > (this.confirmedAtMs ?? -1)) this.confirmedAtMs = atMs;
  }

  get lastConfirmedMs(): number | undefined {
    return this.confirmedAtMs;
  }

  /** Never negative, also if the control plane's clock is ahead. */
  get ageMs(): number | null {
    return this.confirmedAtMs === undefined ? null : Math.max(0, this.options.nowMs() - this.confirmedAtMs);
  }

  get staleFromMs(): number {
    return (this.confirmedAtMs ?? Number.POSITIVE_INFINITY) + this.options.maxStaleMs;
  }

  get isStale(): boolean {
    return this.options.nowMs() > this.staleFromMs;
  }

  check(): void {
    const { isStale } = this;
    if (isStale === this.reported) return;
    this.reported = isStale;
    this.options.onStale(isStale, this.ageMs ?? 0);
  }
}
