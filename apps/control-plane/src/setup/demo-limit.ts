import * as z from 'zod';
import {
  Charge,
  ConsistencyMode,
  EnforcementMode,
  OnMissing,
  QuotaPeriod,
  ThrottleMode,
  TokenRefill,
} from '../features/catalogue/index.js';
import { Algorithm, Alignment, OnUnavailable } from '../platform/prisma/schema.js';

const number = z.number().nullable().default(null);

const rule = {
  algorithm: z.enum(Algorithm),
  limit: z.number(),
  windowMs: number,
  alignment: z.enum(Alignment).nullable().default(null),
  buckets: number,
  capacity: number,
  refill: z.enum(TokenRefill).nullable().default(null),
  queue: number,
  burst: number,
  leaseMs: number,
  period: z.enum(QuotaPeriod).nullable().default(null),
};

/** A limit of the demo, as GraphQL takes it. */
export const demoLimitSchema = z.strictObject({
  name: z.string(),
  apiKey: z.string(),
  operations: z.array(z.string()),
  per: z.array(z.string()),
  onMissing: z.enum(OnMissing).default('SHARED'),
  onUnavailable: z.enum(OnUnavailable).default('SHARE'),
  deadlineMs: number,
  ...rule,
  throttle: z
    .strictObject({
      mode: z.enum(ThrottleMode),
      percent: number,
      maxPercent: number,
      pool: z.string().nullable().default(null),
      maxDelayMs: number,
    })
    .nullable()
    .default(null),
  enforcement: z
    .strictObject({ mode: z.enum(EnforcementMode), percent: number })
    .nullable()
    .default(null),
  charge: z.enum(Charge).default('ALWAYS'),
  attemptTimeoutMs: number,
  consistency: z
    .strictObject({ mode: z.enum(ConsistencyMode), leaseMs: number })
    .nullable()
    .default(null),
  candidate: z.strictObject(rule).nullable().default(null),
});
