import * as z from 'zod';
import { chargeSchema, consistencySchema, enforcementSchema, throttleSchema } from './limit-terms.js';
import { apiKeySchema, dimensionSchema, limitNameSchema, operationNameSchema } from './names.js';

const DAY_MS = 86_400_000;

/** The longest window a limit may have: 366 days in milliseconds. */
export const MAX_WINDOW_MS = 366 * DAY_MS;

/** At most this many limits may apply to one request; a candidate counts as one. */
export const MAX_LIMITS_PER_REQUEST = 16;

/** The most that a sliding log may admit in a window: each admission takes 7 bytes (docs/adr/0012). */
export const MAX_LOG_LIMIT = 10_000;

/** What a sliding log keeps at most, with what passes beyond its limit or waits for it. */
export const MAX_LOG_UNITS = 65_535;

/** Rounding the spacing of a rate up to a whole microsecond may slow it by one part in a thousand at most. */
export const MAX_ROUNDING = 0.001;

/** The most slots that a concurrency limit may have: each taken one takes 13 bytes (docs/adr/0012). */
export const MAX_SLOTS = 10_000;

/** How long an attempt is in flight under a limit with charge on_failure that does not say, ms. */
export const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000;

/** The most sub-windows of a sliding counter. */
export const MAX_BUCKETS = 120;

const positive = (what: string) =>
  z
    .int(`${what} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`)
    .min(1, `${what} must be 1 or more; to stop an operation altogether, refuse it in the API instead`);

const limit = positive('limit');
const windowMs = positive('windowMs').max(MAX_WINDOW_MS, 'A window is 366 days at most');

/** How a limit counts: the algorithm and its numbers. */
const rules = {
  /** Counter per window, aligned to the clock or started by the first request. */
  fixed_window: {
    algorithm: z.literal('fixed_window'),
    limit,
    windowMs,
    alignment: z.enum(['clock', 'first_request']),
  },
  /** Exact: every admission's time is kept. */
  sliding_window_log: {
    algorithm: z.literal('sliding_window_log'),
    limit: limit.max(
      MAX_LOG_LIMIT,
      `A log keeps ${MAX_LOG_LIMIT} admissions at most; use sliding_window_counter`,
    ),
    windowMs,
  },
  /** Counters in `buckets` sub-windows, the current one included; 1: this window and the weighted one before it. */
  sliding_window_counter: {
    algorithm: z.literal('sliding_window_counter'),
    limit,
    windowMs,
    buckets: positive('buckets').max(MAX_BUCKETS, `A window has ${MAX_BUCKETS} sub-windows at most`),
  },
  /** `limit` tokens come back per window, up to `capacity`; steadily, or all at the end of each interval. */
  token_bucket: {
    algorithm: z.literal('token_bucket'),
    limit,
    windowMs,
    capacity: positive('capacity'),
    refill: z.enum(['continuous', 'interval']),
  },
  /** `queue` requests may wait; they run one every window ÷ limit, each told its delay. */
  leaky_bucket: {
    algorithm: z.literal('leaky_bucket'),
    limit,
    windowMs,
    queue: z.int('queue must be a whole number').min(0, 'queue must be 0 or more'),
  },
  /**
   * Spacing by theoretical arrival time: `limit` requests per `windowMs`, evenly, plus `burst` more at once than the
   * one that a plain rate lets through.
   */
  gcra: {
    algorithm: z.literal('gcra'),
    limit,
    windowMs,
    burst: z.int('burst must be a whole number').min(0, 'burst must be 0 or more'),
  },
  /** `limit` requests at once; a slot that nobody releases or renews comes back after `leaseMs`. */
  concurrency: {
    algorithm: z.literal('concurrency'),
    limit: limit.max(MAX_SLOTS, `A concurrency limit has ${MAX_SLOTS} slots at most`),
    leaseMs: positive('leaseMs').max(DAY_MS, 'A slot is held for a day at most without renewal'),
  },
  /** Per calendar period in the tenant's time zone; `billing` months begin on the tenant's anchor day. */
  quota: {
    algorithm: z.literal('quota'),
    limit,
    period: z.enum(['day', 'week', 'month', 'billing']),
  },
} as const;

export const ruleSchema = z.discriminatedUnion('algorithm', [
  z.strictObject(rules.fixed_window),
  z.strictObject(rules.sliding_window_log),
  z.strictObject(rules.sliding_window_counter),
  z.strictObject(rules.token_bucket),
  z.strictObject(rules.leaky_bucket),
  z.strictObject(rules.gcra),
  z.strictObject(rules.concurrency),
  z.strictObject(rules.quota),
]);

/**
 * The fields of a rule that GraphQL inputs and configuration files may leave out, with their values then. A stored policy
 * names all of them.
 */
