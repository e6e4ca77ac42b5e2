import { ArgsType, Field, Float, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { QuotaPeriod } from '../../catalogue/index.js';
import { UsageCount, UsagePoint } from './usage.graphql.js';

@ObjectType({ description: 'Usage of a quota in its current period.' })
export class QuotaUsage {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => [String], { description: 'Operations that it counts; empty: all of the API.' })
  operations!: string[];

  @Field(() => QuotaPeriod, { description: 'Length of the period.' })
  period!: QuotaPeriod;

  @Field(() => DateTime, { description: 'Start of the period.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'End of the period, when the quota resets.' })
  periodEnd!: Date;

  @Field(() => SafeInt, { description: 'Quota of the period.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'Used units.' })
  used!: number;

  @Field({
    description: 'Whether `used` was read from the counter. False: estimated from usage, which may be low.',
  })
  isLive!: boolean;

  @Field(() => Float, { description: 'Units per hour over the last 24 hours.' })
  unitsPerHour!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the quota runs out at this rate; null: not within the period.',
  })
  runsOutAt!: Date | null;
}

@ObjectType({ description: 'Usage of a tenant in the current billing period.' })
export class UsageSummary {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => DateTime, { description: 'Start of the billing period.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'End of the billing period.' })
  periodEnd!: Date;

  @Field(() => UsageCount, { description: 'Usage of the billing period so far.' })
  total!: UsageCount;

  @Field(() => UsagePoint, {
    nullable: true,
    description: 'The busiest day of the period; null without decisions.',
  })
  peakDay!: UsagePoint | null;

  @Field(() => UsagePoint, { nullable: true, description: 'The busiest minute of the last 24 hours.' })
  peakMinute!: UsagePoint | null;

  @Field(() => [QuotaUsage], {
    description: 'Quotas on the tenant as a whole, most used first.',
  })
  quotas!: QuotaUsage[];
}

@ObjectType({ description: 'A quota that runs out soon or is used up.' })
export class RunningOut {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: "Time zone of the tenant's periods." })
  timeZone!: string;

  @Field(() => QuotaUsage, { description: 'The quota.' })
  quota!: QuotaUsage;
}

export enum UsageOrder {
  DECISIONS = 'DECISIONS',
  DENIED = 'DENIED',
  UNITS = 'UNITS',
}

registerEnumType(UsageOrder, {
  name: 'UsageOrder',
  description: 'Metric by which tenants are ranked.',
  valuesMap: {
    DECISIONS: { description: 'Number of decisions.' },
    DENIED: { description: 'Number of denials.' },
    UNITS: { description: 'Cost of the decisions.' },
  },
});

@ObjectType({ description: 'Usage of a tenant.' })
export class TenantUsage extends UsageCount {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;
}

@ObjectType({ description: 'A counter with many denials.' })
export class LimitOffender {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'The limit that denied.' })
  limitName!: string;

  @Field({ description: 'The counter, including the subject that it counts, if any.' })
  counter!: string;

  @Field(() => SafeInt, { description: 'Denied units, an upper bound.' })
  units!: number;

  @Field(() => SafeInt, { description: 'Maximum overestimate of `units`.' })
  error!: number;

  @Field(() => DateTime, { description: 'The last hour with denials.' })
  lastHour!: Date;
}

@ArgsType()
export class UsageTopArgs {
  @Field(() => DateTime, {
    description: 'Start, rounded down to the hour; to the day for ranges above three days.',
  })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End; now by default. At most 92 days after the start.',
  })
  to?: Date | null;

  @Field(() => UsageOrder, {
    nullable: true,
    defaultValue: UsageOrder.DECISIONS,
    description: 'Metric to rank by.',
  })
  orderBy?: UsageOrder | null;

  @Field(() => String, { nullable: true, description: 'Only this API.' })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 10, description: 'Maximum number, 1 to 100.' })
  first?: number | null;
}

@ArgsType()
export class LimitOffendersArgs {
  @Field(() => String, { nullable: true, description: 'Key of the tenant; all tenants by default.' })
  tenantKey?: string | null;

  @Field(() => DateTime, { description: 'Start; offenders are stored for a week.' })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: 'End; now by default.' })
  to?: Date | null;

  @Field(() => Int, { nullable: true, defaultValue: 10, description: 'Maximum number, 1 to 100.' })
  first?: number | null;
}
