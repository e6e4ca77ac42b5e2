import {
  Field,
  type FieldOptions,
  InputType,
  Int,
  ObjectType,
  type ReturnTypeFunc,
  registerEnumType,
} from '@nestjs/graphql';
import {
  ALGORITHM_NAMES,
  ALGORITHMS,
  policyFields,
  RULE_FIELDS,
  type RuleField,
  ruleFieldsOf,
  TERM_MODES,
  type TermName,
} from '@tollgate/contracts';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import {
  Algorithm,
  Alignment,
  CarryOver,
  LimitOrigin,
  OnUnavailable,
} from '../../../platform/prisma/schema.js';

/** Converts the values of a wire enum to the spelling of GraphQL and the database. */
function upperEnum<V extends string>(values: Readonly<Record<V, unknown>>) {
  const names = (Object.keys(values) as V[]).map((value) => upper(value));
  return Object.fromEntries(names.map((name) => [name, name])) as { [N in Uppercase<V>]: N };
}

export function upper<V extends string>(value: V): Uppercase<V> {
  return value.toUpperCase() as Uppercase<V>;
}

export const TokenRefill = upperEnum(RULE_FIELDS.refill.choices);
export type TokenRefill = keyof typeof TokenRefill;

export const QuotaPeriod = upperEnum(RULE_FIELDS.period.choices);
export type QuotaPeriod = keyof typeof QuotaPeriod;

export const ThrottleMode = upperEnum(TERM_MODES.throttle);
export type ThrottleMode = keyof typeof ThrottleMode;

export const EnforcementMode = upperEnum(TERM_MODES.enforcement);
export type EnforcementMode = keyof typeof EnforcementMode;

export const ConsistencyMode = upperEnum(TERM_MODES.consistency);
export type ConsistencyMode = keyof typeof ConsistencyMode;

export const Charge = { ALWAYS: 'ALWAYS', ON_FAILURE: 'ON_FAILURE', ON_SUCCESS: 'ON_SUCCESS' } as const;
export type Charge = keyof typeof Charge;

export const OnMissing = { SHARED: 'SHARED', SKIP: 'SKIP', REFUSE: 'REFUSE' } as const;
export type OnMissing = keyof typeof OnMissing;

registerEnumType(OnMissing, {
  name: 'OnMissing',
  description: 'How a limit treats a request without a value for one of its dimensions.',
  valuesMap: {
    SHARED: { description: 'All requests without the value share one counter.' },
    SKIP: { description: 'The limit does not apply to the request.' },
    REFUSE: { description: 'The request is rejected with 400 dimension-missing.' },
  },
});
registerEnumType(Algorithm, {
  name: 'Algorithm',
  description: 'How a limit counts.',
  valuesMap: {
    FIXED_WINDOW: { description: 'One counter per window.' },
    SLIDING_WINDOW_LOG: { description: 'The time of every request in the last window: exact.' },
    SLIDING_WINDOW_COUNTER: {
      description: 'Counters of sub-windows, or an estimate from two windows.',
    },
    TOKEN_BUCKET: { description: 'A bucket that refills continuously or once per window.' },
    LEAKY_BUCKET: { description: 'A queue that drains at a constant rate; allowed requests carry a delay.' },
    GCRA: { description: 'Evenly spaced requests, with a burst.' },
    CONCURRENCY: { description: 'Requests running at the same time.' },
    QUOTA: { description: "One counter per calendar period, in the tenant's time zone." },
  },
});
registerEnumType(Alignment, {
  name: 'Alignment',
  description: 'When a fixed window starts.',
  valuesMap: {
    CLOCK: { description: 'At multiples of its length, counted from the Unix epoch in UTC.' },
    FIRST_REQUEST: { description: 'At the first request after the last window.' },
  },
});
registerEnumType(OnUnavailable, {
  name: 'OnUnavailable',
  description: 'How nodes decide while Redis is unavailable.',
  valuesMap: {
    SHARE: { description: 'Each node spends its share of the limit.' },
    DENY: { description: 'Every request is denied.' },
    ALLOW: { description: 'Every request is allowed.' },
  },
});
registerEnumType(LimitOrigin, {
  name: 'LimitOrigin',
  description: 'Where a limit is defined.',
  valuesMap: {
    TIER: { description: 'In the tier.' },
    DEFAULT: { description: 'In the default limits of the API: the tier has no limit of this name.' },
  },
});
registerEnumType(TokenRefill, {
  name: 'TokenRefill',
  description: 'When tokens are added.',
  valuesMap: {
    CONTINUOUS: { description: 'Continuously.' },
    INTERVAL: { description: 'All at the end of each window.' },
  },
});
registerEnumType(QuotaPeriod, {
  name: 'QuotaPeriod',
  description: "Calendar period of a quota, in the tenant's time zone.",
  valuesMap: {
    DAY: { description: 'From midnight.' },
    WEEK: { description: 'From Monday.' },
    MONTH: { description: 'From the first of the month.' },
    BILLING: { description: "From the tenant's `billingAnchorDay`." },
  },
});
registerEnumType(ThrottleMode, {
  name: 'ThrottleMode',
  description: 'What happens when a limit is exceeded.',
  valuesMap: {
    HARD: { description: 'Denied.' },
    SOFT: { description: 'Allowed up to `percent` more, marked SOFT_LIMIT; then denied.' },
    ELASTIC: { description: 'Allowed up to `maxPercent` more while `pool` has spare capacity.' },
    QUEUE: { description: 'Allowed with a delay of at most `maxDelayMs`.' },
  },
});
registerEnumType(EnforcementMode, {
  name: 'EnforcementMode',
  description: 'Whether denials take effect.',
  valuesMap: {
    ENFORCE: { description: 'They do.' },
    SHADOW: { description: 'Counted and reported, never denied.' },
    PERCENT: { description: 'Enforced for `percent` of all counters, always the same ones.' },
  },
});
registerEnumType(Charge, {
  name: 'Charge',
  description: 'Which requests count.',
  valuesMap: {
    ALWAYS: { description: 'Every request.' },
    ON_FAILURE: { description: 'Requests that are not reported as successes.' },
    ON_SUCCESS: { description: 'Requests that are not reported as failures.' },
  },
});
registerEnumType(ConsistencyMode, {
  name: 'ConsistencyMode',
  description: 'How nodes share a counter.',
  valuesMap: {
    STRICT: { description: 'Every decision reads Redis.' },
    LEASED: { description: 'A node takes capacity ahead of time and spends it for at most `leaseMs`.' },
  },
});
registerEnumType(CarryOver, {
  name: 'CarryOver',
  description: 'What happens to existing usage when a limit changes.',
  valuesMap: {
    KEEP: { description: 'Existing usage stays.' },
    RESET: { description: 'Usage starts at zero.' },
    PROPORTIONAL: { description: 'The same share of the new limit is used.' },
    ADDITIVE: {
      description: 'Existing usage stays, up to the old limit: additional capacity is available at once.',
    },
  },
});

