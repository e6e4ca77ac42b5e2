import { Field, InputType, Int } from '@nestjs/graphql';
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
} from './limit-enums.graphql.js';

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
