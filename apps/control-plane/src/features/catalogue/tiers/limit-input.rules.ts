import { type FieldError, ruleDefaults } from '@tollgate/contracts';
import type { Algorithm } from '../../../platform/prisma/schema.js';
import type { ConsistencyMode, EnforcementMode, ThrottleMode } from './limit-enums.graphql.js';
import type { LimitInput, LimitRuleInput } from './limit-input.graphql.js';

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
