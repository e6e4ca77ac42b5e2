import * as z from 'zod';
import type { LimitSource, ProvenanceStep } from './adjustments.js';
import type { LimitPolicy } from './limit-policy.js';
import {
  apiKeySchema,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
  tenantKeySchema,
} from './names.js';

/** The largest cost one request may have. */
export const MAX_COST = 1_000_000_000;

/** The largest identifier accepted in `subject`, in UTF-16 units. Longer ones are refused, not cut. */
export const MAX_SUBJECT_VALUE = 1024;

/** A dimension's value: what the caller knows about who sends the request. */
const subject = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/), z.string().min(1).max(MAX_SUBJECT_VALUE))
  .refine((value) => Object.keys(value).length <= 16, 'subject holds at most 16 dimensions');

const request = {
  tenant: tenantKeySchema,
  api: apiKeySchema,
  operation: operationNameSchema,
  subject: subject.optional(),
  requestId: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'requestId is 1–128 visible ASCII characters')
    .optional(),
};

/** A body that names its tenant by one of the tenant's API keys, `tgk_live_…`: limits by `key` count by its public id. */
export type ByKey<T extends { tenant: string }> = T extends unknown
  ? Omit<T, 'tenant'> & { key: string; tenant?: undefined }
  : never;

/** A body that names its tenant, or sends one of its keys. */
export type Called<T extends { tenant: string }> = T | ByKey<T>;

/** Body of `POST /v1/limit` and of `POST /v1/peek`. */
export const limitRequestSchema = z.strictObject({
  ...request,
  cost: z
    .int('cost must be a whole number')
    .min(1, 'cost must be 1 or more; to look without charging, use /v1/peek')
    .max(MAX_COST)
    .optional(),
});

/** Body of `POST /v1/limit/batch`: each is decided by itself, in order. */
export const limitBatchSchema = z.strictObject({
  requests: z.array(limitRequestSchema).min(1).max(1000, 'a batch holds at most 1,000 requests'),
});

const requestId = request.requestId.unwrap();

/** A refund of what a request id was charged. */
export const refundByReceiptSchema = z.strictObject({ tenant: tenantKeySchema, requestId });
/** A refund of what a request describes. */
export const refundByDescriptionSchema = limitRequestSchema
  .omit({ requestId: true })
  .required({ cost: true });

/**
 * Body of `POST /v1/refund`: gives back what a request id was charged, or `cost` units of what the request describes. By
 * description, limits that count all tenants together give nothing back.
 */
export const refundRequestSchema = z.looseObject({}).transform((body, context) => {
  const isByReceipt = 'requestId' in body;
  if (isByReceipt && ['api', 'operation', 'subject', 'cost'].some((field) => field in body)) {
    const message = 'send requestId, or api, operation and cost of what is given back, not both';
    context.issues.push({ code: 'custom', path: ['requestId'], message, input: body });
    return z.NEVER;
  }
  const parsed = (isByReceipt ? refundByReceiptSchema : refundByDescriptionSchema).safeParse(body);
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
  return z.NEVER;
});

/** Body of `POST /v1/report`: how the request turned out, for limits that charge by it. */
export const reportRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  outcome: z.enum(['success', 'failure']),
});

/** Body of `POST /v1/reserve`: `cost` is held until it is settled or released, `expiresInMs` at most; then it comes back. */
export const reserveRequestSchema = limitRequestSchema.extend({
  expiresInMs: z.int().min(1000).max(86_400_000).default(60_000),
});

/** Body of `POST /v1/settle`: what a reservation really cost; `overrun` says what happens when that is more. */
export const settleRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  cost: z.int('cost must be a whole number').min(0).max(MAX_COST),
  overrun: z.enum(['reject', 'cap', 'overflow']).default('cap'),
});

/** Body of `POST /v1/release` and `POST /v1/renew`: a reservation, or the slots that a request holds. */
export const receiptRequestSchema = z.strictObject({ tenant: tenantKeySchema, requestId });

/** Body of `POST /v1/reset`: the counters that a request would be decided by, all or one. */
export const resetRequestSchema = limitRequestSchema
  .omit({ requestId: true, cost: true })
  .extend({ limit: limitNameSchema.optional() });

/** Body of `POST /v1/capacity`: how loaded a service is; the pool's capacity follows within its set value. */
export const capacityReportSchema = z.strictObject({
  api: apiKeySchema,
  pool: poolNameSchema,
  /** Who reports; its last report counts. */
  service: z.string().min(1).max(64),
  /** Percent of what the service can do: past 100 it is overloaded. */
  utilisationPercent: z.number().min(0).max(1000),
});

export const REASONS = [
  'WITHIN_LIMIT',
  'BURST',
  'SOFT_LIMIT',
  'ELASTIC',
  'QUEUED',
  'RATE_EXCEEDED',
  'QUOTA_EXCEEDED',
  'CONCURRENCY_EXCEEDED',
  'POOL_EXHAUSTED',
  'BLOCKED',
  'SHADOW',
  'DEGRADED',
  'NO_LIMIT',
] as const;

/**
 * Why a request was allowed or not. Allowed: `BURST` ahead of the even spacing; `SOFT_LIMIT` past the limit, within the
 * soft band; `ELASTIC` past the limit, on borrowed capacity; `QUEUED` to run after `delayMs`; `SHADOW` only because the
 * limit that refused is not enforced. Refused: `RATE_EXCEEDED`, `QUOTA_EXCEEDED`, `CONCURRENCY_EXCEEDED` by the binding
 * limit; `POOL_EXHAUSTED` by the API's pool (503-class: not the caller's fault); `BLOCKED`: the tenant is suspended, or
 * its API refuses operations that nobody configured. `DEGRADED`: decided without Redis, either way.
 */
export type Reason = (typeof REASONS)[number];

export type LimitRequest = z.infer<typeof limitRequestSchema>;
export type RefundRequest = z.output<typeof refundRequestSchema>;
export type ReportRequest = z.infer<typeof reportRequestSchema>;
export type ReserveRequest = z.input<typeof reserveRequestSchema>;
export type SettleRequest = z.input<typeof settleRequestSchema>;
export type ReceiptRequest = z.infer<typeof receiptRequestSchema>;
export type ResetRequest = z.infer<typeof resetRequestSchema>;
export type CapacityReport = z.infer<typeof capacityReportSchema>;

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

/** Query of `GET /v1/limits`. */
export const limitsQuerySchema = z.strictObject({ tenant: tenantKeySchema, api: apiKeySchema });

/** Answer of `GET /v1/limits`. */
export interface TenantLimits {
  tenant: string;
  api: string;
  revision: number;
  /** Each as it applies now: what the tier says, changed by the `provenance`, step by step; `source` is the last of them. */
  limits: {
    policy: LimitPolicy;
    summary: string;
    source: LimitSource;
    provenance: readonly ProvenanceStep[];
  }[];
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
