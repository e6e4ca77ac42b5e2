import * as z from 'zod';
import type { ProvenanceStep } from './adjustments.js';
import type { LimitSource } from './answers.js';
import { isOperationName, MAX_COST, MAX_SUBJECT_VALUE, REQUEST_ID } from './countable.js';
import type { LimitPolicy } from './limit-policy.js';
import {
  apiKeySchema,
  isSlug,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
  tenantKeySchema,
} from './names.js';
import { type FieldError, TollgateError } from './problems.js';

const SUBJECT_DIMENSION = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_DIMENSIONS = 16;
const MAX_BATCH = 1000;

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

/** Names the tenant by an API key, `tgk_live_…`; limits by `key` use the key's public id. */
export type ByKey<T extends { tenant: string }> = T extends unknown
  ? Omit<T, 'tenant'> & { key: string; tenant?: undefined }
  : never;

export type Called<T extends { tenant: string }> = T | ByKey<T>;

/** Whether an untrusted request names its tenant by an API key. */
export function sendsKey(request: unknown): boolean {
  return typeof request === 'object' && request !== null && (request as { key?: unknown }).key !== undefined;
}

/** Body of `POST /v1/limit` and `POST /v1/peek`. */
export const limitRequestSchema = z.strictObject({
  ...request,
  cost: z
    .int('cost must be a whole number')
    .min(1, 'cost must be 1 or more; to look without charging, use /v1/peek')
    .max(MAX_COST)
    .optional(),
});

/** Independent requests, decided in order. */
export const limitBatchSchema = z.strictObject({
  requests: z
    .array(limitRequestSchema)
    .min(1)
    .max(MAX_BATCH, `a batch can have at most ${MAX_BATCH.toLocaleString('en-US')} requests`),
});

/** Names may be unknown. Written by hand, because every decision pays for it. */
function isDecidable(value: unknown, isStrict: boolean): value is LimitRequest {
  if (!isRecord(value)) return false;
  const { tenant, api, operation, cost, requestId, subject } = value;
  if (typeof tenant !== 'string' || typeof api !== 'string' || typeof operation !== 'string') return false;
  if (
    cost !== undefined &&
    !(Number.isInteger(cost) && (cost as number) >= 1 && (cost as number) <= MAX_COST)
  )
    return false;
  if (requestId !== undefined && !(typeof requestId === 'string' && REQUEST_ID.test(requestId))) return false;
  return subject === undefined || isSubject(subject, isStrict);
}

/** Same result as `limitRequestSchema` for JSON values, in a tenth of the time. */
export function isLimitRequest(value: unknown): value is LimitRequest {
  if (!isDecidable(value, true)) return false;
  for (const field in value) if (!Object.hasOwn(limitRequestSchema.shape, field)) return false;
  return isSlug(value.tenant) && isSlug(value.api) && isOperationName(value.operation);
}

export function isLimitBatch(value: unknown): value is z.infer<typeof limitBatchSchema> {
  if (!isRecord(value)) return false;
  for (const field in value) if (field !== 'requests') return false;
  const { requests } = value;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_BATCH) return false;
  return requests.every(isLimitRequest);
}

function isSubject(value: unknown, isStrict: boolean): boolean {
  if (typeof value !== 'object' || value === null || (isStrict && Array.isArray(value))) return false;
  let dimensions = 0;
  for (const dimension in value) {
    const text = (value as Record<string, unknown>)[dimension];
    if (isStrict && (!SUBJECT_DIMENSION.test(dimension) || ++dimensions > MAX_DIMENSIONS)) return false;
    if (typeof text !== 'string' || text.length === 0 || text.length > MAX_SUBJECT_VALUE) return false;
  }
  return true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FAST_CHECKS: ReadonlyMap<z.ZodType, (input: unknown) => boolean> = new Map<
  z.ZodType,
  (input: unknown) => boolean
>([
  [limitRequestSchema, isLimitRequest],
  [limitBatchSchema, isLimitBatch],
]);

const MAX_FIELD_ERRORS = 20;

export function parseBody<T>(schema: z.ZodType<T>, input: unknown): T {
  if (FAST_CHECKS.get(schema)?.(input) === true) return input as T;
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap(fieldErrorsOf).slice(0, MAX_FIELD_ERRORS);
  throw new TollgateError('body-invalid', { errors });
}

/**
 * Validates a request of the same process regardless of its type: a cost of NaN would be free. Unknown names have
 * their own problem codes.
 * @throws TollgateError as `parseBody`
 */
export function assertLimitRequest(request: LimitRequest): void {
  if (!isDecidable(request, false)) parseBody(limitRequestSchema, request);
}

function fieldErrorsOf(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), message: issue.message }];
  return issue.keys.map((key) => ({
    field: [...path, key.slice(0, 100)].join('.'),
    message: 'Unknown field',
  }));
}

const requestId = request.requestId.unwrap();

export const refundByReceiptSchema = z.strictObject({ tenant: tenantKeySchema, requestId });
export const refundByDescriptionSchema = limitRequestSchema
  .omit({ requestId: true })
  .required({ cost: true });

/**
 * Refunds the charge of a request id, or `cost` units of the described operation. Refunds by description do not affect
 * limits that count all tenants together.
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

/** Outcome of a request, for limits that charge by outcome. */
export const reportRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  outcome: z.enum(['success', 'failure']),
});

/** Reserves `cost` until it is settled, released or expired. */
export const reserveRequestSchema = limitRequestSchema.extend({
  expiresInMs: z.int().min(1000).max(86_400_000).default(60_000),
});

export const settleRequestSchema = z.strictObject({
  tenant: tenantKeySchema,
  requestId,
  cost: z.int('cost must be a whole number').min(0).max(MAX_COST),
  overrun: z.enum(['reject', 'cap', 'overflow']).default('cap'),
});

/** A reservation, or the concurrency permits of a request. */
export const receiptRequestSchema = z.strictObject({ tenant: tenantKeySchema, requestId });

export const resetRequestSchema = limitRequestSchema
  .omit({ requestId: true, cost: true })
  .extend({ limit: limitNameSchema.optional() });

/** Load of a service; the pool's capacity follows it, up to its configured value. */
export const capacityReportSchema = z.strictObject({
  api: apiKeySchema,
  pool: poolNameSchema,
  service: z.string().min(1).max(64),
  /** Above 100: overloaded. */
  utilizationPercent: z.number().min(0).max(1000),
  coldStart: z
    .boolean('coldStart must be true or false')
    .optional()
    .describe('True once, when the service starts with cold caches: starts the warm-up of the pool.'),
});

export type LimitRequest = z.infer<typeof limitRequestSchema>;
export type RefundRequest = z.output<typeof refundRequestSchema>;
export type ReportRequest = z.infer<typeof reportRequestSchema>;
export type ReserveRequest = z.input<typeof reserveRequestSchema>;
export type SettleRequest = z.input<typeof settleRequestSchema>;
export type ReceiptRequest = z.infer<typeof receiptRequestSchema>;
export type ResetRequest = z.infer<typeof resetRequestSchema>;
export type CapacityReport = z.infer<typeof capacityReportSchema>;

export const limitsQuerySchema = z.strictObject({ tenant: tenantKeySchema, api: apiKeySchema });

export interface TenantLimits {
  tenant: string;
  api: string;
  revision: number;
  /** `provenance` lists the steps from the tier's number; `source` is the last one. */
  limits: {
    policy: LimitPolicy;
    summary: string;
    source: LimitSource;
    provenance: readonly ProvenanceStep[];
  }[];
}
