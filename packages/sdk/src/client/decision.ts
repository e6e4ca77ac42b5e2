import { type LimitAnswer, type Reason } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { type Unavailable } from './errors.js';
import {
  type LimitRequest,
  type Overrun,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
} from './requests.js';

type DenialReason = Extract<
  Reason,
  | 'RATE_EXCEEDED'
  | 'QUOTA_EXCEEDED'
  | 'CONCURRENCY_EXCEEDED'
  | 'ATTEMPTS_IN_FLIGHT'
  | 'POOL_EXHAUSTED'
  | 'BLOCKED'
  | 'EXEMPT'
  | 'DEGRADED'
>;

interface DecisionFacts extends Omit<LimitAnswer, 'success' | 'retryAfter' | 'reason'> {
  /** Why Tollgate gave no answer and `onUnavailable` decided; null: it answered. */
  unavailable: Unavailable | null;
  /** Why Tollgate rejected the call and `onFault` decided; null: it did not. */
  fault: Problem | null;
}

/** The request may pass, after `delayMs` where that is not 0. */
export interface Allowed extends DecisionFacts {
  success: true;
  retryAfter: 0;
  reason: Exclude<Reason, Exclude<DenialReason, 'DEGRADED'>>;
}

/** The request is denied, and nothing was charged. */
export interface Denied extends DecisionFacts {
  success: false;
  /** Whole seconds; null: waiting does not help, because the cost exceeds the limit. */
  retryAfter: number | null;
  reason: DenialReason;
}

/** Decision on one request; discriminated by `success`. */
export type Decision = Allowed | Denied;

/** A request of `limitMany` that could not be decided, because something is wrong with it. */
export interface Undecidable {
  success: null;
  problem: Problem;
}

/** Result of an operation on an earlier charge. */
export interface Amended {
  /**
   * `done`: already done before. `not_found`: the request id is unknown or expired. `rejected`: the settlement
   * exceeds the limit. `unavailable`: Tollgate gave no answer; a retry is safe. `fault`: Tollgate rejected the call,
   * see `problem`; a retry fails the same way.
   */
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable' | 'fault';
  /** Units refunded (positive) or charged in addition (negative). */
  returned: number;
  /** With `fault`. */
  problem?: Problem;
}

/** An answer of Tollgate as a decision. */
export function decisionOf(answer: LimitAnswer): Decision {
  return { ...answer, unavailable: null, fault: null } as Decision;
}

/** Whether Tollgate made the decision, and not `onUnavailable` or `onFault`. Only then anything was charged. */
export function isDecidedByTollgate({ unavailable, fault }: Decision): boolean {
  return unavailable === null && fault === null;
}

/** A decision of this process: Tollgate gave no answer, or rejected the call. */
export function localDecision(
  success: boolean,
  request: { cost?: number; requestId?: string },
  why: { unavailable: Unavailable } | { fault: Problem },
  more: { retryAfter?: number; remaining?: number; limit?: number; policy?: string } = {},
): Decision {
  return {
    success,
    policy: more.policy ?? null,
    limit: more.limit ?? null,
    remaining: more.remaining ?? null,
    used: null,
    reset: null,
    // No waiting corrects a wrong call.
    retryAfter: success ? 0 : 'fault' in why ? null : (more.retryAfter ?? 1),
    cost: request.cost ?? 1,
    reason: 'DEGRADED',
    source: null,
    policies: [],
    delayMs: 0,
    degraded: true,
    revision: 0,
    requestId: request.requestId ?? '',
    unavailable: null,
    fault: null,
    ...why,
  } as Decision;
}

/** A reservation, until it is settled, released or expired. */
export interface ReservationHandle {
  /**
   * Unix ms at which the reservation expires; null: nothing is reserved, because no limit applies or Tollgate was
   * unavailable.
   */
  expiresAt: number | null;
  /** Replaces the reserved amount with the actual cost. Once. */
  settle(cost: number, options?: { overrun?: Overrun }): Promise<Amended>;
  /** Gives it back. Once. */
  release(): Promise<Amended>;
  /** Extends the reservation by another term. */
  renew(): Promise<Amended>;
}

/** Answer of `reserve`: allowed and reserved, or denied. */
export type Reservation = (Allowed & ReservationHandle) | Denied;

/**
 * Client of the decision API. Every method returns within `timeoutMs`: if Tollgate is unavailable, `onUnavailable`
 * applies; if it rejects the call (unknown tenant, invalid token), `onFault` applies. The decision reports which.
 * @throws TollgateFault (all methods) with `onFault: 'throw'`, or for an invalid API key of the sender
 */
export interface Limiter {
  /** Decides one request and charges all of its limits, or none. */
  limit(request: LimitRequest): Promise<Decision>;
  /** Decides independent requests, in order; an invalid one returns its problem without affecting the others. */
  limitMany(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]>;
  /** Returns the decision that `limit` would make, without charging. */
  peek(request: LimitRequest): Promise<Decision>;
  /** Refunds a charge. */
  refund(request: RefundRequest): Promise<Amended>;
  /** Like `limit`, but only reserves the cost: settle it with the actual cost, or release it. */
  reserve(request: ReserveRequest): Promise<Reservation>;
  /** Reports the outcome of a request, for limits that charge only failures or successes. */
  report(request: ReportRequest): Promise<Amended>;
  /** Forgets counters, as support does for a customer; the service token needs the scope `reset`. */
  reset(request: ResetRequest): Promise<Amended>;
}

/** Advice for a request after its decision. */
export type RetryAdvice =
  /** Run it: now, or in `delayMs` where a queue paces it. */
  | { kind: 'run'; delayMs: number }
  /** Ask again after `waitMs`. */
  | { kind: 'wait'; waitMs: number }
  /** Do not retry: waiting does not help. */
  | { kind: 'give-up' };

/**
 * Random spread of retries, as a part of the wait, so that clients that wait for the same reset do not retry at once.
 */
const SPREAD = 0.1;

/**
 * Returns what to do next. A wait is `retryAfter` plus up to a tenth, never less.
 * @param random 0 (inclusive) to 1 (exclusive)
 */
export function retryAdvice(decision: Decision, random: () => number = Math.random): RetryAdvice {
  if (decision.success) return { kind: 'run', delayMs: decision.delayMs };
  if (decision.retryAfter === null) return { kind: 'give-up' };
  const waitMs = Math.max(decision.retryAfter * 1000, 50);
  return { kind: 'wait', waitMs: Math.round(waitMs * (1 + SPREAD * random())) };
}
