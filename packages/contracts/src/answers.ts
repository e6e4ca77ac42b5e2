/**
 * `warm_up`: the ramp of a new tenant. `topup`: also rolled-over units. `own`: a ceiling that the tenant set itself. `resolveLimit`
 * defines the order in which they apply.
 */
export const ADJUSTMENT_SOURCES = ['warm_up', 'upgrade', 'override', 'boost', 'topup', 'own'] as const;

export type AdjustmentSource = (typeof ADJUSTMENT_SOURCES)[number];

/**
 * Where a limit's number comes from: the API's default, the tier, the last adjustment that changed it, or a rule for the request's
 * subject. `parent`: a limit that the parent tenant shares.
 */
export type LimitSource = 'default' | 'tier' | AdjustmentSource | 'subject_rule' | 'parent';

export const REASONS = [
  'WITHIN_LIMIT',
  'BURST',
  'SOFT_LIMIT',
  'ELASTIC',
  'QUEUED',
  'RATE_EXCEEDED',
  'QUOTA_EXCEEDED',
  'CONCURRENCY_EXCEEDED',
  'ATTEMPTS_IN_FLIGHT',
  'PENALTY',
  'POOL_EXHAUSTED',
  'BLOCKED',
  'EXEMPT',
  'SHADOW',
  'DEGRADED',
  'NO_LIMIT',
] as const;

/**
 * Allowed: `BURST` ahead of the even spacing; `SOFT_LIMIT` above the limit, within the soft band; `ELASTIC` above the
 * limit, on borrowed capacity; `QUEUED` after `delayMs`; `SHADOW` only because the limit that would deny is not
 * enforced. Denied: `RATE_EXCEEDED`, `QUOTA_EXCEEDED`, `CONCURRENCY_EXCEEDED` by the binding limit;
 * `ATTEMPTS_IN_FLIGHT` by a limit on failures that pending attempts could exhaust; `PENALTY` by the block after too many
 * denials, until `retryAfter`; `POOL_EXHAUSTED` by the API's pool (503-class: not the caller's fault); `BLOCKED`: by a limit
 * of 0 (`policy`), because the tenant is suspended, the API denies unregistered operations, or a rule denies the subject.
 * `EXEMPT`: not limited because of a setting; `NO_LIMIT`: no limit is configured. `DEGRADED`: decided without Redis, either
 * way.
 */
export type Reason = (typeof REASONS)[number];

/** `not_found`: unknown request id or expired reservation. `done`: done before. `rejected`: exceeds the limit. */
export interface AmendAnswer {
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable';
  /** Units refunded (positive) or charged (negative); the largest value over all limits. */
  returned: number;
  revision: number;
  requestId: string | null;
}

export interface LimitResult {
  name: string;
  /**
   * Of an amount per label: the label, or `*` for all labels without an own amount. `parent`: a limit that the parent tenant shares. `floor`:
   * the child's own part of such a limit; `common`: what is left of it for all others. Absent: the limit itself.
   */
  label?: string;
  limit: number;
  /** Requests of cost 1 that would be allowed now. */
  remaining: number;
  /** Unix ms at which the limit is unused again. */
  reset: number;
  /** Seconds; 0: a limit of requests in flight, which took a permit if `success`. */
  window: number;
  /** `shadow`: reports denials without enforcing them. `candidate`: evaluated beside the limit of its name. */
  mode: 'enforce' | 'shadow' | 'candidate';
  success: boolean;
  /** Hidden from headers. */
  inHeaders?: false;
}

/** The name of a limit in headers and problems, with the label whose amount it is: `per-second/eu`. */
export function labeledName({
  name,
  label,
}: {
  readonly name: string;
  readonly label?: string | undefined;
}): string {
  return label === undefined ? name : `${name}/${label}`;
}

/** Answer of `POST /v1/limit`. The numbers are those of `policy`, the binding limit. */
export interface LimitAnswer {
  success: boolean;
  /** The binding limit: of those that denied, the one with the longest wait, else the one with the least remaining. */
  policy: string | null;
  limit: number | null;
  remaining: number | null;
  /** Of `limit` for windows, of burst + 1 for gcra; can exceed it. Null when `degraded`. */
  used: number | null;
  /** Unix ms at which the limit is unused again. */
  reset: number | null;
  /** Whole seconds, rounded up; 0 when allowed; null when the cost can never pass. */
  retryAfter: number | null;
  cost: number;
  reason: Reason;
  /** Source of `limit`. */
  source: LimitSource | null;
  policies: LimitResult[];
  /** Time of the decision by the clock of the counters, unix ms, to which `reset` is relative. Absent: nothing was counted. */
  decidedAt?: number;
  /** How long to wait before running the request; 0: run it now. */
  delayMs: number;
  degraded: boolean;
  /** Text for a caller that a subject rule denies. */
  detail?: string;
  /** Id of the subject rule that denies or exempts the caller, or that changed `limit` for the caller. */
  rule?: string;
  revision: number;
  requestId: string;
  /** Denied by a node with a console: URL of the page about denied requests. */
  docs?: string;
  /** Denied by a node with a console: URL of the explanation of this decision, valid for a week. */
  explain?: string;
}
