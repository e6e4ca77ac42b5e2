import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { REASONS, type Reason } from '@tollgate/contracts';
import * as z from 'zod';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { InputOf } from '../../../platform/graphql/input-of.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';

export const DecisionReason = Object.fromEntries(REASONS.map((reason) => [reason, reason])) as {
  [R in Reason]: R;
};

export enum PolicyMode {
  ENFORCE = 'ENFORCE',
  SHADOW = 'SHADOW',
  CANDIDATE = 'CANDIDATE',
}

registerEnumType(DecisionReason, {
  name: 'DecisionReason',
  description: 'Reason of a decision.',
  valuesMap: {
    WITHIN_LIMIT: { description: 'Allowed: within all limits.' },
    BURST: { description: 'Allowed: ahead of the even rate, within the burst.' },
    SOFT_LIMIT: { description: 'Allowed: above the limit, within the soft band.' },
    ELASTIC: { description: 'Allowed: above the limit, with borrowed capacity.' },
    QUEUED: { description: 'Allowed after a delay.' },
    RATE_EXCEEDED: { description: 'Denied: rate limit exceeded.' },
    QUOTA_EXCEEDED: { description: 'Denied: quota exceeded.' },
    CONCURRENCY_EXCEEDED: { description: 'Denied: too many concurrent requests.' },
    ATTEMPTS_IN_FLIGHT: {
      description:
        'Denied: earlier attempts without a reported outcome could use up a limit that counts failures.',
    },
    POOL_EXHAUSTED: { description: "Denied: the API's pool is exhausted." },
    BLOCKED: { description: 'Denied: the tenant is suspended or the operation is unknown.' },
    SHADOW: { description: 'Allowed: the limit that would have denied it is in shadow mode.' },
    DEGRADED: { description: "Degraded decision: the counters' Redis was unavailable." },
    EXEMPT: { description: 'Allowed: exempt from limits by a setting.' },
    NO_LIMIT: { description: 'Allowed: no limit applies.' },
  },
});
registerEnumType(PolicyMode, {
  name: 'PolicyMode',
  description: 'Mode of a limit in a decision.',
  valuesMap: {
    ENFORCE: { description: 'Denies requests above the limit.' },
    SHADOW: { description: 'Counts and reports, never denies.' },
    CANDIDATE: { description: 'A candidate evaluated beside the live limit of the same name.' },
  },
});

@ObjectType({ description: 'The result of one limit in a decision.' })
export class DecisionPolicy {
  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'Capacity of the limit.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'Capacity left after the decision, at cost 1.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When the limit is completely unused again.' })
  resetAt!: Date;

  @Field(() => PolicyMode, { description: 'Whether it was enforced.' })
  mode!: PolicyMode;

  @Field({ description: 'Whether it allowed the request.' })
  success!: boolean;
}

@ObjectType({ description: 'A pseudonymized identifier of the caller.' })
export class DecisionSubject {
  @Field({ description: 'Dimension, such as `user` or `ip`.' })
  dimension!: string;

  @Field({
    description:
      'The same identifier of the same tenant has the same pseudonym; the identifier is not stored.',
  })
  pseudonym!: string;
}

@ObjectType({ description: 'A sampled decision.' })
export class Decision {
  @Field(() => ID, { description: 'Number of the sample.' })
  id!: string;

  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Id of the request, as in its response.' })
  requestId!: string;

  @Field(() => DateTime, { description: 'When the decision was made.' })
  at!: Date;

  @Field({ description: 'Id of the node that decided.' })
  nodeId!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the operation.' })
  operation!: string;

  @Field(() => [DecisionSubject], { description: 'The caller.' })
  subject!: DecisionSubject[];

  @Field(() => SafeInt, { description: 'Cost of the request.' })
  cost!: number;

  @Field(() => UsageOutcome, { description: 'Outcome.' })
  outcome!: UsageOutcome;

  @Field(() => DecisionReason, { description: 'Reason.' })
  reason!: Reason;

  @Field(() => String, { nullable: true, description: 'The limit that decided; null if none did.' })
  limitName!: string | null;

  @Field(() => [DecisionPolicy], { description: 'Results of all limits.' })
  policies!: DecisionPolicy[];

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds until a retry; null if it can never be allowed.',
  })
  retryAfter!: number | null;

  @Field(() => Int, { description: 'Delay in milliseconds that the request was given.' })
  delayMs!: number;

  @Field(() => Int, { description: 'Policy revision of the decision.' })
  revision!: number;
}

export const DecisionConnection = connectionOf(Decision, 'Decision', 'sampled decisions');

const subjectSchema = z.object({
  dimension: z.string().describe('Dimension, such as `user` or `ip`.'),
  value: z.string().describe('The identifier.'),
});

@InputType({ description: 'A subject to search for.' })
export class DecisionSubjectInput extends InputOf(subjectSchema) {}

@ArgsType()
export class DecisionsArgs extends PageArgs {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => String, { nullable: true, description: 'Only this API.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Only this operation.' })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: 'Only decisions by this limit.' })
  limitName?: string | null;

  @Field(() => UsageOutcome, { nullable: true, description: 'Only this outcome.' })
  outcome?: UsageOutcome | null;

  @Field(() => DecisionSubjectInput, { nullable: true, description: 'Only this subject.' })
  subject?: DecisionSubjectInput | null;
}
