import type { StoreReply, UnavailableReason } from '../store/decision-store.js';

/** So long after the last decision without the counters, they are back. */
const RECOVERED_AFTER_MS = 1000;

export interface AvailabilityOptions {
  /** Once an outage. */
  onDegraded: (cause: string) => void;
  /** Once an outage, with how many decisions were made without the counters. */
  onRecovered: (decisions: number) => void;
  /** Monotonic; left out: the process's. */
  clockMs?: () => number;
}

/**
 * Whether the counters can be asked, by what became of decisions. In a cluster some may be away while others answer: only
 * a while without a degraded decision is a recovery.
 */
export class Availability {
  private readonly clockMs: () => number;
  private decisions = 0;
  private lastMs = 0;
  private lastFailure = 'not connected yet';

  constructor(private readonly options: AvailabilityOptions) {
    this.clockMs = options.clockMs ?? (() => performance.now());
  }

  /** Whether decisions are, or were just now, made without the counters. */
  get degraded(): boolean {
    return this.decisions > 0;
  }

  /** What last went wrong. */
  get cause(): string {
    return this.lastFailure;
  }

  /** Takes note of a call that was late or failed: the cause of what follows. */
  failed(reason: UnavailableReason, error?: unknown): void {
    this.lastFailure = error instanceof Error ? `${reason}: ${error.message}` : reason;
  }

  /** Takes note of the store's reply to a decision. */
  note(reply: StoreReply): void {
    if (!reply.available) {
      this.decisions++;
      this.lastMs = this.clockMs();
      if (this.decisions === 1) this.options.onDegraded(this.lastFailure);
    } else if (this.degraded && this.clockMs() - this.lastMs >= RECOVERED_AFTER_MS) {
      const { decisions } = this;
      this.decisions = 0;
      this.options.onRecovered(decisions);
    }
  }
}
