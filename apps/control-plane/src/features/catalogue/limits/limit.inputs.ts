import { Field, type FieldOptions, InputType, Int, type ReturnTypeFunc } from '@nestjs/graphql';
import {
  ALGORITHM_NAMES,
  ALGORITHMS,
  type AlgorithmName,
  ENUM_FIELDS,
  type FieldError,
  type LabelAmounts,
  type LimitDraft,
  type LimitPolicy,
  type Penalty,
  penaltySchema,
  ruleDefaults,
  TERM_MODES,
  type TermName,
  type WarmUp,
  warmUpSchema,
} from '@tollgate/contracts';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { OnUnavailable } from '../../../platform/prisma/schema.js';
import {
  about,
  amountField,
  amountsField,
  Charge,
  ConsistencyMode,
  EnforcementMode,
  LimitStorage,
  numberFields,
  OnMissing,
  ruleFields,
  ThrottleMode,
  termFields,
} from './limits.graphql.js';

@InputType({ description: 'An algorithm with its numbers.' })
export class LimitRuleInput extends ruleFields() {}

@InputType({ description: 'What happens when a limit is exceeded.' })
export class ThrottleInput extends termFields('throttle', ThrottleMode) {}

@InputType({ description: 'Whether denials take effect.' })
export class EnforcementInput extends termFields('enforcement', EnforcementMode) {}

@InputType({ description: 'How nodes share a counter.' })
export class ConsistencyInput extends termFields('consistency', ConsistencyMode) {}

@InputType({ description: 'Blocks a subject that a limit denies too often.' })
export class LimitPenaltyInput extends numberFields<Penalty>(penaltySchema) {}

@InputType({ description: 'The amount of one label.' })
export class LabelAmountInput {
  @Field(() => String, { description: amountField('label') })
  label!: string;

  @Field(() => SafeInt, { description: amountField('limit') })
  limit!: number;
}

@InputType({ description: 'Parts of a limit for the values of a label.' })
export class LimitAmountsInput {
  @Field(() => String, { description: amountsField('by') })
  by!: string;

  @Field(() => [LabelAmountInput], { description: amountsField('labels') })
  labels!: LabelAmountInput[];

  @Field(() => SafeInt, { nullable: true, description: amountsField('others') })
  others?: number | null;
}

@InputType({ description: 'Starts a limit of new tenants at a part of its number.' })
export class LimitWarmUpInput extends numberFields<WarmUp>(warmUpSchema) {}

/** A field that limits of all algorithms have, with its description in contracts. */
function PolicyField(type: ReturnTypeFunc, options: FieldOptions = {}) {
  return (target: object, name: string): void => {
    const description = about(name === 'apiKey' ? 'api' : (name as Parameters<typeof about>[0]));
    Field(type, { description, ...options })(target, name);
  };
}

@InputType({ description: 'A default limit of an API.' })
export class DefaultLimitInput extends LimitRuleInput {
  @PolicyField(() => String)
  name!: string;

  @PolicyField(() => [String], { defaultValue: [] })
  operations!: string[];

  @PolicyField(() => [String], { nullable: true, defaultValue: [] })
  alsoApis?: string[] | null;

  @PolicyField(() => [String], { defaultValue: [] })
  per!: string[];

  @PolicyField(() => OnMissing, { nullable: true, defaultValue: OnMissing.SHARED })
  onMissing?: OnMissing | null;

  @PolicyField(() => OnUnavailable, { nullable: true, defaultValue: OnUnavailable.SHARE })
  onUnavailable?: OnUnavailable | null;

  @PolicyField(() => Int, { nullable: true })
  deadlineMs?: number | null;

  @PolicyField(() => ThrottleInput, { nullable: true })
  throttle?: ThrottleInput | null;

  @PolicyField(() => EnforcementInput, { nullable: true })
  enforcement?: EnforcementInput | null;

  @PolicyField(() => Charge, { nullable: true, defaultValue: Charge.ALWAYS })
  charge?: Charge | null;

  @PolicyField(() => Int, { nullable: true })
  attemptTimeoutMs?: number | null;

  @PolicyField(() => ConsistencyInput, { nullable: true })
  consistency?: ConsistencyInput | null;

  @PolicyField(() => LimitRuleInput, { nullable: true })
  candidate?: LimitRuleInput | null;

  @PolicyField(() => LimitStorage, { nullable: true, defaultValue: LimitStorage.KEY })
  storage?: LimitStorage | null;

  @PolicyField(() => Int, { nullable: true })
  expectedSubjects?: number | null;

  @PolicyField(() => Int, { nullable: true })
  ipv4Prefix?: number | null;

  @PolicyField(() => Int, { nullable: true })
  ipv6Prefix?: number | null;

  @PolicyField(() => LimitAmountsInput, { nullable: true })
  amounts?: LimitAmountsInput | null;

  @PolicyField(() => LimitPenaltyInput, { nullable: true })
  penalty?: LimitPenaltyInput | null;

  @PolicyField(() => Int, { nullable: true })
  rolloverPercent?: number | null;

  @PolicyField(() => LimitWarmUpInput, { nullable: true })
  warmUp?: LimitWarmUpInput | null;

  @PolicyField(() => Boolean, { nullable: true, defaultValue: false })
  sharedWithChildren?: boolean | null;

  @PolicyField(() => Boolean, { nullable: true, defaultValue: true })
  inHeaders?: boolean | null;
}

@InputType({ description: 'A limit of a draft.' })
export class LimitInput extends DefaultLimitInput {
  @PolicyField(() => String)
  apiKey!: string;
}