type RuleValue<F extends RuleField> = (typeof RULE_FIELDS)[F] extends { choices: infer C }
  ? Uppercase<keyof C & string>
  : number;

/** An algorithm with its numbers in GraphQL; fields of other algorithms are null. */
type RuleFields = { algorithm: Algorithm; limit: number } & { [F in RuleField]?: RuleValue<F> | null };

type Modes<T extends TermName> = (typeof TERM_MODES)[T];
type FieldOf<M> = M extends unknown ? keyof M : never;

/** A term with its numbers in GraphQL; fields of other modes are null. */
type TermFields<T extends TermName> = { mode: Uppercase<keyof Modes<T> & string> } & {
  [F in FieldOf<Modes<T>[keyof Modes<T>]>]?: (F extends 'pool' ? string : number) | null;
};

const RULE_ENUMS = { alignment: Alignment, refill: TokenRefill, period: QuotaPeriod };

/** A base class of object and input types with one nullable field per row of the table of rule fields. */
export function ruleFields(): abstract new () => RuleFields {
  abstract class Fields {}
  Field(() => Algorithm, { description: 'How it counts.' })(Fields.prototype, 'algorithm');
  const limit = 'Requests per window or period; for CONCURRENCY: at the same time. 1 or more.';
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

/** A field that limits of all algorithms have, with its description in contracts. */
export function PolicyField(type: ReturnTypeFunc, options: FieldOptions = {}) {
  return (target: object, name: string): void => {
    const { description } = policyFields[name === 'apiKey' ? 'api' : (name as keyof typeof policyFields)];
    Field(type, { description: description as string, ...options })(target, name);
  };
}

@ObjectType({ description: 'A rule that is counted next to the limit.' })
export class LimitRule extends ruleFields() {}

@ObjectType({ description: 'What happens when a limit is exceeded.' })
export class Throttle extends termFields('throttle', ThrottleMode) {}

@ObjectType({ description: 'Whether denials take effect.' })
export class Enforcement extends termFields('enforcement', EnforcementMode) {}

@ObjectType({ description: 'How nodes share a counter.' })
export class Consistency extends termFields('consistency', ConsistencyMode) {}

@ObjectType({
  implements: () => [Node],
  description: 'A limit of a tier version, or a default limit of an API.',
})
export class Limit extends ObjectOf(ruleFields(), {
  id: field.id('Global id; the prefix names its type.'),
  origin: field.of(() => LimitOrigin, 'Where it is defined.'),
  summary: field.string('One sentence in plain words, generated from the configuration.').resolved(),
}) {
  @PolicyField(() => String)
  name!: string;

  @PolicyField(() => String)
  apiKey!: string;

  @PolicyField(() => [String])
  operations!: string[];

  @PolicyField(() => [String])
  per!: string[];

  @PolicyField(() => OnMissing)
  onMissing!: OnMissing;

  @PolicyField(() => OnUnavailable)
  onUnavailable!: OnUnavailable;

  @PolicyField(() => Int, { nullable: true })
  deadlineMs!: number | null;

  @PolicyField(() => Throttle)
  throttle!: Throttle;

  @PolicyField(() => Enforcement)
  enforcement!: Enforcement;

  @PolicyField(() => Charge)
  charge!: Charge;

  @PolicyField(() => Int, { nullable: true })
  attemptTimeoutMs!: number | null;

  @PolicyField(() => Consistency)
  consistency!: Consistency;

  @PolicyField(() => LimitRule, { nullable: true })
  candidate!: LimitRule | null;

  @PolicyField(() => Boolean)
  inHeaders!: boolean;
}
