import * as z from 'zod';
import { CARRY_OVERS } from './carry-over.js';
import { addressFields, findAddressProblems } from './limit-address.js';
import { findAmountProblems, labelAmountsSchema } from './limit-amounts.js';
import { findPenaltyProblems, penaltySchema } from './limit-penalty.js';
import { findReachProblems, reachFields } from './limit-reach.js';
import { isBlocking } from './limit-scope.js';
import { findSharingProblems, sharingFields } from './limit-sharing.js';
import { findStorageProblems, storageFields } from './limit-storage.js';
import { findWarmUpProblems, warmUpSchema } from './limit-warm-up.js';
import {
  apiKeySchema,
  dimensionSchema,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
} from './names.js';

const DAY_MS = 86_400_000;

export const MAX_WINDOW_MS = 366 * DAY_MS;

/** A candidate counts as one, and so do amounts per label. */
export const MAX_LIMITS_PER_REQUEST = 16;

/** A log stores 7 bytes per admission (docs/adr/0012). */
export const MAX_LOG_LIMIT = 10_000;

/** Soft and queued requests included. */
export const MAX_LOG_UNITS = 65_535;

export const MAX_ROUNDING = 0.001;

/** A permit in use takes 13 bytes (docs/adr/0012). */
export const MAX_PERMITS = 10_000;

export const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000;

export const MAX_BUCKETS = 120;

export const MAX_DELAY_MS = 60_000;

const atLeast1 = (name: string) =>
  z
    .int(`${name} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`)
    .min(1, `${name} must be 1 or more`);

const limitNumber = z
  .int(`limit must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`)
  .min(0, 'limit must be 0 or more; 0 blocks the operations');

const atLeast0 = (name: string) =>
  z.int(`${name} must be a whole number`).min(0, `${name} must be 0 or more`);

const within = (name: string, min: number, max: number) => {
  const message = `${name} must be ${min} to ${max}`;
  return z.int(`${name} must be a whole number`).min(min, message).max(max, message);
};

/**
 * Fields of some algorithms. The rule schema, stored form, GraphQL types, configuration file and console form derive
 * from this table and from {@link ALGORITHMS}.
 */
export const RULE_FIELDS = {
  windowMs: {
    label: 'Window',
    unit: 'ms',
    schema: atLeast1('windowMs')
      .max(MAX_WINDOW_MS, 'A window is 366 days at most')
      .describe('Length of the window in milliseconds, 366 days at most.'),
  },
  alignment: {
    label: 'Windows start',
    choices: { clock: 'On the clock', first_request: 'At the first request' },
    schema: z.enum(['clock', 'first_request']).describe('When the window starts.'),
  },
  buckets: {
    label: 'Sub-windows',
    unit: 'count',
    schema: atLeast1('buckets')
      .max(MAX_BUCKETS, `A window has ${MAX_BUCKETS} sub-windows at most`)
      .describe(
        `Sub-windows, 1 to ${MAX_BUCKETS}; 1 estimates from the current window and the one before it.`,
      ),
  },
  capacity: {
    label: 'Capacity',
    unit: 'count',
    schema: atLeast1('capacity').describe('The most tokens in the bucket.'),
  },
  refill: {
    label: 'Refill',
    choices: { continuous: 'Continuously', interval: 'At the end of each window' },
    schema: z.enum(['continuous', 'interval']).describe('When tokens are added.'),
  },
  queue: {
    label: 'Queue length',
    unit: 'count',
    schema: atLeast0('queue').describe('The most requests that wait.'),
  },
  burst: {
    label: 'Burst',
    unit: 'count',
    schema: atLeast0('burst').describe('Requests allowed at once in addition to the evenly spaced one.'),
  },
  leaseMs: {
    label: 'Permit timeout',
    unit: 'ms',
    schema: atLeast1('leaseMs')
      .max(DAY_MS, 'leaseMs is one day at most; renew the permit to keep it longer')
      .describe(
        'Milliseconds until a permit that is neither released nor renewed is free again, one day at most.',
      ),
  },
  period: {
    label: 'Period',
    choices: { day: 'Day', week: 'Week', month: 'Month', billing: 'Billing period' },
    schema: z
      .enum(['day', 'week', 'month', 'billing'])
      .describe("Calendar period in the tenant's time zone."),
  },
} as const;

export type RuleField = keyof typeof RULE_FIELDS;

