import type { Allowed, Amended, Decision, Refused, Undecidable } from './decision.js';
import type {
  LimitRequest,
  Overrun,
  RefundRequest,
  ReportRequest,
  ReserveRequest,
  ResetRequest,
} from './request.js';

/** What is held by a reservation, until it is settled or released or its time is over. */
export interface Held {
  /** Unix ms at which it comes back by itself; null: nothing is held, as no limit applies or Tollgate could not be asked. */
  expiresAt: number | null;
  /** Puts what it really cost in the place of what was held. Once. */
  settle(cost: number, options?: { overrun?: Overrun }): Promise<Amended>;
  /** Gives it back. Once. */
  release(): Promise<Amended>;
  /** Holds it for another term. */
  renew(): Promise<Amended>;
}

/** The answer to `reserve`: allowed and held, or refused. */
export type Reservation = (Allowed & Held) | Refused;

/**
 * Asks for decisions. Every method answers within `timeoutMs`: where Tollgate gives no answer, `onUnavailable` decides; where it
 * rejects the call (an unknown tenant, a token that is not valid), `onFault` does. The decision says which.
 * @throws TollgateFault (all methods) where `onFault` is `throw`, or the sender's API key is not valid
 */
export interface Limiter {
  /** Decides one request and charges it, on all of its limits or on none. */
  limit(request: LimitRequest): Promise<Decision>;
  /** Decides each request by itself, in order; one that is wrong is told in its place and holds up no other. */
  limitMany(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]>;
  /** What `limit` would answer now; nothing is charged. */
  peek(request: LimitRequest): Promise<Decision>;
  /** Gives back what was charged. */
  refund(request: RefundRequest): Promise<Amended>;
  /** As `limit`, but only held: settle it with what it really cost, or release it. */
  reserve(request: ReserveRequest): Promise<Reservation>;
  /** Says how a request turned out, for limits that charge failures or successes only. */
  report(request: ReportRequest): Promise<Amended>;
  /** Forgets counters, as support does for a customer; the service token needs the scope `reset`. */
  reset(request: ResetRequest): Promise<Amended>;
}
