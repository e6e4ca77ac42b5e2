import * as z from 'zod';
import type { ProvenanceStep } from './adjustments.js';
import type { LimitSource } from './answers.js';
import type { LimitPolicy } from './limit-policy.js';
import {
  apiKeySchema,
  isOperationName,
  isSlug,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
  tenantKeySchema,
} from './names.js';

/** The largest cost one request may have. */
export const MAX_COST = 1_000_000_000;

/** The largest identifier accepted in `subject`, in UTF-16 units. Longer ones are refused, not cut. */
export const MAX_SUBJECT_VALUE = 1024;

const SUBJECT_DIMENSION = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_DIMENSIONS = 16;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const MAX_BATCH = 1000;

/** Value of a dimension, which identifies the sender of a request. */
const subject = z
  .record(z.string().regex(SUBJECT_DIMENSION), z.string().min(1).max(MAX_SUBJECT_VALUE))
  .refine(
    (value) => Object.keys(value).length <= MAX_DIMENSIONS,
    `subject can have at most ${MAX_DIMENSIONS} dimensions`,
  );

const request = {
  tenant: tenantKeySchema,
  api: apiKeySchema,
  operation: operationNameSchema,
  subject: subject.optional(),
  requestId: z.string().regex(REQUEST_ID, 'requestId is 1–128 visible ASCII characters').optional(),
};

/**
 * A body that names its tenant by one of the tenant's API keys, `tgk_live_…`; limits by `key` use the key's public
 * id.
 */
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

/** Body of `POST /v1/limit/batch`: independent requests, decided in order. */
export const limitBatchSchema = z.strictObject({
  requests: z
    .array(limitRequestSchema)
    .min(1)
    .max(MAX_BATCH, `a batch can have at most ${MAX_BATCH.toLocaleString('en-US')} requests`),
});

/**
 * Whether a parsed JSON value satisfies `limitRequestSchema`. Ten times faster than the schema; use the schema for
 * error messages.
 */
export function isLimitRequest(value: unknown): value is LimitRequest {
  if (!isRecord(value)) return false;
  let named = 0;
  for (const field in value) {
    const given = value[field];
    switch (field) {
      case 'tenant':
      case 'api':
        if (typeof given !== 'string' || !isSlug(given)) return false;
        named++;
        break;
      case 'operation':
        if (typeof given !== 'string' || !isOperationName(given)) return false;
        named++;
        break;
      case 'subject':
        if (!isSubject(given)) return false;
        break;
      case 'requestId':
        if (typeof given !== 'string' || !REQUEST_ID.test(given)) return false;
        break;
      case 'cost':
        if (!Number.isInteger(given) || (given as number) < 1 || (given as number) > MAX_COST) return false;
        break;
      default:
        return false;
    }
  }
  return named === 3;
}

/** So too for `limitBatchSchema`. */
export function isLimitBatch(value: unknown): value is z.infer<typeof limitBatchSchema> {
  if (!isRecord(value)) return false;
  for (const field in value) if (field !== 'requests') return false;
  const { requests } = value;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_BATCH) return false;
  return requests.every(isLimitRequest);
}

function isSubject(value: unknown): boolean {
  if (!isRecord(value)) return false;
  let dimensions = 0;
  for (const dimension in value) {
    const text = value[dimension];
    if (!SUBJECT_DIMENSION.test(dimension) || ++dimensions > MAX_DIMENSIONS) return false;
    if (typeof text !== 'string' || text.length === 0 || text.length > MAX_SUBJECT_VALUE) return false;
  }
  return true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const requestId = request.requestId.unwrap();

/** Refunds the charge of a request id. */
export const refundByReceiptSchema = z.strictObject({ tenant: tenantKeySchema, requestId });
/** Refunds units of a described operation. */
export const refundByDescriptionSchema = limitRequestSchema
  .omit({ requestId: true })
  .required({ cost: true });

/**
 * Body of `POST /v1/refund`: refunds the charge of a request id, or `cost` units of the described operation. Refunds
 * by description do not affect limits that count all tenants together.
 */
export const refundRequestSchema = z.looseObject({}).transform((body, context) => {
  const isByReceipt = 'requestId' in body;
  if (isByReceipt && ['api', 'operation', 'subject', 'cost'].some((field) => field in body)) {
    const message = 'send either requestId, or api, operation and cost';
    context.issues.push({ code: 'custom', path: ['requestId'], message, input: body });
    return z.NEVER;
  }
  const parsed = (isByReceipt ? refundByReceiptSchema : refundByDescriptionSchema).safeParse(body);
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
  return z.NEVER;
});

/** Body of `POST /v1/report`: outcome of a request, for limits that charge by outcome. */
export const reportRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  outcome: z.enum(['success', 'failure']),
});

/** Body of `POST /v1/reserve`: reserves `cost` until it is settled or released, or until `expiresInMs` passes. */
export const reserveRequestSchema = limitRequestSchema.extend({
  expiresInMs: z.int().min(1000).max(86_400_000).default(60_000),
});

/** Body of `POST /v1/settle`: actual cost of a reservation; `overrun` applies if it exceeds the reserved amount. */
export const settleRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  cost: z.int('cost must be a whole number').min(0).max(MAX_COST),
  overrun: z.enum(['reject', 'cap', 'overflow']).default('cap'),
});

/** Body of `POST /v1/release` and `POST /v1/renew`: a reservation, or the concurrency slots of a request. */
export const receiptRequestSchema = z.strictObject({ tenant: tenantKeySchema, requestId });

/** Body of `POST /v1/reset`: resets all counters of the described operation, or one. */
export const resetRequestSchema = limitRequestSchema
  .omit({ requestId: true, cost: true })
  .extend({ limit: limitNameSchema.optional() });

/** Body of `POST /v1/capacity`: how loaded a service is; the pool's capacity follows within its set value. */
export const capacityReportSchema = z.strictObject({
  api: apiKeySchema,
  pool: poolNameSchema,
  /** Reporting service; its latest report replaces earlier ones. */
  service: z.string().min(1).max(64),
  /** Percent of the service's capacity; above 100 it is overloaded. */
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
  /** Effective limits: the tier's number, changed step by step by `provenance`; `source` is the last step. */
  limits: {
    policy: LimitPolicy;
    summary: string;
    source: LimitSource;
    provenance: readonly ProvenanceStep[];
  }[];
}
