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
  description: 'Why a request was allowed or not.',
  valuesMap: {
    WITHIN_LIMIT: { description: 'Allowed: within every limit.' },
    BURST: { description: 'Allowed, ahead of the even spacing.' },
    SOFT_LIMIT: { description: 'Allowed past the limit, within the soft band.' },
    ELASTIC: { description: 'Allowed past the limit, on borrowed capacity.' },
    QUEUED: { description: 'Allowed, after a wait.' },
    RATE_EXCEEDED: { description: 'Refused: too much at once.' },
    QUOTA_EXCEEDED: { description: 'Refused: the quota of the period is used up.' },
    CONCURRENCY_EXCEEDED: { description: 'Refused: too many at the same time.' },
    ATTEMPTS_IN_FLIGHT: {
      description:
        'Denied: earlier attempts without a reported outcome could use up a limit that counts failures.',
    },
    POOL_EXHAUSTED: { description: "Refused: the API's pool has no room." },
    BLOCKED: { description: 'Refused: the tenant is suspended, or the operation is not known.' },
    SHADOW: { description: 'Allowed only because the limit that refused is not enforced.' },
    DEGRADED: { description: "Decided without the counters' Redis." },
    EXEMPT: { description: 'Allowed: a setting exempts it from limits.' },
    NO_LIMIT: { description: 'Allowed: no limit is configured.' },
  },
});
registerEnumType(PolicyMode, {
  name: 'PolicyMode',
  description: 'What a limit does in a decision.',
  valuesMap: {
    ENFORCE: { description: 'Refuses.' },
    SHADOW: { description: 'Counts and tells, never refuses.' },
    CANDIDATE: { description: 'Is tried beside the live limit of the same name.' },
  },
});

@ObjectType({ description: 'What one limit said in a decision.' })
export class DecisionPolicy {
  @Field({ description: 'The limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'What it admits.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'What was left of it after the decision, at cost 1.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When nothing of it would be used any more.' })
  resetAt!: Date;

  @Field(() => PolicyMode, { description: 'Whether it was enforced.' })
  mode!: PolicyMode;

  @Field({ description: 'Whether it let the request pass.' })
  success!: boolean;
}

@ObjectType({ description: 'An identifier of who asked, as a pseudonym.' })
export class DecisionSubject {
  @Field({ description: 'What it is, such as `user` or `ip`.' })
  dimension!: string;

  @Field({ description: 'The same for the same identifier of the same tenant; what it was is not kept.' })
  pseudonym!: string;
}

@ObjectType({ description: 'A decision as it was made: one of the sample that is kept.' })
export class Decision {
  @Field(() => ID, { description: 'Number of the kept decision.' })
  id!: string;

  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Id of the request, as its answer had it.' })
  requestId!: string;

  @Field(() => DateTime, { description: 'When.' })
  at!: Date;

  @Field({ description: 'The node that decided.' })
  nodeId!: string;

  @Field({ description: 'The API.' })
  apiKey!: string;

  @Field({ description: 'The operation.' })
  operation!: string;

  @Field(() => [DecisionSubject], { description: 'Who asked.' })
  subject!: DecisionSubject[];

  @Field(() => SafeInt, { description: 'What it cost, or would have.' })
  cost!: number;

  @Field(() => UsageOutcome, { description: 'How it ended.' })
  outcome!: UsageOutcome;

  @Field(() => DecisionReason, { description: 'Why.' })
  reason!: Reason;

  @Field(() => String, { nullable: true, description: 'The limit that decided; null: none did.' })
  limitName!: string | null;

  @Field(() => [DecisionPolicy], { description: 'What each limit said.' })
  policies!: DecisionPolicy[];

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds after which to ask again; null: it can never pass.',
  })
  retryAfter!: number | null;

  @Field(() => Int, { description: 'Milliseconds that the request was to wait.' })
  delayMs!: number;

  @Field(() => Int, { description: 'Revision of the policy that decided.' })
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

  @Field(() => String, { nullable: true, description: 'Only of this API.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Only of this operation.' })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: 'Only what was decided by this limit.' })
  limitName?: string | null;

  @Field(() => UsageOutcome, { nullable: true, description: 'Only what ended so.' })
  outcome?: UsageOutcome | null;

  @Field(() => DecisionSubjectInput, { nullable: true, description: 'Only what this subject asked.' })
  subject?: DecisionSubjectInput | null;
}
