/** How old the policy may be by default, ms: a day. */
export const DEFAULT_MAX_STALE_MS = 86_400_000;

export interface FreshnessOptions {
  maxStaleMs: number;
  /** Unix ms. */
  nowMs: () => number;
  /** Told once when the policy has become too old, and once when it is no longer. */
  onStale: (isStale: boolean, ageMs: number) => void;
}

/** How long ago the control plane said that the policy in force is the newest. */
export class Freshness {
  private confirmedAtMs: number | undefined;
  private told = false;

  constructor(private readonly options: FreshnessOptions) {}

  /** The policy in force was the newest at that time, unix ms. */
  confirmed(atMs: number): void {
    if (atMs > (this.confirmedAtMs ?? -1)) this.confirmedAtMs = atMs;
  }

  /** When it was last confirmed, unix ms; undefined before the first policy. */
  get lastConfirmedMs(): number | undefined {
    return this.confirmedAtMs;
  }

  /** Null before the first policy. A control plane whose clock is ahead makes it no younger than 0. */
  get ageMs(): number | null {
    return this.confirmedAtMs === undefined ? null : Math.max(0, this.options.nowMs() - this.confirmedAtMs);
  }

  /** From when on the policy is too old, unix ms. */
  get staleFromMs(): number {
    return (this.confirmedAtMs ?? Number.POSITIVE_INFINITY) + this.options.maxStaleMs;
  }

  get isStale(): boolean {
    return this.options.nowMs() > this.staleFromMs;
  }

  /** Tells what has changed; called every second. */
  check(): void {
    const { isStale } = this;
    if (isStale === this.told) return;
    this.told = isStale;
    this.options.onStale(isStale, this.ageMs ?? 0);
  }
}
