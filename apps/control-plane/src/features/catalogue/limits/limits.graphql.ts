import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import {
  ALGORITHM_NAMES,
  ALGORITHMS,
  labelAmountSchema,
  labelAmountsSchema,
  type Penalty,
  penaltySchema,
  policyFields,
  RULE_FIELDS,
  type RuleField,
  ruleFieldsOf,
  type LimitStorage as Storage,
  TERM_MODES,
  type TermName,
  type WarmUp,
  warmUpSchema,
} from '@tollgate/contracts';
import { Node } from '../../../platform/graphql/connection.js';
import { enumOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import {
  Algorithm,
  Alignment,
  CarryOver,
  LimitOrigin,
  OnUnavailable,
} from '../../../platform/prisma/schema.js';

export function upper<V extends string>(value: V): Uppercase<V> {
  return value.toUpperCase() as Uppercase<V>;
}

export const OnMissing = enumOf(
  'OnMissing',
  'How a limit treats a request without a value for one of its dimensions.',
  {
    SHARED: 'All requests without the value share one counter.',
    SKIP: 'The limit does not apply to the request.',
    REFUSE: 'The request is rejected with 400 dimension-missing.',
  },
);
export type OnMissing = keyof typeof OnMissing;

registerEnum(Algorithm, 'Algorithm', 'How a limit counts.', {
  FIXED_WINDOW: 'One counter per window.',
  SLIDING_WINDOW_LOG: 'The time of every request in the last window: exact.',
  SLIDING_WINDOW_COUNTER: 'Counters of sub-windows, or an estimate from two windows.',
  TOKEN_BUCKET: 'A bucket that refills continuously or once per window.',
  LEAKY_BUCKET: 'A queue that drains at a constant rate; allowed requests carry a delay.',
  GCRA: 'Evenly spaced requests, with a burst.',
  CONCURRENCY: 'Requests running at the same time.',
  QUOTA: "One counter per calendar period, in the tenant's time zone.",
});
registerEnum(Alignment, 'Alignment', 'When a fixed window starts.', {
  CLOCK: 'At multiples of its length, counted from the Unix epoch in UTC.',
  FIRST_REQUEST: 'At the first request after the last window.',
});
registerEnum(OnUnavailable, 'OnUnavailable', 'How nodes decide while Redis is unavailable.', {
  SHARE: 'Each node spends its share of the limit.',
  DENY: 'Every request is denied.',
  ALLOW: 'Every request is allowed.',
});
registerEnum(LimitOrigin, 'LimitOrigin', 'Where a limit is defined.', {
  TIER: 'In the tier.',
  DEFAULT: 'In the default limits of the API: the tier has no limit of this name.',
});

export const TokenRefill = enumOf<RuleValue<'refill'>>('TokenRefill', 'When tokens are added.', {
  CONTINUOUS: 'Continuously.',
  INTERVAL: 'All at the end of each window.',
});
export type TokenRefill = keyof typeof TokenRefill;

export const QuotaPeriod = enumOf<RuleValue<'period'>>(
  'QuotaPeriod',
  "Calendar period of a quota, in the tenant's time zone.",
  {
    DAY: 'From midnight.',
    WEEK: 'From Monday.',
    MONTH: 'From the first of the month.',
    BILLING: "From the tenant's `billingAnchorDay`.",
  },
);
export type QuotaPeriod = keyof typeof QuotaPeriod;

export const ThrottleMode = enumOf<ModeOf<'throttle'>>(
  'ThrottleMode',
  'What happens when a limit is exceeded.',
  {
    HARD: 'Denied.',
    SOFT: 'Allowed up to `percent` more, marked SOFT_LIMIT; then denied.',
    ELASTIC: 'Allowed up to `maxPercent` more while `pool` has spare capacity.',
    QUEUE: 'Allowed with a delay of at most `maxDelayMs`.',
  },
);
export type ThrottleMode = keyof typeof ThrottleMode;

export const EnforcementMode = enumOf<ModeOf<'enforcement'>>(
  'EnforcementMode',
  'Whether denials take effect.',
  {
    ENFORCE: 'They do.',
    SHADOW: 'Counted and reported, never denied.',
    PERCENT: 'Enforced for `percent` of all counters, always the same ones.',
  },
);
export type EnforcementMode = keyof typeof EnforcementMode;

export const Charge = enumOf('Charge', 'Which requests count.', {
  ALWAYS: 'Every request.',
  ON_FAILURE: 'Requests that are not reported as successes.',
  ON_SUCCESS: 'Requests that are not reported as failures.',
});
export type Charge = keyof typeof Charge;

export const ConsistencyMode = enumOf<ModeOf<'consistency'>>(
  'ConsistencyMode',
  'How nodes share a counter.',
  {
    STRICT: 'Every decision reads Redis.',
    LEASED: 'A node takes capacity ahead of time and spends it for at most `leaseMs`.',
  },
);
export type ConsistencyMode = keyof typeof ConsistencyMode;

export const LimitStorage = enumOf<Uppercase<Storage>>(
  'LimitStorage',
  'Layout of the counters of a limit in Redis. It never changes.',
  {
    KEY: 'One key per counter.',
    PACKED: 'The counters of a tenant are fields of a few hashes. FIXED_WINDOW with `alignment` CLOCK only.',
    SUBJECT:
      'The counters of a subject, of all limits of the API with the same `per`, are fields of one hash. FIXED_WINDOW, GCRA, TOKEN_BUCKET with `refill` CONTINUOUS, and LEAKY_BUCKET only.',
  },
);
export type LimitStorage = keyof typeof LimitStorage;

registerEnum(CarryOver, 'CarryOver', 'What happens to existing usage when a limit changes.', {
  KEEP: 'Existing usage stays.',
  RESET: 'Usage starts at zero.',
  PROPORTIONAL: 'The same share of the new limit is used.',
  ADDITIVE: 'Existing usage stays, up to the old limit: additional capacity is available at once.',
});

type RuleValue<F extends RuleField> = (typeof RULE_FIELDS)[F] extends { choices: infer C }
  ? Uppercase<keyof C & string>
  : number;

/** An algorithm with its numbers in GraphQL; fields of other algorithms are null. */
type RuleFields = { algorithm: Algorithm; limit: number } & { [F in RuleField]?: RuleValue<F> | null };

type Modes<T extends TermName> = (typeof TERM_MODES)[T];
type ModeOf<T extends TermName> = Uppercase<keyof Modes<T> & string>;
type FieldOf<M> = M extends unknown ? keyof M : never;

/** A term with its numbers in GraphQL; fields of other modes are null. */
type TermFields<T extends TermName> = { mode: ModeOf<T> } & {
  [F in FieldOf<Modes<T>[keyof Modes<T>]>]?: (F extends 'pool' ? string : number) | null;
};

const RULE_ENUMS = { alignment: Alignment, refill: TokenRefill, period: QuotaPeriod };

/** A base class of object and input types with one nullable field per row of the table of rule fields. */
export function ruleFields(): abstract new () => RuleFields {
  abstract class Fields {}
  Field(() => Algorithm, { description: 'How it counts.' })(Fields.prototype, 'algorithm');
  const limit = 'Requests per window or period; for CONCURRENCY: at the same time. 0 blocks.';
  Field(() => SafeInt, { description: limit })(Fields.prototype, 'limit');
  for (const field of Object.keys(RULE_FIELDS) as RuleField[]) {
    const type = field in RULE_ENUMS ? RULE_ENUMS[field as keyof typeof RULE_ENUMS] : SafeInt;
    const description = describeRuleField(field);
    Field(() => (field === 'buckets' ? Int : type), { nullable: true, description })(Fields.prototype, field);
  }
  return asBase(Fields);
}

function describeRuleField(field: RuleField): string {
  const having = ALGORITHM_NAMES.filter((name) => ruleFieldsOf(name).includes(field));
  const missing = ALGORITHM_NAMES.filter((name) => !having.includes(name));
  const scope =
    having.length < missing.length
      ? `${having.map(upper).join(', ')} only.`
      : `Not for ${missing.map(upper).join(' and ')}.`;
  const { defaults } = ALGORITHMS[having[0] as keyof typeof ALGORITHMS];
  const byDefault = (defaults as Record<string, string | number>)[field];
  const value = typeof byDefault === 'string' && field in RULE_ENUMS ? upper(byDefault) : byDefault;
  const omitted = value === undefined ? '' : ` \`${value}\` when omitted.`;
  return `${scope} ${RULE_FIELDS[field].schema.description}${omitted}`;
}

/** A base class of object and input types with the mode of a term and one nullable field per field of its modes. */
export function termFields<T extends TermName>(term: T, modeType: object): abstract new () => TermFields<T> {
  abstract class Fields {}
  Field(() => modeType, { description: 'The mode.' })(Fields.prototype, 'mode');
  for (const [mode, fields] of Object.entries(TERM_MODES[term])) {
    for (const [field, schema] of Object.entries(fields as Record<string, { description?: string }>)) {
      const description = `${upper(mode)} only. ${schema.description}`;
      Field(() => (field === 'pool' ? String : Int), { nullable: true, description })(
        Fields.prototype,
        field,
      );
    }
  }
  return asBase(Fields);
}

function asBase<T>(fields: abstract new () => object): abstract new () => T {
  InputType({ isAbstract: true })(fields);
  ObjectType({ isAbstract: true })(fields);
  return fields as never;
}

@ObjectType({ description: 'A rule that is counted next to the limit.' })
export class LimitRule extends ruleFields() {}

@ObjectType({ description: 'What happens when a limit is exceeded.' })
export class Throttle extends termFields('throttle', ThrottleMode) {}

@ObjectType({ description: 'Whether denials take effect.' })
export class Enforcement extends termFields('enforcement', EnforcementMode) {}

@ObjectType({ description: 'How nodes share a counter.' })
export class Consistency extends termFields('consistency', ConsistencyMode) {}

/** A base class of object and input types with one number per field of a schema. */
export function numberFields<T>({ shape }: { shape: Record<keyof T & string, { description?: string }> }) {
  abstract class Fields {}
  for (const [name, { description }] of Object.entries<{ description?: string }>(shape)) {
    Field(() => SafeInt, { description: description as string })(Fields.prototype, name);
  }
  return asBase<T>(Fields);
}

@ObjectType({ description: 'Blocks a subject that a limit denies too often.' })
export class LimitPenalty extends numberFields<Penalty>(penaltySchema) {}

/** Description of a field of the amounts per label. */
export const amountsField = (name: keyof typeof labelAmountsSchema.shape) =>
  labelAmountsSchema.shape[name].description as string;

export const amountField = (name: keyof typeof labelAmountSchema.shape) =>
  labelAmountSchema.shape[name].description as string;

@ObjectType({ description: 'The amount of one label.' })
export class LabelAmount extends ObjectOf({
  label: field.string(amountField('label')),
  limit: field.safeInt(amountField('limit')),
}) {}

@ObjectType({ description: 'Parts of a limit for the values of a label.' })
export class LimitAmounts extends ObjectOf({
  by: field.string(amountsField('by')),
  labels: field.of(() => LabelAmount, amountsField('labels')).list(),
  others: field.safeInt(amountsField('others')).nullable(),
}) {}

@ObjectType({ description: 'Starts a limit of new tenants at a part of its number.' })
export class LimitWarmUp extends numberFields<WarmUp>(warmUpSchema) {}

/** Description of a field that limits of all algorithms have. */
export const about = (name: keyof typeof policyFields) => policyFields[name].description as string;

@ObjectType({
  implements: () => [Node],
  description: 'A limit of a tier version, or a default limit of an API.',
})
export class Limit extends ObjectOf(ruleFields(), {
  id: field.id('Global id, with a prefix for its type.'),
  name: field.string(about('name')),
  apiKey: field.string(about('api')),
  origin: field.of(() => LimitOrigin, 'Where it is defined.'),
  operations: field.string(about('operations')).list(),
  alsoApis: field.string(about('alsoApis')).list(),
  per: field.string(about('per')).list(),
  onMissing: field.of(() => OnMissing, about('onMissing')),
  onUnavailable: field.of(() => OnUnavailable, about('onUnavailable')),
  deadlineMs: field.int(about('deadlineMs')).nullable(),
  throttle: field.of(() => Throttle, about('throttle')),
  enforcement: field.of(() => Enforcement, about('enforcement')),
  charge: field.of(() => Charge, about('charge')),
  attemptTimeoutMs: field.int(about('attemptTimeoutMs')).nullable(),
  consistency: field.of(() => Consistency, about('consistency')),
  candidate: field.of(() => LimitRule, about('candidate')).nullable(),
  storage: field.of(() => LimitStorage, about('storage')),
  expectedSubjects: field.int(about('expectedSubjects')).nullable(),
  ipv4Prefix: field.int(about('ipv4Prefix')).nullable(),
  ipv6Prefix: field.int(about('ipv6Prefix')).nullable(),
  amounts: field.of(() => LimitAmounts, about('amounts')).nullable(),
  penalty: field.of(() => LimitPenalty, about('penalty')).nullable(),
  rolloverPercent: field.int(about('rolloverPercent')).nullable(),
  warmUp: field.of(() => LimitWarmUp, about('warmUp')).nullable(),
  sharedWithChildren: field.boolean(about('sharedWithChildren')),
  inHeaders: field.boolean(about('inHeaders')),
  summary: field.string('One sentence in plain words, generated from the configuration.').resolved(),
}) {}
