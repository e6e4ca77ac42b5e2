import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Reason } from '@tollgate/contracts';
import { ArgsOf, enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { EffectiveLimit, SubjectEffectKind } from '../../customers/index.js';
import { Decision, DecisionReason, PolicyMode } from '../../usage/index.js';

export const CapacityField = enumOf('CapacityField', 'Field of a limit that holds its capacity.', {
  LIMIT: '`limit`.',
  CAPACITY: '`capacity` of a token bucket.',
  BURST: '`burst` of GCRA.',
  QUEUE: '`queue` of a leaky bucket.',
});
export type CapacityField = keyof typeof CapacityField;

@ObjectType({ description: 'Amount that would have been enough for a request that a limit denied.' })
export class SufficientAmount extends ObjectOf({
  field: field.of(() => CapacityField, 'The field to increase.'),
  value: field.safeInt(
    'The smallest value. If usage was already above the limit, because it had been lowered, more was needed.',
  ),
}) {}

@ObjectType({ description: 'A limit in a decision: what was left before and after it.' })
export class LimitState extends ObjectOf({
  limitName: field.string('Name of the limit.'),
  label: field
    .string(
      'The label whose amount it is, or `*` for all labels without an own amount; `parent` for a limit that the parent shares, `floor` and `common` for its parts; null: the limit itself.',
    )
    .nullable(),
  mode: field.of(() => PolicyMode, 'Whether it was enforced.'),
  success: field.boolean('Whether it allowed the request.'),
  limit: field.safeInt('Its value then.'),
  before: field.safeInt('Units left before the decision.'),
  after: field.safeInt('Units left after the decision; a denied request charges nothing.'),
  sufficient: field
    .of(() => SufficientAmount, 'Null if it did not deny the request, or its rule then is no longer stored.')
    .nullable(),
}) {}

@ObjectType({ description: 'Changes of a denied request, each of which would have allowed it.' })
export class PassingRequest extends ObjectOf({
  at: field
    .dateTime('The same request from this time, if no other was allowed before it; null: never.')
    .nullable(),
  cost: field.safeInt('The highest cost at that time; null: none.').nullable(),
}) {}

@ObjectType({ description: 'A sampled decision that checked the same counter.' })
export class CounterPoint extends ObjectOf({
  at: field.dateTime('When.'),
  requestId: field.id('Id of the request.'),
  remaining: field.safeInt('Units left after it.'),
  cost: field.safeInt('Cost of the request.'),
  success: field.boolean('Whether the limit allowed the request.'),
}) {}

export const CounterReplayProblem = enumOf(
  'CounterReplayProblem',
  'Why the recorded traffic shows nothing of a counter.',
  {
    NOT_RECORDED: 'The decision is not in the recorded traffic: not recorded, deleted, or not stored yet.',
    TOO_MUCH: 'The tenant had too many decisions in that time.',
    NOT_COVERED:
      'The counter depends on more than the recorded requests that the viewer sees: leases, permits, other tenants, outcomes or labels.',
  },
);
export type CounterReplayProblem = keyof typeof CounterReplayProblem;

@ObjectType({ description: 'A part of the time of a counter.' })
class CounterStep extends ObjectOf({
  at: field.dateTime('Start.'),
  left: field.safeInt('The fewest units left in it.'),
  allowed: field.safeInt('Allowed requests on the counter.'),
  denied: field.safeInt('Requests that its limit denied.'),
}) {}

@ObjectType({ description: 'A counter up to a decision, replayed from all recorded requests.' })
export class CounterReplay extends ObjectOf({
  from: field.dateTime('Start: one window before the decision, at least a minute and at most an hour.'),
  to: field.dateTime('The decision.'),
  stepMs: field.int('Length of a step in milliseconds.'),
  limit: field.safeInt('Units left of the unused counter.'),
  decisions: field.safeInt('Recorded decisions that checked the counter.'),
  compared: field.safeInt('Of these, the ones whose outcome was compared with the replay.'),
  mismatches: field.safeInt('Of the compared ones, the ones with another outcome.'),
  reliable: field.boolean(
    'Whether the replay reproduces the decision, and the others with at most 0.5 % mismatches.',
  ),
  steps: field
    .of(() => CounterStep, 'Steps, oldest first; at most 120.')
    .list()
    .complexity(0),
}) {}

@ObjectType({
  description:
    'The minute of a counter up to a decision, from samples: decisions that were not sampled are missing.',
})
export class CounterMinute extends ObjectOf({
  from: field.dateTime('Start.'),
  to: field.dateTime('The decision.'),
  points: field
    .of(() => CounterPoint, 'Sampled decisions on the counter, oldest first; the newest 300.')
    .list(),
  counted: field.safeInt(
    'Decisions of this limit, over all subjects, in the calendar minutes that the range touches.',
  ),
  replay: field
    .of(() => CounterReplay, 'The counter from recorded traffic; null if that is not possible.')
    .nullable(),
  replayProblem: field.of(() => CounterReplayProblem, 'Why there is no replay; null with one.').nullable(),
}) {}

@ObjectType({ description: "The limit that decided, as it was in the decision's revision." })
export class PastLimit extends ObjectOf({
  limit: field.of(
    () => EffectiveLimit,
    'The limit with the sources of its value, without a live counter; the last step is a rule that changed it for the caller.',
  ),
  tierName: field.string("Current name of the tenant's tier then."),
  tierVersion: field.int('Version of the tier then.'),
  since: field.dateTime('Since when it had its value; null if that is no longer stored.').nullable(),
}) {}

@ObjectType({
  description: 'The subject rule that denied or exempted a caller, or changed the limit that decided.',
})
export class DecidingRule extends ObjectOf({
  id: field.id('Id of the rule.'),
  dimension: field.string('Dimension.'),
  pattern: field.string('Value, prefix and `*`, address or network.'),
  kind: field.of(() => SubjectEffectKind, 'Its effect.'),
  forAllTenants: field.boolean('Whether it applies to the subjects of all tenants.'),
  live: field.boolean('Whether it still applies.'),
}) {}

@ObjectType({ description: 'Why a request was allowed or denied, by the policy of that time.' })
export class DecisionExplanation extends ObjectOf({
  decision: field.of(() => Decision, 'The decision.'),
  limits: field.of(() => LimitState, 'All limits that were checked.').list(),
  passing: field.of(() => PassingRequest, 'Null if no limit denied the request.').nullable(),
  rule: field
    .of(() => DecidingRule, 'Null if no subject rule decided, or it is not visible to the viewer.')
    .nullable(),
  sharedBy: field
    .string('Key of the parent tenant whose shared limit decided; null if it was a limit of the tenant.')
    .nullable(),
  past: field
    .of(
      () => PastLimit,
      'Null if no limit decided, the revision is no longer stored, or the viewer may not read the tenant of the limit.',
    )
    .nullable(),
  today: field.of(() => EffectiveLimit, 'The same limit today; null if it no longer applies.').nullable(),
  minute: field
    .of(() => CounterMinute, 'The counter of the limit that decided; null if none did.')
    .nullable(),
}) {}

@ObjectType({ description: 'Whose request was denied, and the limit as it was then.' })
export class DeniedRequestOrigin extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Key of the API.'),
  operation: field.string('Name of the operation.'),
  limitName: field.string('The limit that denied it; null if none did.').nullable(),
  past: field
    .of(() => PastLimit, 'That limit then; null if no limit denied it, or the revision is no longer stored.')
    .nullable(),
}) {}

@ObjectType({ description: 'A denied request, as in the link of its response.' })
export class DeniedRequest extends ObjectOf({
  requestId: field.string('Id of the request.'),
  at: field.dateTime('When it was denied.'),
  reason: field.as<Reason>(() => DecisionReason, 'Reason.'),
  limitName: field
    .string('The limit that denied it; null if none did, or it is hidden from headers.')
    .nullable(),
  retryAfter: field.int('Seconds until a retry; null if it can never be allowed.').nullable(),
  expiresAt: field.dateTime('Until when the link is valid.'),
  origin: field
    .of(() => DeniedRequestOrigin, "Null without permission to read the tenant's usage.")
    .nullable(),
}) {}

@ArgsType()
export class DecisionExplanationArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant.'),
  requestId: field.string('Id of the request, as in its response.'),
}) {}
