import { ArgsType, ObjectType } from '@nestjs/graphql';
import { REASONS, type Reason } from '@tollgate/contracts';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ArgsOf, enumOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';
import { DecisionSubjectInput } from '../../customers/index.js';

export const DecisionReason = Object.fromEntries(REASONS.map((reason) => [reason, reason])) as {
  [R in Reason]: R;
};

registerEnum(DecisionReason, 'DecisionReason', 'Reason of a decision.', {
  WITHIN_LIMIT: 'Allowed: within all limits.',
  BURST: 'Allowed: ahead of the even rate, within the burst.',
  SOFT_LIMIT: 'Allowed: above the limit, within the soft band.',
  ELASTIC: 'Allowed: above the limit, with borrowed capacity.',
  QUEUED: 'Allowed after a delay.',
  RATE_EXCEEDED: 'Denied: rate limit exceeded.',
  QUOTA_EXCEEDED: 'Denied: quota exceeded.',
  CONCURRENCY_EXCEEDED: 'Denied: too many concurrent requests.',
  ATTEMPTS_IN_FLIGHT:
    'Denied: earlier attempts without a reported outcome could use up a limit that counts failures.',
  PENALTY: 'Denied: blocked by the penalty of a limit after too many denials.',
  POOL_EXHAUSTED: "Denied: the API's pool is exhausted.",
  BLOCKED: 'Denied: a limit is 0, the tenant is suspended or the operation is unknown.',
  SHADOW: 'Allowed: the limit that would have denied it is in shadow mode.',
  DEGRADED: "Degraded decision: the counters' Redis was unavailable.",
  EXEMPT: 'Allowed: exempt from limits by a setting.',
  NO_LIMIT: 'Allowed: no limit applies.',
});
export const PolicyMode = enumOf('PolicyMode', 'Mode of a limit in a decision.', {
  ENFORCE: 'Denies requests above the limit.',
  SHADOW: 'Counts and reports, never denies.',
  CANDIDATE: 'A candidate evaluated beside the live limit of the same name.',
});
export type PolicyMode = keyof typeof PolicyMode;

@ObjectType({ description: 'The result of one limit in a decision.' })
export class DecisionPolicy extends ObjectOf({
  limitName: field.string('Name of the limit.'),
  label: field
    .string(
      'The label whose amount it is, or `*` for all labels without an own amount; `parent` for a limit that the parent shares, `floor` and `common` for its parts; null: the limit itself.',
    )
    .nullable(),
  limit: field.safeInt('Capacity of the limit.'),
  remaining: field.safeInt('Capacity left after the decision, at cost 1.'),
  resetAt: field.dateTime('When the limit is completely unused again.'),
  mode: field.of(() => PolicyMode, 'Whether it was enforced.'),
  success: field.boolean('Whether it allowed the request.'),
}) {}

@ObjectType({ description: 'A pseudonymized identifier of the caller.' })
export class DecisionSubject extends ObjectOf({
  dimension: field.string('Dimension, such as `user` or `ip`.'),
  pseudonym: field.string(
    'The same identifier of the same tenant has the same pseudonym; the identifier is not stored.',
  ),
}) {}

@ObjectType({ description: 'A sampled decision.' })
export class Decision extends ObjectOf({
  id: field.id('Number of the sample.'),
  tenantKey: field.string('Key of the tenant.'),
  requestId: field.string('Id of the request, as in its response.'),
  at: field.dateTime('When the decision was made.'),
  nodeId: field.string('Id of the node that decided.'),
  apiKey: field.string('Key of the API.'),
  operation: field.string('Name of the operation.'),
  subject: field.of(() => DecisionSubject, 'The caller.').list(),
  cost: field.safeInt('Cost of the request.'),
  outcome: field.of(() => UsageOutcome, 'Outcome.'),
  reason: field.as<Reason>(() => DecisionReason, 'Reason.'),
  ruleId: field
    .string(
      'The subject rule that denied or exempted the caller, or changed the limit that decided; null if none did.',
    )
    .nullable(),
  limitName: field.string('The limit that decided; null if none did.').nullable(),
  policies: field.of(() => DecisionPolicy, 'Results of all limits.').list(),
  retryAfter: field.int('Seconds until a retry; null if it can never be allowed.').nullable(),
  delayMs: field.int('Delay in milliseconds that the request was given.'),
  revision: field.int('Policy revision of the decision.'),
}) {}

export const DecisionConnection = connectionOf(Decision, 'Decision', 'sampled decisions');

@ArgsType()
export class DecisionsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Only this API.').optional(),
  operation: field.string('Only this operation.').optional(),
  limitName: field.string('Only decisions by this limit.').optional(),
  outcome: field.of(() => UsageOutcome, 'Only this outcome.').optional(),
  subject: field.of(() => DecisionSubjectInput, 'Only this subject.').optional(),
}) {}
