export const SHED_REASONS = ['in_flight', 'event_loop_lag'] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

/** Sheds requests while the average lag of the event loop is above a bound. */
export interface LagBound {
  readonly lagMs: () => number;
  readonly maxMs: number;
  /** Whether the event loop has been calm since the start of the process; default: yes. */
  readonly isCalm?: boolean;
}

/**
 * Limits concurrent requests. Sheds the excess unread, because a queue would delay every request beyond its deadline.
 * The limit also bounds the duration of one event-loop iteration.
 */
export class Admission {
  private inFlight = 0;

  constructor(
    private readonly maxInFlight: number,
    private readonly lag?: LagBound,
  ) {}

  /** Undefined: the request would be admitted. */
  shedReason(): ShedReason | undefined {
    if (this.inFlight >= this.maxInFlight) return 'in_flight';
    if (this.lag !== undefined && this.lag.lagMs() > this.lag.maxMs) return 'event_loop_lag';
    return undefined;
  }

  /** @returns undefined: the request is in flight until `leave` */
  enter(): ShedReason | undefined {
    const reason = this.shedReason();
    if (reason === undefined) this.inFlight++;
    return reason;
  }

  leave(): void {
    this.inFlight--;
  }
}