const SAME_AS_LIMIT = 'limit';

/** Inputs may omit fields with a default; a stored policy has all. */
export const ALGORITHMS = {
  fixed_window: { label: 'Fixed window', required: ['windowMs'], defaults: { alignment: 'clock' } },
  /** Exact: stores the time of every admission. */
  sliding_window_log: {
    label: 'Sliding window (exact)',
    required: ['windowMs'],
    defaults: {},
    max: [MAX_LOG_LIMIT, `A log keeps ${MAX_LOG_LIMIT} admissions at most; use sliding_window_counter`],
  },
  /** 1 sub-window: the current window and the weighted previous one. */
  sliding_window_counter: {
    label: 'Sliding window (counters)',
    required: ['windowMs', 'buckets'],
    defaults: {},
  },
  /** Adds `limit` tokens per window, up to `capacity`. */
  token_bucket: {
    label: 'Token bucket',
    required: ['windowMs'],
    defaults: { capacity: SAME_AS_LIMIT, refill: 'continuous' },
  },
  /** One request runs every window ÷ limit, with its delay. */
  leaky_bucket: { label: 'Leaky bucket', required: ['windowMs', 'queue'], defaults: {} },
  /** Theoretical arrival time: `limit` per window, up to `burst` more at once. */
  gcra: { label: 'GCRA', required: ['windowMs'], defaults: { burst: 0 } },
  concurrency: {
    label: 'Concurrency',
    required: ['leaseMs'],
    defaults: {},
    max: [MAX_PERMITS, `A concurrency limit has at most ${MAX_PERMITS} permits`],
  },
  /** Calendar periods in the tenant's time zone; billing periods begin on its anchor day. */
  quota: { label: 'Quota', required: ['period'], defaults: {} },
} as const;

export type AlgorithmName = keyof typeof ALGORITHMS;

export const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as AlgorithmName[];

export function ruleFieldsOf(algorithm: AlgorithmName): RuleField[] {
  const { required, defaults } = ALGORITHMS[algorithm];
  return [...required, ...(Object.keys(defaults) as RuleField[])];
}

export function ruleDefaults(algorithm: AlgorithmName, limit: unknown): Readonly<Record<string, unknown>> {
  const defaults = Object.entries(ALGORITHMS[algorithm].defaults);
  // A blocking limit has no number for the others to follow.
  const sameAsLimit = limit === 0 ? 1 : limit;
  return Object.fromEntries(
    defaults.map(([field, value]) => [field, value === SAME_AS_LIMIT ? sameAsLimit : value]),
  );
}

type Flat<T> = { [K in keyof T]: T[K] };
type FieldOf<A extends AlgorithmName> =
  | (typeof ALGORITHMS)[A]['required'][number]
  | (keyof (typeof ALGORITHMS)[A]['defaults'] & RuleField);
type FieldsOf<A extends AlgorithmName> = {
  [F in FieldOf<A>]: z.output<(typeof RULE_FIELDS)[F]['schema']>;
};

export type Rule = {
  [A in AlgorithmName]: Flat<{ algorithm: A; limit: number } & FieldsOf<A>>;
}[AlgorithmName];

const ruleShapes = ALGORITHM_NAMES.map((algorithm) => {
  const spec = ALGORITHMS[algorithm];
  return {
    algorithm: z.literal(algorithm),
    limit: 'max' in spec ? limitNumber.max(...(spec.max as [number, string])) : limitNumber,
    ...Object.fromEntries(ruleFieldsOf(algorithm).map((field) => [field, RULE_FIELDS[field].schema])),
  };
});

type AlgorithmObject = z.ZodObject<{ algorithm: z.ZodLiteral<AlgorithmName> }>;

export function byAlgorithm(complete: (shape: z.core.$ZodLooseShape, algorithm: AlgorithmName) => object) {
  const options = ruleShapes.map((shape) => z.strictObject({ ...complete(shape, shape.algorithm.value) }));
  return z.discriminatedUnion('algorithm', options as unknown as [AlgorithmObject]);
}

export const ruleSchema = byAlgorithm((shape) => shape) as unknown as z.ZodType<Rule, Rule>;