export function ruleDefaults(algorithm: string, limit: unknown): Readonly<Record<string, unknown>> {
  switch (algorithm) {
    case 'fixed_window':
      return { alignment: 'clock' };
    case 'token_bucket':
      return { capacity: limit, refill: 'continuous' };
    case 'gcra':
      return { burst: 0 };
    default:
      return {};
  }
}

const common = {
  name: limitNameSchema,
  api: apiKeySchema,
  /** Operations that it covers; empty: every operation of the API. */
  operations: z.array(operationNameSchema).max(100),
  /**
   * Dimensions that it counts by, besides the tenant; empty: the tenant alone. `global` first: all tenants together
   * instead of each by itself.
   */
  per: z
    .array(dimensionSchema)
    .max(4, 'A limit counts by at most 4 dimensions')
    .refine((per) => new Set(per).size === per.length, 'A dimension is named twice')
    .refine((per) => per.indexOf('global') <= 0, 'global comes first'),
  /**
   * A request without a value for one of `per`. `shared`: such requests share one counter, apart from those of each value.
   * `skip`: the limit does not apply. `refuse`: problem `dimension-missing`. Left out: shared.
   */
  onMissing: z.enum(['shared', 'skip', 'refuse']).optional(),
  /** What a node answers while Redis cannot be asked. `share`: its part of the limit, spent locally. */
  onUnavailable: z.enum(['share', 'deny', 'allow']),
  /** How long a decision may wait for Redis, ms; left out: the node's deadline. */
  deadlineMs: z
    .int('deadlineMs must be a whole number of milliseconds')
    .min(5, "deadlineMs must be 5 or more; leave it out to use the node's deadline")
    .max(1000, "deadlineMs must be 1,000 (a second) at most; leave it out to use the node's deadline")
    .optional(),
  /** Left out: hard. */
  throttle: throttleSchema.optional(),
  /** Left out: enforce. */
  enforcement: enforcementSchema.optional(),
  /** Counted beside this limit, never refused: what it would do is told in the answer. */
  candidate: ruleSchema.optional(),
  /** Left out: always. */
  charge: chargeSchema.optional(),
  /**
   * Only with charge on_failure: how long a request without a reported outcome is in flight, ms. Left out: 30,000. It counts
   * until then or until its outcome is reported.
   */
  attemptTimeoutMs: z
    .int('attemptTimeoutMs must be a whole number')
    .min(1000, 'attemptTimeoutMs must be 1,000 (a second) or more')
    .max(3_600_000, 'attemptTimeoutMs must be 3,600,000 (an hour) at most')
    .optional(),
  /** Left out: strict. */
  consistency: consistencySchema.optional(),
  /** Whether callers are told of it in headers; left out: yes. */
  inHeaders: z.boolean().optional(),
};

/** One rule as stored, distributed and shown; the decision plane compiles it to integers. */
export const limitPolicySchema = z.discriminatedUnion('algorithm', [
  z.strictObject({ ...common, ...rules.fixed_window }),
  z.strictObject({ ...common, ...rules.sliding_window_log }),
  z.strictObject({ ...common, ...rules.sliding_window_counter }),
  z.strictObject({ ...common, ...rules.token_bucket }),
  z.strictObject({ ...common, ...rules.leaky_bucket }),
  z.strictObject({ ...common, ...rules.gcra }),
  z.strictObject({ ...common, ...rules.concurrency }),
  z.strictObject({ ...common, ...rules.quota }),
]);

export type LimitPolicy = z.infer<typeof limitPolicySchema>;
export type AlgorithmName = LimitPolicy['algorithm'];
/** The policies of one algorithm. */
export type PolicyOf<A extends AlgorithmName> = Extract<LimitPolicy, { algorithm: A }>;
export type Rule = z.infer<typeof ruleSchema>;
export type FixedWindowPolicy = PolicyOf<'fixed_window'>;
export type GcraPolicy = PolicyOf<'gcra'>;
export type OnUnavailable = LimitPolicy['onUnavailable'];
export type OnMissing = NonNullable<LimitPolicy['onMissing']>;
export type QuotaPeriod = PolicyOf<'quota'>['period'];

const PERIOD_MS: Record<QuotaPeriod, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  billing: 30 * DAY_MS,
};

/** The length that a limit's number refers to, ms: its window; a quota's nominal period; how long a slot is held. */
export function nominalWindowMs(rule: Rule | LimitPolicy): number {
  switch (rule.algorithm) {
    case 'quota':
      return PERIOD_MS[rule.period];
    case 'concurrency':
      return rule.leaseMs;
    default:
      return rule.windowMs;
  }
}
