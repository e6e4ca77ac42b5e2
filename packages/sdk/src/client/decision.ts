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

/** The request is refused, and nothing was charged. */
export interface Denied extends DecisionFacts {
  success: false;
  /** Whole seconds; null: waiting does not help, as the cost is above what can ever pass. */
  retryAfter: number | null;
  reason: DenialReason;
}

/** The answer to one request; `success` tells which. */
export type Decision = Allowed | Denied;

/** A request of `limitMany` that could not be decided, because something is wrong with it. */
export interface Undecidable {
  success: null;
  problem: Problem;
}

/** What a verb on an earlier charge came to. */
export interface Amended {
  /**
   * `done`: it was done before. `not_found`: nothing is known of it, or it is too long ago. `rejected`: a settlement past
   * the limit. `unavailable`: Tollgate gave no answer; nothing is known to have happened, and a retry is safe. `fault`:
   * Tollgate rejected the call, see `problem`; a retry brings the same.
   */
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable' | 'fault';
  /** Units given back (positive) or charged in addition (negative). */
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
export function ownDecision(
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
export type Reservation = (Allowed & Held) | Denied;

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

/** What to do with a request after its decision. */
export type RetryAdvice =
  /** Run it: now, or in `delayMs` where a queue paces it. */
  | { kind: 'run'; delayMs: number }
  /** Ask again after `waitMs`. */
  | { kind: 'wait'; waitMs: number }
  /** Do not ask again: no waiting lets it pass. */
  | { kind: 'give-up' };

/** The part of a wait by which retries are spread, so that those who wait for the same reset do not come back as one. */
const SPREAD = 0.1;

/**
 * What to do next, by a decision. A wait is `retryAfter` and up to a tenth of it more, so never too early.
 * @param random 0 up to 1
 */
export function retryAdvice(decision: Decision, random: () => number = Math.random): RetryAdvice {
  if (decision.success) return { kind: 'run', delayMs: decision.delayMs };
  if (decision.retryAfter === null) return { kind: 'give-up' };
  const waitMs = Math.max(decision.retryAfter * 1000, 50);
  return { kind: 'wait', waitMs: Math.round(waitMs * (1 + SPREAD * random())) };
}
