import * as z from 'zod';
import { apiKeySchema, dimensionSchema, limitNameSchema, operationNameSchema } from './names.js';

/** The longest window a limit may have: 366 days in milliseconds. */
export const MAX_WINDOW_MS = 366 * 86_400_000;

/** At most this many limits may apply to one request. */
export const MAX_LIMITS_PER_REQUEST = 16;

const positive = (what: string) =>
  z
    .int(`${what} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`)
    .min(1, `${what} must be 1 or more; to stop an operation altogether, refuse it in the API instead`);

const common = {
  name: limitNameSchema,
  api: apiKeySchema,
  /** Operations that it covers; empty: every operation of the API. */
  operations: z.array(operationNameSchema).max(100),
  /** Dimensions that it counts by, besides the tenant; empty: the tenant alone. */
  per: z
    .array(dimensionSchema)
    .max(4, 'A limit counts by at most 4 dimensions')
    .refine((per) => new Set(per).size === per.length, 'A dimension is named twice'),
  limit: positive('limit'),
  windowMs: positive('windowMs').max(MAX_WINDOW_MS, 'A window is 366 days at most'),
  /** What a node answers while Redis cannot be asked. `share`: its part of the limit, spent locally. */
  onUnavailable: z.enum(['share', 'deny', 'allow']),
};

/** Counter per window, aligned to the clock or started by the first request. */
export const fixedWindowPolicySchema = z.strictObject({
  ...common,
  algorithm: z.literal('fixed_window'),
  alignment: z.enum(['clock', 'first_request']),
});

/**
 * Spacing by theoretical arrival time: `limit` requests per `windowMs`, evenly, plus `burst` more at once than the
 * one that a plain rate lets through.
 */
export const gcraPolicySchema = z.strictObject({
  ...common,
  algorithm: z.literal('gcra'),
  burst: z.int('burst must be a whole number').min(0, 'burst must be 0 or more'),
});

/** One rule as stored, distributed and shown; the decision plane compiles it to integers. */
export const limitPolicySchema = z.discriminatedUnion('algorithm', [
  fixedWindowPolicySchema,
  gcraPolicySchema,
]);

export type FixedWindowPolicy = z.infer<typeof fixedWindowPolicySchema>;
export type GcraPolicy = z.infer<typeof gcraPolicySchema>;
export type LimitPolicy = z.infer<typeof limitPolicySchema>;
export type AlgorithmName = LimitPolicy['algorithm'];
export type OnUnavailable = LimitPolicy['onUnavailable'];
