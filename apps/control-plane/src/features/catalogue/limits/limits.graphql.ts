import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Node } from '../../../platform/graphql/node.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import {
  Algorithm,
  Alignment,
  CarryOver,
  LimitOrigin,
  OnUnavailable,
} from '../../../platform/prisma/schema.js';

export const TokenRefill = {
  CONTINUOUS: 'CONTINUOUS',
  INTERVAL: 'INTERVAL',
} as const;
export type TokenRefill = keyof typeof TokenRefill;

export const QuotaPeriod = {
  DAY: 'DAY',
  WEEK: 'WEEK',
  MONTH: 'MONTH',
  BILLING: 'BILLING',
} as const;
export type QuotaPeriod = keyof typeof QuotaPeriod;

export const ThrottleMode = {
  HARD: 'HARD',
  SOFT: 'SOFT',
  ELASTIC: 'ELASTIC',
  QUEUE: 'QUEUE',
} as const;
export type ThrottleMode = keyof typeof ThrottleMode;

export const EnforcementMode = {
  ENFORCE: 'ENFORCE',
  SHADOW: 'SHADOW',
  PERCENT: 'PERCENT',
} as const;
export type EnforcementMode = keyof typeof EnforcementMode;

export const Charge = {
  ALWAYS: 'ALWAYS',
  ON_FAILURE: 'ON_FAILURE',
  ON_SUCCESS: 'ON_SUCCESS',
} as const;
export type Charge = keyof typeof Charge;

export const ConsistencyMode = {
  STRICT: 'STRICT',
  LEASED: 'LEASED',
} as const;
export type ConsistencyMode = keyof typeof ConsistencyMode;

export const OnMissing = {
  SHARED: 'SHARED',
  SKIP: 'SKIP',
  REFUSE: 'REFUSE',
} as const;
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
    FIXED_WINDOW: { description: 'A counter per window.' },
    SLIDING_WINDOW_LOG: { description: 'The time of every request of the last window: exact.' },
    SLIDING_WINDOW_COUNTER: {
      description: 'Counters in parts of the window, or an estimate from two windows.',
    },
    TOKEN_BUCKET: { description: 'A bucket that fills up again, steadily or once an interval.' },
    LEAKY_BUCKET: { description: 'A queue that drains at a constant rate; each request is told its delay.' },
    GCRA: { description: 'Evenly spaced requests, with a burst.' },
    CONCURRENCY: { description: 'How much may run at the same time.' },
    QUOTA: { description: "A counter per calendar period, in the tenant's time zone." },
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
  description: 'What nodes answer while Redis cannot be asked.',
  valuesMap: {
    SHARE: { description: 'Each node spends its part of the limit.' },
    DENY: { description: 'Everything is refused.' },
    ALLOW: { description: 'Everything passes.' },
  },
});
registerEnumType(LimitOrigin, {
  name: 'LimitOrigin',
  description: 'Whose a limit is.',
  valuesMap: {
    TIER: { description: 'The tier says so itself.' },
    DEFAULT: { description: 'A default limit of the API: the tier has none of this name.' },
  },
});
registerEnumType(TokenRefill, {
  name: 'TokenRefill',
  description: 'When tokens come back.',
  valuesMap: {
    CONTINUOUS: { description: 'Steadily.' },
    INTERVAL: { description: 'All at the end of each window.' },
  },
});
registerEnumType(QuotaPeriod, {
  name: 'QuotaPeriod',
  description: "How long a quota is for, in the tenant's time zone.",
  valuesMap: {
    DAY: { description: 'From midnight.' },
    WEEK: { description: 'From Monday.' },
    MONTH: { description: 'From the first of the month.' },
    BILLING: { description: "From the tenant's `billingAnchorDay`." },
  },
});
registerEnumType(ThrottleMode, {
  name: 'ThrottleMode',
  description: 'What happens past a limit.',
  valuesMap: {
    HARD: { description: 'Refused.' },
    SOFT: { description: 'Allowed up to `percent` more, marked SOFT_LIMIT; then refused.' },
    ELASTIC: { description: 'Allowed up to `maxPercent` more while `pool` has spare capacity.' },
    QUEUE: { description: 'Allowed with a delay of at most `maxDelayMs`.' },
  },
});
registerEnumType(EnforcementMode, {
  name: 'EnforcementMode',
  description: 'Whether a refusal is one.',
  valuesMap: {
    ENFORCE: { description: 'It is.' },
    SHADOW: { description: 'Counted and told, never refused.' },
    PERCENT: { description: 'It is for `percent` of a hundred counters, always the same ones.' },
  },
});
registerEnumType(Charge, {
  name: 'Charge',
  description: 'What is counted.',
  valuesMap: {
    ALWAYS: { description: 'Every request.' },
    ON_FAILURE: { description: 'Requests that are not reported as successes.' },
    ON_SUCCESS: { description: 'Requests that are not reported as failures.' },
  },
});
registerEnumType(ConsistencyMode, {
  name: 'ConsistencyMode',
  description: 'How nodes agree on what is used.',
  valuesMap: {
    STRICT: { description: 'Each decision asks Redis.' },
    LEASED: { description: 'A node takes capacity ahead of time and spends it for at most `leaseMs`.' },
  },
});
registerEnumType(CarryOver, {
  name: 'CarryOver',
  description: 'What becomes of what is used when a limit changes.',
  valuesMap: {
    KEEP: { description: 'It stays used.' },
    RESET: { description: 'Nothing is used any more.' },
    PROPORTIONAL: { description: 'The same part of the new limit is used.' },
    ADDITIVE: { description: 'It stays used, at most the old limit: what was added is there at once.' },
  },
});