/** A policy without the term has the first mode. */
export const TERM_MODES = {
  /** When a limit is exceeded. `hard` denies. */
  throttle: {
    hard: {},
    /** Allowed above the limit, marked SOFT_LIMIT. */
    soft: {
      percent: within('percent', 1, 1000).describe('Extra allowance in percent of the limit, 1 to 1000.'),
    },
    /** Allowed above the limit while the pool has spare capacity. */
    elastic: {
      maxPercent: within('maxPercent', 1, 10_000).describe(
        'The most that may be borrowed in percent of the limit, 1 to 10000.',
      ),
      pool: poolNameSchema.describe('Name of the pool of the same API to borrow from.'),
    },
    queue: {
      maxDelayMs: within('maxDelayMs', 1, MAX_DELAY_MS).describe(
        `The longest delay in milliseconds, 1 to ${MAX_DELAY_MS}.`,
      ),
    },
  },
  /** `shadow` counts and reports but never denies. */
  enforcement: {
    enforce: {},
    shadow: {},
    /** Enforced for a fixed share of counters, shadow for the others. */
    percent: {
      percent: within('percent', 1, 99).describe('Enforced share of counters in percent, 1 to 99.'),
    },
  },
  consistency: {
    strict: {},
    /** All leases together never exceed the limit; unspent capacity returns. */
    leased: {
      leaseMs: within('leaseMs', 100, 60_000).describe(
        'Milliseconds for which a node may spend a lease, 100 to 60000.',
      ),
    },
  },
} as const;

export type TermName = keyof typeof TERM_MODES;

type Term<T extends TermName> = {
  [M in keyof (typeof TERM_MODES)[T]]: Flat<
    { mode: M } & {
      -readonly [F in keyof (typeof TERM_MODES)[T][M]]: z.output<(typeof TERM_MODES)[T][M][F]>;
    }
  >;
}[keyof (typeof TERM_MODES)[T]];

function termSchema<T extends TermName>(term: T): z.ZodType<Term<T>, Term<T>> {
  const options = Object.entries(TERM_MODES[term]).map(([mode, fields]) =>
    z.strictObject({ mode: z.literal(mode), ...(fields as object) }),
  );
  return z.discriminatedUnion('mode', options as never) as never;
}

export const throttleSchema = termSchema('throttle');
export const enforcementSchema = termSchema('enforcement');
export const consistencySchema = termSchema('consistency');

/**
 * `on_failure`: a request without a reported outcome counts for `attemptTimeoutMs`. `on_success`: charged at once,
 * refunded when the caller reports a failure.
 */
export const chargeSchema = z.enum(['always', 'on_failure', 'on_success']);

/** Used quota when a limit changes; see `Algorithm.rebase`. */
export const carryOverSchema = z.enum(CARRY_OVERS);

export const policyFields = {
  name: limitNameSchema.describe('Name, unique within its API; clients see it in RateLimit headers.'),
  api: apiKeySchema.describe('Key of the API that it protects.'),
  operations: z
    .array(operationNameSchema)
    .max(100)
    .describe('Operations that it covers; empty: every operation of the API.'),
  ...reachFields,
  per: z
    .array(dimensionSchema)
    .max(4, 'A limit counts by at most 4 dimensions')
    .refine((per) => new Set(per).size === per.length, 'A dimension is named twice')
    .refine((per) => per.indexOf('global') <= 0, 'global comes first')
    .describe(
      'Dimensions that it counts by in addition to the tenant. `global` first: one counter for all tenants.',
    ),
  /** `shared`: requests without a value share one counter. `skip`: the limit does not apply. Default: shared. */
  onMissing: z
    .enum(['shared', 'skip', 'refuse'])
    .optional()
    .describe('How it treats a request without a value for one of its dimensions.'),
  /** `share`: each node spends its share of the limit locally. */
  onUnavailable: z.enum(['share', 'deny', 'allow']).describe('How nodes decide while Redis is unavailable.'),
  deadlineMs: z
    .int('deadlineMs must be a whole number of milliseconds')
    .min(5, "deadlineMs must be 5 or more; leave it out to use the node's deadline")
    .max(1000, "deadlineMs must be 1,000 (a second) at most; leave it out to use the node's deadline")
    .optional()
    .describe(
      "How long a decision waits for Redis, milliseconds, 5 to 1,000; the node's deadline when omitted.",
    ),
  throttle: throttleSchema
    .optional()
    .describe('What happens when the limit is exceeded; `hard` when omitted.'),
  enforcement: enforcementSchema.optional().describe('Whether denials take effect; `enforce` when omitted.'),
  candidate: ruleSchema.optional().describe('A rule to try: counted next to the limit, never enforced.'),
  charge: chargeSchema.optional().describe('Which requests count; `always` when omitted.'),
  attemptTimeoutMs: z
    .int('attemptTimeoutMs must be a whole number')
    .min(1000, 'attemptTimeoutMs must be 1,000 (a second) or more')
    .max(3_600_000, 'attemptTimeoutMs must be 3,600,000 (an hour) at most')
    .optional()
    .describe(
      'With charge `on_failure`: milliseconds for which a request without a reported outcome counts; 30,000 when omitted.',
    ),
  consistency: consistencySchema.optional().describe('How nodes share the counter; `strict` when omitted.'),
  ...addressFields,
  amounts: labelAmountsSchema
    .optional()
    .describe('Amounts for the values of a label, below the limit of all of them together.'),
  ...storageFields,
  ...sharingFields,
  penalty: penaltySchema
    .optional()
    .describe('Blocks a subject that the limit denies too often; no penalty when omitted.'),
  rolloverPercent: within('rolloverPercent', 1, 100)
    .optional()
    .describe(
      'Quotas of the tenant as a whole: the unused part of a period that the next one has in addition, in percent of the limit at most, 1 to 100.',
    ),
  warmUp: warmUpSchema
    .optional()
    .describe('Starts the limit of new tenants at a part of its number; the whole limit when omitted.'),
  inHeaders: z.boolean().optional().describe('Whether response headers include it.'),
};

