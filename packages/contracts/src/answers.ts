/** What may change a tenant's limit, in the order in which it does: each stage goes on from what the one before it made. */
export const ADJUSTMENT_SOURCES = ['upgrade', 'topup', 'override', 'boost'] as const;

export type AdjustmentSource = (typeof ADJUSTMENT_SOURCES)[number];

/** Where a limit's number comes from: an API's default, the tier, or the last adjustment that changed it. */
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
 * Why a request was allowed or not. Allowed: `BURST` ahead of the even spacing; `SOFT_LIMIT` past the limit, within the
 * soft band; `ELASTIC` past the limit, on borrowed capacity; `QUEUED` to run after `delayMs`; `SHADOW` only because the
 * limit that refused is not enforced. Refused: `RATE_EXCEEDED`, `QUOTA_EXCEEDED`, `CONCURRENCY_EXCEEDED` by the binding
 * limit; `ATTEMPTS_IN_FLIGHT` by a limit that counts failures, as earlier attempts whose outcome is not known yet could use it
 * up; `POOL_EXHAUSTED` by the API's pool (503-class: not the caller's fault); `BLOCKED`: the tenant is suspended, or
 * its API denies unregistered operations. `EXEMPT`: allowed without limits because a setting says
 * so (`unknownOperations: allow`, unknown APIs allowed, `onMissing: skip`); `NO_LIMIT`: allowed because no limit is configured.
 * `DEGRADED`: decided without Redis, either way.
 */
export type Reason = (typeof REASONS)[number];

/**
 * Answer of refund, report, settle, release, renew and reset. `not_found`: nothing is known of the request id, or it is
 * too long ago. `done`: this very thing was done before; nothing happened now. `rejected`: a settlement past the limit.
 */
export interface AmendAnswer {
  status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable';
  /** Units given back (positive) or charged in addition (negative), the largest over the limits concerned. */
  returned: number;
  revision: number;
  requestId: string | null;
}

/** One limit that was checked. */
export interface PolicyResult {
  name: string;
  limit: number;
  /** What would pass right now, at cost 1. */
  remaining: number;
  /** Unix ms at which nothing of the limit is used any more. */
  reset: number;
  /** Seconds. */
  window: number;
  /** `shadow`: would refuse, does not. `candidate`: a limit tried beside the live one of the same name. */
  mode: 'enforce' | 'shadow' | 'candidate';
  success: boolean;
  /** The limit is not to be told in headers; left out: it is. */
  inHeaders?: false;
}

/** Answer of `POST /v1/limit`; `limit`, `remaining`, `used` and `reset` are those of `policy`, the binding limit. */
export interface LimitAnswer {
  success: boolean;
  /** Name of the binding limit: of those that refused, the one to wait for longest; else the one nearest to refusing. */
  policy: string | null;
  limit: number | null;
  remaining: number | null;
  /**
   * What is taken of what passes at once: of `limit` for windows, of burst + 1 for gcra; more, past the limit. Null when
   * `degraded`: what other nodes take is not known.
   */
  used: number | null;
  /** Unix ms at which nothing of the binding limit is used any more. */
  reset: number | null;
  /** Whole seconds, rounded up; 0 when allowed; null when the cost can never pass. */
  retryAfter: number | null;
  cost: number;
  reason: Reason;
  /** Where the binding limit's number comes from: the tier, or what changed it last. */
  source: LimitSource | null;
  policies: PolicyResult[];
  /** How long the caller should wait before it runs the request; 0: run it now. */
  delayMs: number;
  degraded: boolean;
  /** Policy revision that decided. */
  revision: number;
  requestId: string;
}
