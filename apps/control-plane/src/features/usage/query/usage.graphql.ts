import { ArgsType, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ArgsOf, enumOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';

export const UsageInterval = enumOf('UsageInterval', 'Interval of a usage series.', {
  MINUTE: 'One minute; available for the last two days.',
  HOUR: "One hour in the tenant's time zone; available for the last 90 days.",
  DAY: "One day in the tenant's time zone; available for the last three years.",
});
export type UsageInterval = keyof typeof UsageInterval;

export const UsageGroup = enumOf('UsageGroup', 'Dimension to group usage by.', {
  API: 'By API.',
  OPERATION: 'By operation of each API.',
  LIMIT: 'By deciding limit of each API.',
  OUTCOME: 'By outcome.',
});
export type UsageGroup = keyof typeof UsageGroup;

registerEnum(UsageOutcome, 'UsageOutcome', 'Outcome of a decision.', {
  ALLOWED: 'Allowed within the limits.',
  DENIED: 'Denied by a limit.',
  OVER_LIMIT: 'Allowed above a limit: within the soft band or with borrowed capacity.',
  SHADOW_DENIED: 'Allowed because the limit that would have denied it is in shadow mode.',
  POOL_DENIED: "Denied by the API's pool.",
  NO_LIMIT: 'Allowed: no limit applies.',
  DEGRADED_ALLOWED: "Allowed while the counters' Redis was unavailable.",
  DEGRADED_DENIED: "Denied while the counters' Redis was unavailable.",
});

@ObjectType({ description: 'Number of decisions. Exact or low, never high.' })
export class UsageCount extends ObjectOf({
  count: field.safeInt('Decisions.'),
  denied: field.safeInt('Denied decisions.'),
  degraded: field.safeInt("Decisions that were allowed while the counters' Redis was unavailable."),
  units: field.safeInt('Cost of the decisions.'),
  candidateCount: field.safeInt(
    'Decisions that checked a candidate, once for each candidate. Not part of `count`. Belongs to the limit of the candidate and to the outcome of that limit.',
  ),
  candidateDenied: field.safeInt('Those of `candidateCount` that the candidate would have denied.'),
  candidateDeniedUnits: field.safeInt('Their units.'),
}) {}

@ObjectType({ description: 'Decisions of one interval.' })
export class UsagePoint extends ObjectOf(UsageCount, { at: field.dateTime('Start of the interval.') }) {}

@ObjectType({ description: 'Usage of one group; dimensions that were not grouped by are null.' })
export class UsageSeries extends ObjectOf({
  apiKey: field.string('Key of the API; `*`: APIs beyond the maximum number of series.').nullable(),
  operation: field
    .string('Name of the operation; `*`: operations beyond the maximum number of series.')
    .nullable(),
  limitName: field.string('The limit that decided; empty if none did.').nullable(),
  outcome: field.of(() => UsageOutcome, 'Outcome.').nullable(),
  total: field.of(() => UsageCount, 'Total.').complexity(0),
  points: field
    .of(() => UsagePoint, 'Points in ascending order; intervals without decisions are omitted.')
    .list()
    .complexity(0),
}) {}

@ObjectType({ description: 'Usage of a tenant in a time range.' })
export class Usage extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  interval: field.of(() => UsageInterval, 'Interval of the points.'),
  timeZone: field.string("IANA name of the tenant's time zone, which determines hours and days."),
  from: field.dateTime('Start of the first point.'),
  to: field.dateTime('End of the range.'),
  keptSince: field.dateTime(
    'Start of the available data at this interval. Longer intervals reach further back.',
  ),
  total: field.of(() => UsageCount, 'Total over all groups.').complexity(0),
  series: field
    .of(() => UsageSeries, 'At most 50 series, most decisions first; a single one without `groupBy`.')
    .list(),
  omittedSeries: field.int('Number of omitted series.'),
}) {}

@ArgsType()
export class UsageArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Only this API.').optional(),
  operation: field.string('Only this operation.').optional(),
  limitName: field.string('Only decisions by this limit.').optional(),
  from: field.dateTime('Start, rounded down to the interval.'),
  to: field.dateTime('End; now by default.').optional(),
  interval: field.of(() => UsageInterval, 'Interval of the points.'),
  groupBy: field
    .of(() => UsageGroup, 'Dimensions to group by; none by default.')
    .list()
    .optional(),
}) {}

@ObjectType({ description: 'A crossed threshold of a limit.' })
export class LimitCrossing extends ObjectOf({
  id: field.id('Id made of counter, threshold and window.'),
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  counter: field.string('The counter, including the subject that it counts, if any.'),
  percent: field.int('Threshold in percent of the capacity.'),
  used: field.safeInt('Used units at that time.'),
  capacity: field.safeInt('Capacity of the limit.'),
  at: field.dateTime('When the threshold was crossed.'),
}) {}

export const LimitCrossingConnection = connectionOf(LimitCrossing, 'LimitCrossing', 'crossed thresholds');

@ArgsType()
export class LimitCrossingsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Only this API.').optional(),
}) {}
