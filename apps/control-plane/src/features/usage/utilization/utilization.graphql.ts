import { ArgsType, Float, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ArgsOf, enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { TenantStatus } from '../../../platform/prisma/schema.js';
import { QuotaPeriod } from '../../catalogue/index.js';
import { Tenant } from '../../customers/index.js';

@ObjectType({
  description:
    'Utilization of a limit. Rates: the busiest window of the last hour. Quotas: the current period. Limits with dimensions: their fullest counter.',
})
export class LimitUtilization extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  limit: field.safeInt('The effective limit now.'),
  windowMs: field.int('Length of its window; null for quotas and concurrency limits.').nullable(),
  period: field.of(() => QuotaPeriod, 'Period of a quota; null for other limits.').nullable(),
  per: field.string('Dimensions that it counts by; empty: the tenant as a whole.').list(),
  used: field.safeInt('Used units, in the busiest window or in the period.'),
  capacity: field.safeInt('The limit that applied to `used`. GCRA: the burst, of which `used` is a part.'),
  percent: field.int('`used` in percent of `capacity`, 0 to 100, rounded down; 100 after a denial.'),
  denied: field.safeInt('Units denied in the last hour; quotas: in the period.'),
  peakAt: field.dateTime('When `used` was reached; null: no requests.').nullable(),
  limitedSince: field
    .dateTime('Rates: start of the denials that continue now; null: not rate limited now.')
    .nullable(),
  resetsAt: field.dateTime('Quotas: end of the period.').nullable(),
  unitsPerHour: field.as<number>(() => Float, 'Quotas: pace of the last 24 hours.').nullable(),
  exhaustsAt: field.dateTime('Quotas: when it is exhausted at this pace; null: not before reset.').nullable(),
}) {}

@ObjectType({ description: 'The highest usage of a limit in five minutes.' })
export class LimitPeakPoint extends ObjectOf({
  at: field.dateTime('Start of the five minutes.'),
  used: field.safeInt('Used units in the busiest window.'),
  capacity: field.safeInt('The limit at that time.'),
  denied: field.safeInt('Denied units.'),
}) {}

@ObjectType({ description: 'Utilization of a tenant, at most a few seconds old.' })
export class TenantUtilization extends ObjectOf({
  tenant: field.of(() => Tenant, 'The tenant.'),
  percent: field.int('Percent of its tightest limit, 0 to 100.'),
  requests: field.safeInt('Requests of the last 24 hours.'),
  denied: field.safeInt('Denied requests of the last 24 hours.'),
  exhaustsAt: field.dateTime('When its first quota is exhausted; null: none before it resets.').nullable(),
  tightest: field.of(() => LimitUtilization, 'The fullest limit; null without requests.').nullable(),
  exhausting: field
    .of(() => LimitUtilization, 'The quota that is exhausted first; null: none before it resets.')
    .nullable(),
  limits: field
    .of(() => LimitUtilization, 'The limits in use, at most 16, fullest first.')
    .list()
    .usualLength(4),
  requestsByHour: field.safeInt('Requests of each of the last 25 hours; the last hour is not over.').list(),
  deniedByHour: field.safeInt('Denied requests of the same hours.').list(),
  computedAt: field.dateTime('When it was computed; null: not yet.').nullable(),
}) {}

export const TenantUtilizationConnection = connectionOf(
  TenantUtilization,
  'TenantUtilization',
  'tenants with their utilization',
);

export const UtilizationOrder = enumOf('UtilizationOrder', 'Order of tenants.', {
  UTILIZATION: 'By percent of the tightest limit, then by denials.',
  DENIED: 'By denied requests.',
  REQUESTS: 'By requests.',
  EXHAUSTION: 'By the time at which the first quota is exhausted.',
  NAME: 'By name.',
  TIER: 'By name of the tier.',
  STATUS: 'By status.',
});
export type UtilizationOrder = keyof typeof UtilizationOrder;

@ArgsType()
export class TenantUtilizationArgs extends ArgsOf(PageArgs, {
  orderBy: field.of(() => UtilizationOrder, 'Order.').optional(UtilizationOrder.UTILIZATION),
  descending: field
    .boolean('Direction; by default descending for UTILIZATION, DENIED and REQUESTS.')
    .optional(),
  search: field.string('Part of a key or name; case does not matter.').optional(),
  tier: field.string('Only tenants on the tier of this key.').optional(),
  status: field.of(() => TenantStatus, 'Only this status; by default all but archived tenants.').optional(),
  minPercent: field.int('Only tenants with at least this utilization, 0 to 100.').optional(),
  denied: field.boolean('Only tenants with denied requests in the last 24 hours.').optional(),
  tenantKey: field.string('Only this tenant.').optional(),
}) {}
