import type {
  Amended,
  Amendment,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
} from './decision-store.js';

/**
 * How a job is sent. `owner`: with others of its keys' slot. `alone`: with none that uses other keys; `asking`: so too,
 * to a server that a slot is being moved to.
 */
export type Route = 'owner' | 'alone' | 'asking';

interface Errand {
  /** When it was asked for, {@link EventLoop.runningMs}. */
  readonly sinceMs: number;
  readonly route: Route;
  /** How often a server has sent it elsewhere. */
  readonly hops: number;
}

/** A decision that waits for its answer. */
export class DecideJob implements Errand, StoreRequest {
  readonly checks: StoreRequest['checks'];
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  readonly deadlineMs?: number;

  /** @param settle only its first call has an effect */
  constructor(
    request: StoreRequest,
    readonly settle: (reply: StoreReply) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {
    this.checks = request.checks;
    this.peek = request.peek;
    if (request.receipt !== undefined) this.receipt = request.receipt;
    if (request.deadlineMs !== undefined) this.deadlineMs = request.deadlineMs;
  }

  sentOn(route: Route): DecideJob {
    return new DecideJob(this, this.settle, this.sinceMs, route, this.hops + 1);
  }
}

/** A change that waits for its answer. */
export class AmendJob implements Errand {
  /** @param settle only its first call has an effect */
  constructor(
    readonly amendment: Amendment,
    readonly settle: (reply: Amended | Unavailable) => void,
    readonly sinceMs: number,
    readonly route: Route = 'owner',
    readonly hops = 0,
  ) {}

  sentOn(route: Route): AmendJob {
    return new AmendJob(this.amendment, this.settle, this.sinceMs, route, this.hops + 1);
  }
}
