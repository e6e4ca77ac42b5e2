/** Sources of adjustments, in the order of their stages. */
export const ADJUSTMENT_SOURCES = ['upgrade', 'topup', 'override', 'boost'] as const;

export type AdjustmentSource = (typeof ADJUSTMENT_SOURCES)[number];

/** Source of a limit's number: an API's default, the tier, or the last adjustment that changed it. */
export type LimitSource = 'default' | 'tier' | AdjustmentSource;

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
  'POOL_EXHAUSTED',
  'BLOCKED',
  'EXEMPT',
  'SHADOW',
  'DEGRADED',
  'NO_LIMIT',
] as const;

/**
 * Reason of a decision. Allowed: `BURST` ahead of the even spacing; `SOFT_LIMIT` above the limit, within the soft
 * band; `ELASTIC` above the limit, on borrowed capacity; `QUEUED` after `delayMs`; `SHADOW` only because the limit
 * that would deny is not enforced. Denied: `RATE_EXCEEDED`, `QUOTA_EXCEEDED`, `CONCURRENCY_EXCEEDED` by the binding
 * limit; `ATTEMPTS_IN_FLIGHT` by a limit on failures that pending attempts could exhaust; `POOL_EXHAUSTED` by the
 * API's pool (503-class: not the caller's fault); `BLOCKED`: the tenant is suspended, or the API denies unregistered
 * operations. `EXEMPT`: allowed without limits because of a setting (`unknownOperations: allow`, unknown APIs
 * allowed, `onMissing: skip`); `NO_LIMIT`: allowed because no limit is configured. `DEGRADED`: decided without Redis,
 * either way.
 */
export type Reason = (typeof REASONS)[number];

/**
 * Answer of refund, report, settle, release, renew and reset. `not_found`: the request id is unknown or expired.
 * `done`: already done before; nothing changed. `rejected`: the settlement exceeds the limit.
 */
export interface AmendAnswer {
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable';
  /** Units refunded (positive) or charged in addition (negative); the largest value over all limits. */
  returned: number;
  revision: number;
  requestId: string | null;
}

/** One limit that was checked. */
export interface LimitResult {
  name: string;
  limit: number;
  /** Requests of cost 1 that would be allowed now. */
  remaining: number;
  /** Unix ms at which nothing of the limit is used any more. */
  reset: number;
  /** Seconds. */
  window: number;
  /**
   * `shadow`: reports denials without enforcing them. `candidate`: evaluated beside the live limit of the same name.
   */
  mode: 'enforce' | 'shadow' | 'candidate';
  success: boolean;
  /** False: hidden from headers; absent: shown. */
  inHeaders?: false;
}

/** Answer of `POST /v1/limit`; `limit`, `remaining`, `used` and `reset` are those of `policy`, the binding limit. */
export interface LimitAnswer {
  success: boolean;
  /**
   * Name of the binding limit: among those that denied the request, the one with the longest wait; otherwise the one
   * with the least remaining.
   */
  policy: string | null;
  limit: number | null;
  remaining: number | null;
  /**
   * Units in use: of `limit` for windows, of burst + 1 for gcra; can exceed the limit. Null when `degraded`, because
   * usage on other nodes is unknown.
   */
  used: number | null;
  /** Unix ms at which nothing of the binding limit is used any more. */
  reset: number | null;
  /** Whole seconds, rounded up; 0 when allowed; null when the cost can never pass. */
  retryAfter: number | null;
  cost: number;
  reason: Reason;
  /** Source of the binding limit's number: the tier, or the last adjustment. */
  source: LimitSource | null;
  policies: LimitResult[];
  /** How long the caller should wait before it runs the request; 0: run it now. */
  delayMs: number;
  degraded: boolean;
  /** Policy revision that decided. */
  revision: number;
  requestId: string;
}
