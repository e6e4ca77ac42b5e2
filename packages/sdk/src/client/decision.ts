import type { LimitAnswer, Reason } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import type { Unavailable } from './unavailable.js';

type RefusalReason = Extract<
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
  reason: Exclude<Reason, Exclude<RefusalReason, 'DEGRADED'>>;
}

/** The request is refused, and nothing was charged. */
export interface Refused extends DecisionFacts {
  success: false;
  /** Whole seconds; null: waiting does not help, as the cost is above what can ever pass. */
  retryAfter: number | null;
  reason: RefusalReason;
}

/** The answer to one request; `success` tells which. */
export type Decision = Allowed | Refused;

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