type Common = z.output<z.ZodObject<typeof policyFields>>;

/** Stored, distributed and shown form; the decision plane compiles it to integers. */
export type LimitPolicy = {
  [A in AlgorithmName]: Flat<Common & { algorithm: A; limit: number } & FieldsOf<A>>;
}[AlgorithmName];

const fieldsSchema = byAlgorithm((shape) => ({
  ...policyFields,
  ...shape,
})) as unknown as z.ZodType<LimitPolicy, LimitPolicy>;

export const limitPolicySchema = fieldsSchema.superRefine((limit, context) => {
  if (limit.candidate !== undefined && isBlocking(limit.candidate)) {
    const message = 'A candidate counts; to try a block, use shadow mode';
    context.addIssue({ code: 'custom', path: ['candidate', 'limit'], message });
  }
  const finders = [
    findReachProblems,
    findAddressProblems,
    findAmountProblems,
    findStorageProblems,
    findSharingProblems,
    findPenaltyProblems,
    findRolloverProblems,
    findWarmUpProblems,
  ];
  const problems = finders.flatMap((find) => find(limit));
  for (const { field, message } of problems) context.addIssue({ code: 'custom', path: [field], message });
});

/** An adjustment has one number for the whole tenant, so unused units of single users cannot be added to their next period. */
function findRolloverProblems({ algorithm, per, rolloverPercent }: LimitPolicy) {
  if (rolloverPercent === undefined || (algorithm === 'quota' && per.length === 0)) return [];
  const message =
    'Only a quota of the tenant as a whole, with empty per, can have rolloverPercent; leave it out';
  return [{ field: 'rolloverPercent', message }];
}

/** Written in capitals by GraphQL and the database. */
export const ENUM_FIELDS: ReadonlySet<string> = new Set([
  'algorithm',
  'mode',
  'onMissing',
  'onUnavailable',
  'charge',
  'storage',
  ...Object.entries(RULE_FIELDS).flatMap(([field, row]) => ('choices' in row ? [field] : [])),
]);

/** Policy-shaped, not validated. */
export type LimitDraft = Record<string, unknown>;

export type PolicyOf<A extends AlgorithmName> = Extract<LimitPolicy, { algorithm: A }>;
export type FixedWindowPolicy = PolicyOf<'fixed_window'>;
export type GcraPolicy = PolicyOf<'gcra'>;
export type OnUnavailable = LimitPolicy['onUnavailable'];
export type OnMissing = NonNullable<LimitPolicy['onMissing']>;
export type QuotaPeriod = PolicyOf<'quota'>['period'];
export type Throttle = Term<'throttle'>;
export type Enforcement = Term<'enforcement'>;
export type Consistency = Term<'consistency'>;
export type ChargeRule = z.infer<typeof chargeSchema>;

const PERIOD_MS: Record<QuotaPeriod, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  billing: 30 * DAY_MS,
};

/** Window, nominal period of a quota, or timeout of a permit, ms. */
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
