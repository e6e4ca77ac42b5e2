import * as z from 'zod';
import type { ProvenanceStep } from './adjustments.js';
import type { LimitPolicy } from './limit-policy.js';
import type { LimitSource } from './limit-source.js';
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

export type LimitRequest = z.infer<typeof limitRequestSchema>;
export type RefundRequest = z.output<typeof refundRequestSchema>;
export type ReportRequest = z.infer<typeof reportRequestSchema>;
export type ReserveRequest = z.input<typeof reserveRequestSchema>;
export type SettleRequest = z.input<typeof settleRequestSchema>;
export type ReceiptRequest = z.infer<typeof receiptRequestSchema>;
export type ResetRequest = z.infer<typeof resetRequestSchema>;
export type CapacityReport = z.infer<typeof capacityReportSchema>;

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
