import { Field, InputType, Int } from '@nestjs/graphql';
import { type FieldError, ruleDefaults } from '@tollgate/contracts';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { Algorithm, Alignment, OnUnavailable } from '../../../platform/prisma/schema.js';
import {
  Charge,
  ConsistencyMode,
  EnforcementMode,
  OnMissing,
  QuotaPeriod,
  ThrottleMode,
  TokenRefill,
} from './limits.graphql.js';

@InputType({ description: 'An algorithm with its numbers.' })
export class LimitRuleInput {
  @Field(() => Algorithm, { description: 'How it counts.' })
  algorithm!: Algorithm;

  @Field(() => SafeInt, { description: 'How much passes, 1 or more.' })
  limit!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Length of the window, milliseconds; 366 days at most. Not for CONCURRENCY and QUOTA.',
  })
  windowMs?: number | null;

  @Field(() => Alignment, { nullable: true, description: 'Only FIXED_WINDOW; CLOCK when left out.' })
  alignment?: Alignment | null;

  @Field(() => Int, { nullable: true, description: 'Only SLIDING_WINDOW_COUNTER, 1 to 120.' })
  buckets?: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'Only TOKEN_BUCKET; `limit` when left out.' })
  capacity?: number | null;

  @Field(() => TokenRefill, { nullable: true, description: 'Only TOKEN_BUCKET; CONTINUOUS when left out.' })
  refill?: TokenRefill | null;

  @Field(() => SafeInt, { nullable: true, description: 'Only LEAKY_BUCKET.' })
  queue?: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'Only GCRA; 0 when left out.' })
  burst?: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'Only CONCURRENCY, milliseconds; a day at most.' })
  leaseMs?: number | null;

  @Field(() => QuotaPeriod, { nullable: true, description: 'Only QUOTA.' })
  period?: QuotaPeriod | null;
}

@InputType({ description: 'What happens past a limit.' })
export class ThrottleInput {
  @Field(() => ThrottleMode, { description: 'In one word.' })
  mode!: ThrottleMode;

  @Field(() => Int, { nullable: true, description: 'Only SOFT: percent of the limit, 1 to 1000.' })
  percent?: number | null;

  @Field(() => Int, { nullable: true, description: 'Only ELASTIC: percent of the limit, 1 to 10000.' })
  maxPercent?: number | null;

  @Field(() => String, { nullable: true, description: 'Only ELASTIC: name of a pool of the same API.' })
  pool?: string | null;

  @Field(() => Int, { nullable: true, description: 'Only QUEUE: 1 to 60000 milliseconds.' })
  maxDelayMs?: number | null;
}

@InputType({ description: 'Whether a refusal is one.' })
export class EnforcementInput {
  @Field(() => EnforcementMode, { description: 'In one word.' })
  mode!: EnforcementMode;

  @Field(() => Int, { nullable: true, description: 'Only PERCENT: 1 to 99.' })
  percent?: number | null;
}

@InputType({ description: 'How nodes agree on what is used.' })
export class ConsistencyInput {
  @Field(() => ConsistencyMode, { description: 'In one word.' })
  mode!: ConsistencyMode;

  @Field(() => Int, { nullable: true, description: 'Only LEASED: 100 to 60000 milliseconds.' })
  leaseMs?: number | null;
}

@InputType({ description: 'One default limit of an API.' })
export class DefaultLimitInput extends LimitRuleInput {
  @Field({ description: 'Name, unique within its API: a–z, 0–9 and inner hyphens.' })
  name!: string;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Operations that it covers; empty: every operation.',
  })
  operations!: string[];

  @Field(() => [String], {
    defaultValue: [],
    description: 'Dimensions that it counts by besides the tenant; `global` first: all tenants together.',
  })
  per!: string[];

  @Field(() => OnMissing, {
    nullable: true,
    defaultValue: OnMissing.SHARED,
    description: 'How it treats a request without a value for one of its dimensions.',
  })
  onMissing?: OnMissing | null;

  @Field(() => OnUnavailable, {
    nullable: true,
    defaultValue: OnUnavailable.SHARE,
    description: 'What nodes answer while Redis cannot be asked.',
  })
  onUnavailable?: OnUnavailable | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long a decision may wait for Redis, milliseconds, 5 to 1,000; the deadline of the node when left out.',
  })
  deadlineMs?: number | null;

  @Field(() => ThrottleInput, {
    nullable: true,
    description: 'What happens past the limit; HARD when left out.',
  })
  throttle?: ThrottleInput | null;

  @Field(() => EnforcementInput, { nullable: true, description: 'ENFORCE when left out.' })
  enforcement?: EnforcementInput | null;

  @Field(() => Charge, { nullable: true, defaultValue: Charge.ALWAYS, description: 'What is counted.' })
  charge?: Charge | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Charge ON_FAILURE only: how long a request without a reported outcome is in flight, milliseconds; 30,000 when left out.',
  })
  attemptTimeoutMs?: number | null;

  @Field(() => ConsistencyInput, { nullable: true, description: 'STRICT when left out.' })
  consistency?: ConsistencyInput | null;

  @Field(() => LimitRuleInput, {
    nullable: true,
    description: 'A rule to try: counted beside this limit, never refused.',
  })
  candidate?: LimitRuleInput | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: true,
    description: 'Whether callers are told of it in response headers.',
  })
  inHeaders?: boolean | null;
}

@InputType({ description: 'One limit of a draft.' })
export class LimitInput extends DefaultLimitInput {
  @Field({ description: 'Key of the API that it protects.' })
  apiKey!: string;
}

