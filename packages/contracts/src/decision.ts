import * as z from 'zod';
import type { LimitPolicy } from './limit-policy.js';
import { apiKeySchema, operationNameSchema, tenantKeySchema } from './names.js';

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

/** Body of `POST /v1/limit` and of `POST /v1/peek`. */
export const limitRequestSchema = z.strictObject({
  ...request,
  cost: z
    .int('cost must be a whole number')
    .min(1, 'cost must be 1 or more; to look without charging, use /v1/peek')
    .max(MAX_COST)
    .optional(),
});

export const REASONS = ['WITHIN_LIMIT', 'BURST', 'RATE_EXCEEDED', 'BLOCKED', 'DEGRADED', 'NO_LIMIT'] as const;

/**
 * Why a request was allowed or not. `BURST`: allowed ahead of the even spacing. `BLOCKED`: the tenant is suspended,
 * or its API refuses operations that nobody configured. `DEGRADED`: decided without Redis.
 */
export type Reason = (typeof REASONS)[number];

export type LimitRequest = z.infer<typeof limitRequestSchema>;

/** Query of `GET /v1/limits`. */
export const limitsQuerySchema = z.strictObject({ tenant: tenantKeySchema, api: apiKeySchema });

/** Answer of `GET /v1/limits`. */
export interface TenantLimits {
  tenant: string;
  api: string;
  revision: number;
  limits: { policy: LimitPolicy; summary: string }[];
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
  mode: 'enforce';
  success: boolean;
}

/** Answer of `POST /v1/limit`; `limit`, `remaining`, `used` and `reset` are those of `policy`, the binding limit. */
export interface LimitAnswer {
  success: boolean;
  /** Name of the binding limit: of those that refused, the one to wait for longest; else the one nearest to refusing. */
  policy: string | null;
  limit: number | null;
  remaining: number | null;
  /** What is taken of what passes at once: of `limit` for windows, of burst + 1 for gcra. */
  used: number | null;
  /** Unix ms at which nothing of the binding limit is used any more. */
  reset: number | null;
  /** Whole seconds, rounded up; 0 when allowed; null when the cost can never pass. */
  retryAfter: number | null;
  cost: number;
  reason: Reason;
  /** Where the binding limit's number comes from. */
  source: 'tier' | null;
  policies: PolicyResult[];
  delayMs: number;
  degraded: boolean;
  /** Policy revision that decided. */
  revision: number;
  requestId: string;
}
