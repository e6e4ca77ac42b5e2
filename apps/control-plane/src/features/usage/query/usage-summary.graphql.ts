import { ArgsType, ObjectType } from '@nestjs/graphql';
import { ArgsOf, enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { UsageCount, UsagePoint } from './usage.graphql.js';

@ObjectType({ description: 'Usage of a tenant in the current billing period.' })
export class UsageSummary extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  periodStart: field.dateTime('Start of the billing period.'),
  periodEnd: field.dateTime('End of the billing period.'),
  total: field.of(() => UsageCount, 'Usage of the billing period so far.'),
  peakDay: field.of(() => UsagePoint, 'The busiest day of the period; null without decisions.').nullable(),
  peakMinute: field.of(() => UsagePoint, 'The busiest minute of the last 24 hours.').nullable(),
}) {}

export const UsageOrder = enumOf('UsageOrder', 'Metric by which tenants are ranked.', {
  DECISIONS: 'Number of decisions.',
  DENIED: 'Number of denials.',
  UNITS: 'Cost of the decisions.',
});
export type UsageOrder = keyof typeof UsageOrder;

@ObjectType({ description: 'Usage of a tenant.' })
export class TenantUsage extends ObjectOf(UsageCount, {
  tenantKey: field.string('Key of the tenant.'),
  tenantName: field.string('Name of the tenant.'),
}) {}

@ObjectType({ description: 'A counter with many denials.' })
export class LimitOffender extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Key of the API.'),
  limitName: field.string('The limit that denied.'),
  counter: field.string('The counter, including the subject that it counts, if any.'),
  units: field.safeInt('Denied units, an upper bound.'),
  error: field.safeInt('Maximum overestimate of `units`.'),
  lastHour: field.dateTime('The last hour with denials.'),
}) {}

@ArgsType()
export class UsageTopArgs extends ArgsOf({
  from: field.dateTime('Start, rounded down to the hour; to the day for ranges above three days.'),
  to: field.dateTime('End; now by default. At most 92 days after the start.').optional(),
  orderBy: field.of(() => UsageOrder, 'Metric to rank by.').optional(UsageOrder.DECISIONS),
  apiKey: field.string('Only this API.').optional(),
  first: field.int('Maximum number, 1 to 100.').optional(10),
}) {}

@ArgsType()
export class LimitOffendersArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant; all tenants by default.').optional(),
  from: field.dateTime('Start; offenders are stored for a week.'),
  to: field.dateTime('End; now by default.').optional(),
  first: field.int('Maximum number, 1 to 100.').optional(10),
}) {}