/** The caller has to say it. */
const NEEDED: unique symbol = Symbol('needed');

/** Fields that one variant has: what they are when left out, or {@link NEEDED}. */
type Fields = Readonly<Record<string, unknown>>;

const windowMs: typeof NEEDED = NEEDED;

const NEEDED_FIELDS: Record<Algorithm, Fields> = {
  FIXED_WINDOW: { windowMs },
  SLIDING_WINDOW_LOG: { windowMs },
  SLIDING_WINDOW_COUNTER: { windowMs, buckets: NEEDED },
  TOKEN_BUCKET: { windowMs },
  LEAKY_BUCKET: { windowMs, queue: NEEDED },
  GCRA: { windowMs },
  CONCURRENCY: { leaseMs: NEEDED },
  QUOTA: { period: NEEDED },
};

const ruleFields = (limit: number) =>
  Object.fromEntries(
    Object.entries(NEEDED_FIELDS).map(([algorithm, needed]) => [
      algorithm,
      { ...needed, ...ruleDefaults(algorithm.toLowerCase(), limit) },
    ]),
  ) as Record<Algorithm, Fields>;

const THROTTLE_FIELDS: Record<ThrottleMode, Fields> = {
  HARD: {},
  SOFT: { percent: NEEDED },
  ELASTIC: { maxPercent: NEEDED, pool: NEEDED },
  QUEUE: { maxDelayMs: NEEDED },
};
const ENFORCEMENT_FIELDS: Record<EnforcementMode, Fields> = {
  ENFORCE: {},
  SHADOW: {},
  PERCENT: { percent: NEEDED },
};
const CONSISTENCY_FIELDS: Record<ConsistencyMode, Fields> = { STRICT: {}, LEASED: { leaseMs: NEEDED } };

/** What GraphQL writes in capitals. */
const ENUM_FIELDS = new Set(['alignment', 'refill', 'period']);

/**
 * The policy that an input describes, still unchecked. What is left out gets its default; what says no more than a default
 * is left out. `errors` name the fields that are missing, or that belong to another variant.
 */
export function toPolicy(input: LimitInput): { policy: Record<string, unknown>; errors: FieldError[] } {
  const {
    name,
    apiKey,
    operations,
    per,
    onMissing,
    onUnavailable,
    deadlineMs,
    charge,
    candidate,
    inHeaders,
    attemptTimeoutMs,
  } = input;
  const errors: FieldError[] = [];
  const rule = readRule(input, '', errors);
  const throttle = readMode(input.throttle, 'throttle', THROTTLE_FIELDS, errors);
  const enforcement = readMode(input.enforcement, 'enforcement', ENFORCEMENT_FIELDS, errors);
  const consistency = readMode(input.consistency, 'consistency', CONSISTENCY_FIELDS, errors);
  const policy = {
    name,
    api: apiKey,
    operations,
    per,
    onUnavailable: (onUnavailable ?? 'SHARE').toLowerCase(),
    ...(deadlineMs == null ? {} : { deadlineMs }),
    ...(onMissing == null || onMissing === 'SHARED' ? {} : { onMissing: onMissing.toLowerCase() }),
    ...rule,
    ...(throttle === undefined ? {} : { throttle }),
    ...(enforcement === undefined ? {} : { enforcement }),
    ...(consistency === undefined ? {} : { consistency }),
    ...(charge == null || charge === 'ALWAYS' ? {} : { charge: charge.toLowerCase() }),
    ...(attemptTimeoutMs == null ? {} : { attemptTimeoutMs }),
    ...(candidate == null ? {} : { candidate: readRule(candidate, 'candidate.', errors) }),
    ...(inHeaders === false ? { inHeaders } : {}),
  };
  return { policy, errors };
}

function readRule(input: LimitRuleInput, path: string, errors: FieldError[]): Record<string, unknown> {
  const { algorithm, limit } = input;
  const variants = ruleFields(limit);
  const values = readVariant({ ...input }, algorithm, variants, path, errors);
  return { algorithm: algorithm.toLowerCase(), limit, ...values };
}

/** Undefined for the first mode, which is the one that a policy without it has. */
function readMode<M extends string>(
  input: { mode: M } | null | undefined,
  name: string,
  variants: Record<M, Fields>,
  errors: FieldError[],
): Record<string, unknown> | undefined {
  if (input == null) return undefined;
  const values = readVariant({ ...input }, input.mode, variants, `${name}.`, errors);
  const isDefault = input.mode === Object.keys(variants)[0];
  return isDefault ? undefined : { mode: input.mode.toLowerCase(), ...values };
}

function readVariant<V extends string>(
  input: Record<string, unknown>,
  variant: V,
  variants: Record<V, Fields>,
  path: string,
  errors: FieldError[],
): Record<string, unknown> {
  const own = variants[variant];
  for (const field of new Set(Object.values<Fields>(variants).flatMap(Object.keys))) {
    if (field in own || input[field] == null) continue;
    const having = Object.keys(variants).filter((other) => field in variants[other as V]);
    errors.push({ field: path + field, message: `Only ${having.join(', ')} has ${field}; leave it out` });
  }
  const values: Record<string, unknown> = {};
  for (const [field, byDefault] of Object.entries(own)) {
    const given = input[field];
    if (given == null && byDefault === NEEDED) {
      errors.push({ field: path + field, message: `${variant} needs ${field}` });
    } else {
      const value = given ?? byDefault;
      values[field] = ENUM_FIELDS.has(field) ? String(value).toLowerCase() : value;
    }
  }
  return values;
}
