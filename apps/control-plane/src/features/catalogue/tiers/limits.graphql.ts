import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { Node } from '../../../platform/graphql/node.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { Algorithm, Alignment, LimitOrigin, OnUnavailable } from '../../../platform/prisma/schema.js';
import {
  Charge,
  ConsistencyMode,
  EnforcementMode,
  OnMissing,
  QuotaPeriod,
  ThrottleMode,
  TokenRefill,
} from './limit-enums.graphql.js';

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
