import { type LimitAnswer, type Reason } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { type Unavailable } from './errors.js';
import {
  type LimitRequest,
  type Overrun,
  type ReceiptRequest,
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
  | 'PENALTY'
  | 'POOL_EXHAUSTED'
  | 'BLOCKED'
  | 'EXEMPT'
  | 'DEGRADED'
>;

interface DecisionFacts extends Omit<LimitAnswer, 'success' | 'retryAfter' | 'reason'> {
  /** Null: Tollgate answered. */
  unavailable: Unavailable | null;
  /** Null: Tollgate did not reject the call. */
  fault: Problem | null;
}

/** Allowed, after `delayMs` if that is not 0. */
export interface Allowed extends DecisionFacts {
  success: true;
  retryAfter: 0;
  reason: Exclude<Reason, Exclude<DenialReason, 'DEGRADED'>>;
}

/** Denied; nothing was charged. */
export interface Denied extends DecisionFacts {
  success: false;
  /** Whole seconds; null: waiting does not help, because the cost exceeds the limit. */
  retryAfter: number | null;
  reason: DenialReason;
}

/** Decision on one request; discriminated by `success`. */
export type Decision = Allowed | Denied;

/** An invalid request of `limitMany`. */
export interface Undecidable {
  success: null;
  problem: Problem;
}

/** Result of an operation on an earlier charge. */
export interface Amended {
  /**
   * `done`: already done before. `not_found`: the request id is unknown, or its reservation has expired. `rejected`: the
   * settlement exceeds the limit. `unavailable`: no answer; a retry is safe. `fault`: Tollgate rejected the call, see `problem`.
   */
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable' | 'fault';
  /** Units refunded (positive) or charged in addition (negative). */
  returned: number;
  problem?: Problem;
}

export function decisionOf(answer: LimitAnswer): Decision {
  return { ...answer, unavailable: null, fault: null } as Decision;
}

/** False: `onUnavailable` or `onFault` decided, and nothing was charged. */
export function isDecidedByTollgate({ unavailable, fault }: Decision): boolean {
  return unavailable === null && fault === null;
}

/** Decision without an answer of Tollgate. */
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
    // Waiting does not correct a wrong call.
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

export interface ReservationHandle {
  /** Unix ms; null: nothing is reserved, because no limit applies or Tollgate was unavailable. */
  expiresAt: number | null;
  /** Replaces the reserved amount with the actual cost, once. */
  settle(cost: number, options?: { overrun?: Overrun }): Promise<Amended>;
  /** Releases the reservation, once. */
  release(): Promise<Amended>;
  /** Extends the reservation by another term. */
  renew(): Promise<Amended>;
}

export type Reservation = (Allowed & ReservationHandle) | Denied;

/**
 * Client of the decision API. Methods return within `timeoutMs`: if Tollgate is unavailable, `onUnavailable` applies;
 * if it rejects the call, `onFault`. The decision reports which.
 * @throws TollgateFault with `onFault: 'throw'`, or for an invalid API key of the sender
 */
export interface Limiter {
  /** Charges all limits of a request, or none. */
  limit(request: LimitRequest): Promise<Decision>;
  /** Decides independent requests, in order; an invalid one returns its problem. */
  limitMany(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]>;
  /** Like `limit`, without charging. */
  peek(request: LimitRequest): Promise<Decision>;
  refund(request: RefundRequest): Promise<Amended>;
  /** Releases the permits of a decision, by its `requestId`, or its reservation. */
  release(request: ReceiptRequest): Promise<Amended>;
  /** Like `limit`, but only reserves the cost. */
  reserve(request: ReserveRequest): Promise<Reservation>;
  /** Reports the outcome, for limits that charge only failures or successes. */
  report(request: ReportRequest): Promise<Amended>;
  /** Resets counters; the service token needs the scope `reset`. */
  reset(request: ResetRequest): Promise<Amended>;
}

export type RetryAdvice =
  | { kind: 'run'; delayMs: number }
  /** Retry after `waitMs`. */
  | { kind: 'wait'; waitMs: number }
  /** Waiting does not help. */
  | { kind: 'give-up' };

/** Spread of retries as a part of the wait: clients that wait for the same reset should not retry at once. */
const SPREAD = 0.1;

/** Waits `retryAfter` plus up to a tenth. @param random 0 (inclusive) to 1 (exclusive) */
export function retryAdvice(decision: Decision, random: () => number = Math.random): RetryAdvice {
  if (decision.success) return { kind: 'run', delayMs: decision.delayMs };
  if (decision.retryAfter === null) return { kind: 'give-up' };
  const waitMs = Math.max(decision.retryAfter * 1000, 50);
  return { kind: 'wait', waitMs: Math.round(waitMs * (1 + SPREAD * random())) };
}