/** An algorithm with its numbers. What an algorithm does not have is null. */
@ObjectType({ isAbstract: true })
abstract class RuleFields {
  @Field(() => Algorithm, { description: 'How it counts.' })
  algorithm!: Algorithm;

  @Field(() => SafeInt, {
    description: 'How much passes per window or period; for CONCURRENCY: at the same time.',
  })
  limit!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Length of the window, milliseconds; null for CONCURRENCY and QUOTA.',
  })
  windowMs!: number | null;

  @Field(() => Alignment, { nullable: true, description: 'FIXED_WINDOW: when the window starts.' })
  alignment!: Alignment | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'SLIDING_WINDOW_COUNTER: parts of the window; 1: estimated from this window and the one before.',
  })
  buckets!: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'TOKEN_BUCKET: the most tokens that it holds.' })
  capacity!: number | null;

  @Field(() => TokenRefill, { nullable: true, description: 'TOKEN_BUCKET: when tokens come back.' })
  refill!: TokenRefill | null;

  @Field(() => SafeInt, { nullable: true, description: 'LEAKY_BUCKET: how many may wait.' })
  queue!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'GCRA: how many more at once than the one that a plain rate lets through.',
  })
  burst!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'CONCURRENCY: when a slot that nobody releases or renews is free again, milliseconds.',
  })
  leaseMs!: number | null;

  @Field(() => QuotaPeriod, { nullable: true, description: 'QUOTA: how long it is for.' })
  period!: QuotaPeriod | null;
}

@ObjectType({ description: 'A rule that is counted beside the one in force.' })
export class LimitRule extends RuleFields {}

@ObjectType({ description: 'What happens past a limit.' })
export class Throttle {
  @Field(() => ThrottleMode, { description: 'In one word.' })
  mode!: ThrottleMode;

  @Field(() => Int, { nullable: true, description: 'SOFT: how much more passes, percent of the limit.' })
  percent!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'ELASTIC: the most that may be borrowed, percent of the limit.',
  })
  maxPercent!: number | null;

  @Field(() => String, { nullable: true, description: 'ELASTIC: the pool of its API that it borrows from.' })
  pool!: string | null;

  @Field(() => Int, { nullable: true, description: 'QUEUE: the longest wait, milliseconds.' })
  maxDelayMs!: number | null;
}

@ObjectType({ description: 'Whether a refusal is one.' })
export class Enforcement {
  @Field(() => EnforcementMode, { description: 'In one word.' })
  mode!: EnforcementMode;

  @Field(() => Int, { nullable: true, description: 'PERCENT: for how many of a hundred counters.' })
  percent!: number | null;
}

@ObjectType({ description: 'How nodes agree on what is used.' })
export class Consistency {
  @Field(() => ConsistencyMode, { description: 'In one word.' })
  mode!: ConsistencyMode;

  @Field(() => Int, {
    nullable: true,
    description: 'LEASED: how long a node may keep what it took, milliseconds.',
  })
  leaseMs!: number | null;
}

@ObjectType({ implements: () => [Node], description: 'One rule of a tier version, or a default of an API.' })
export class Limit extends RuleFields {
  @Field(() => ID, { description: 'Global id, with a prefix that tells its type.' })
  id!: string;

  @Field({ description: 'Name, unique within its API; clients see it in RateLimit headers.' })
  name!: string;

  @Field({ description: 'Key of the API that it protects.' })
  apiKey!: string;

  @Field(() => LimitOrigin, { description: 'Whose it is.' })
  origin!: LimitOrigin;

  @Field(() => [String], { description: 'Operations that it covers; empty: every operation of the API.' })
  operations!: string[];

  @Field(() => [String], {
    description:
      'Dimensions that it counts by besides the tenant; empty: the tenant alone. `global` first: all tenants together.',
  })
  per!: string[];

  @Field(() => OnMissing, {
    description: 'How it treats a request without a value for one of its dimensions.',
  })
  onMissing!: OnMissing;

  @Field(() => OnUnavailable, { description: 'What nodes answer while Redis cannot be asked.' })
  onUnavailable!: OnUnavailable;

  @Field(() => Int, {
    nullable: true,
    description: 'How long a decision may wait for Redis, milliseconds; null: the deadline of the node.',
  })
  deadlineMs!: number | null;

  @Field(() => Throttle, { description: 'What happens past the limit.' })
  throttle!: Throttle;

  @Field(() => Enforcement, { description: 'Whether a refusal is one.' })
  enforcement!: Enforcement;

  @Field(() => Charge, { description: 'What is counted.' })
  charge!: Charge;

  @Field(() => Int, {
    nullable: true,
    description:
      'Charge ON_FAILURE: how long a request without a reported outcome is in flight, milliseconds; null: 30,000.',
  })
  attemptTimeoutMs!: number | null;

  @Field(() => Consistency, { description: 'How nodes agree on what is used.' })
  consistency!: Consistency;

  @Field(() => LimitRule, {
    nullable: true,
    description: 'Counted beside this limit, never refused: answers tell what it would do.',
  })
  candidate!: LimitRule | null;

  @Field({ description: 'Whether callers are told of it in response headers.' })
  inHeaders!: boolean;

  @Field({ description: 'One sentence in plain words, generated from the configuration.' })
  summary?: string;
}
