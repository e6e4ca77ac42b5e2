import type {
  Amended,
  Amendment,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
} from '../stores/decision-store.js';

/**
 * `owner`: batched with all jobs of the server. `slot`: with jobs of the same slot. `alone`: only with jobs of the same keys;
 * `asking`: likewise, to a migration target.
 */
export type Route = 'owner' | 'slot' | 'alone' | 'asking';

interface Job {
  /** {@link EventLoop.runningMs} when it arrived. */
  readonly sinceMs: number;
  readonly route: Route;
  /** Number of redirects so far. */
  readonly hops: number;
}

export class ChargeJob implements Job, StoreRequest {
  readonly checks: StoreRequest['checks'];
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  readonly deadlineMs?: number;

  /** @param resolve only the first call has an effect */
  constructor(
    request: StoreRequest,
    readonly resolve: (reply: StoreReply) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {
    this.checks = request.checks;
    this.peek = request.peek;
    if (request.receipt !== undefined) this.receipt = request.receipt;
    if (request.deadlineMs !== undefined) this.deadlineMs = request.deadlineMs;
  }

  withRoute(route: Route, hops = this.hops + 1): ChargeJob {
    return new ChargeJob(this, this.resolve, this.sinceMs, route, hops);
  }
}

export class AmendJob implements Job {
  constructor(
    readonly amendment: Amendment,
    readonly resolve: (reply: Amended | Unavailable) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {}

  withRoute(route: Route, hops = this.hops + 1): AmendJob {
    return new AmendJob(this.amendment, this.resolve, this.sinceMs, route, hops);
  }
}