/** The input that {@link toLimitDraft} converts back to the same policy. */
export function toLimitInput({ api, ...policy }: LimitPolicy): LimitInput {
  return { apiKey: api, ...withUpperEnums(policy) } as LimitInput;
}

function withUpperEnums(fields: object): object {
  const values = Object.entries(fields).map(([name, value]) => {
    if (ENUM_FIELDS.has(name)) return [name, String(value).toUpperCase()];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, isObject ? withUpperEnums(value) : value];
  });
  return Object.fromEntries(values);
}

/** The value of a field that has no default. */
const REQUIRED: unique symbol = Symbol('required');

/** The fields of each variant with their defaults, or {@link REQUIRED}. */
type Variants = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Converts an input to a draft of a policy, with defaults for omitted fields and without terms that equal a default.
 * `errors` name missing fields and fields of other variants; {@link checkLimitPolicy} checks the values.
 */
export function toLimitDraft(input: LimitInput): { draft: LimitDraft; errors: FieldError[] } {
  const { name, apiKey, operations, per, onMissing, onUnavailable, deadlineMs, charge, candidate } = input;
  const {
    inHeaders,
    attemptTimeoutMs,
    storage,
    expectedSubjects,
    penalty,
    rolloverPercent,
    warmUp,
    alsoApis,
    ipv4Prefix,
    ipv6Prefix,
    amounts,
    sharedWithChildren,
  } = input;
  const errors: FieldError[] = [];
  const rule = readRule(input, '', errors);
  const draft = {
    name,
    api: apiKey,
    operations,
    ...(alsoApis == null || alsoApis.length === 0 ? {} : { alsoApis }),
    per,
    onUnavailable: (onUnavailable ?? 'SHARE').toLowerCase(),
    ...(deadlineMs == null ? {} : { deadlineMs }),
    ...(onMissing == null || onMissing === 'SHARED' ? {} : { onMissing: onMissing.toLowerCase() }),
    ...rule,
    ...readTerm(input, 'throttle', errors),
    ...readTerm(input, 'enforcement', errors),
    ...readTerm(input, 'consistency', errors),
    ...(charge == null || charge === 'ALWAYS' ? {} : { charge: charge.toLowerCase() }),
    ...(attemptTimeoutMs == null ? {} : { attemptTimeoutMs }),
    ...(candidate == null ? {} : { candidate: readRule(candidate, 'candidate.', errors) }),
    ...(storage == null || storage === 'KEY' ? {} : { storage: storage.toLowerCase() }),
    ...(expectedSubjects == null ? {} : { expectedSubjects }),
    ...(ipv4Prefix == null ? {} : { ipv4Prefix }),
    ...(ipv6Prefix == null ? {} : { ipv6Prefix }),
    ...(amounts == null ? {} : { amounts: readAmounts(amounts) }),
    ...(penalty == null ? {} : { penalty: { ...penalty } }),
    ...(rolloverPercent == null ? {} : { rolloverPercent }),
    ...(warmUp == null ? {} : { warmUp: { ...warmUp } }),
    ...(sharedWithChildren === true ? { sharedWithChildren } : {}),
    ...(inHeaders === false ? { inHeaders } : {}),
  };
  return { draft, errors };
}

function readAmounts({ by, labels, others }: LimitAmountsInput): LabelAmounts {
  return { by, labels: labels.map((one) => ({ ...one })), ...(others == null ? {} : { others }) };
}

function readRule(input: LimitRuleInput, path: string, errors: FieldError[]): LimitDraft {
  const { algorithm, limit } = input;
  const variants = Object.fromEntries(
    ALGORITHM_NAMES.map((name) => [
      name,
      { ...required(ALGORITHMS[name].required), ...ruleDefaults(name, limit) },
    ]),
  );
  const own = algorithm.toLowerCase() as AlgorithmName;
  return { algorithm: own, limit, ...readVariant({ ...input }, own, variants, path, errors) };
}

/** Nothing for an omitted term and for the first mode, which is the default. */
function readTerm(input: LimitInput, term: TermName, errors: FieldError[]): LimitDraft {
  const given = input[term];
  if (given == null) return {};
  const modes = Object.entries(TERM_MODES[term]);
  const variants = Object.fromEntries(modes.map(([mode, fields]) => [mode, required(Object.keys(fields))]));
  const mode = given.mode.toLowerCase();
  const values = readVariant({ ...given }, mode, variants, `${term}.`, errors);
  return mode === modes[0]?.[0] ? {} : { [term]: { mode, ...values } };
}

function required(fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, REQUIRED]));
}

function readVariant(
  input: Record<string, unknown>,
  variant: string,
  variants: Variants,
  path: string,
  errors: FieldError[],
): LimitDraft {
  const own = variants[variant] ?? {};
  for (const field of new Set(Object.values(variants).flatMap(Object.keys))) {
    if (field in own || input[field] == null) continue;
    const having = Object.keys(variants).filter((other) => field in (variants[other] ?? {}));
    const names = having.join(', ').toUpperCase();
    errors.push({ field: path + field, message: `Only ${names} has ${field}; leave it out` });
  }
  const values: LimitDraft = {};
  for (const [field, byDefault] of Object.entries(own)) {
    const given = input[field];
    if (given == null && byDefault === REQUIRED) {
      errors.push({ field: path + field, message: `${variant.toUpperCase()} needs ${field}` });
    } else {
      const value = given ?? byDefault;
      values[field] = ENUM_FIELDS.has(field) ? String(value).toLowerCase() : value;
    }
  }
  return values;
}
