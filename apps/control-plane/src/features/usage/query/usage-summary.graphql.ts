import { ArgsType, Field, Float, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { QuotaPeriod } from '../../catalogue/index.js';
import { UsageCount, UsagePoint } from './usage.graphql.js';

@ObjectType({ description: 'Where a quota stands in its period.' })
export class QuotaUsage {
  @Field({ description: 'The API.' })
  apiKey!: string;

  @Field({ description: 'The limit.' })
  limitName!: string;

  @Field(() => [String], { description: 'Operations that it counts; empty: all of the API.' })
  operations!: string[];

  @Field(() => QuotaPeriod, { description: 'How long its period is.' })
  period!: QuotaPeriod;

  @Field(() => DateTime, { description: 'When the period began.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'When the next one begins, and all of the quota is there again.' })
  periodEnd!: Date;

  @Field(() => SafeInt, { description: 'What the quota admits in the period.' })
  limit!: number;

  @Field(() => SafeInt, { description: 'What is used of it.' })
  used!: number;

  @Field({
    description: 'Whether the counter itself was asked. False: added up from usage, which may be low.',
  })
  isLive!: boolean;

  @Field(() => Float, { description: 'Units an hour, by the last 24 hours.' })
  unitsPerHour!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it will be used up, going on like that; null: not before the period ends.',
  })
  runsOutAt!: Date | null;
}

@ObjectType({ description: 'Where a tenant stands.' })
export class UsageSummary {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => DateTime, { description: 'When the billing period began.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'When the next one begins.' })
  periodEnd!: Date;

  @Field(() => UsageCount, { description: 'This billing period so far.' })
  total!: UsageCount;

  @Field(() => UsagePoint, {
    nullable: true,
    description: 'The busiest day of the period; null: none had any decision.',
  })
  peakDay!: UsagePoint | null;

  @Field(() => UsagePoint, { nullable: true, description: 'The busiest minute of the last 24 hours.' })
  peakMinute!: UsagePoint | null;

  @Field(() => [QuotaUsage], {
    description: 'Its quotas on the tenant as a whole, the one that is used most first.',
  })
  quotas!: QuotaUsage[];
}

@ObjectType({ description: 'A quota that will be used up soon, or is.' })
export class RunningOut {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;

  @Field({ description: 'Where its quotas begin anew.' })
  timeZone!: string;

  @Field(() => QuotaUsage, { description: 'The quota.' })
  quota!: QuotaUsage;
}

export enum UsageOrder {
  DECISIONS = 'DECISIONS',
  REFUSED = 'REFUSED',
  UNITS = 'UNITS',
}

registerEnumType(UsageOrder, {
  name: 'UsageOrder',
  description: 'What tenants are compared by.',
  valuesMap: {
    DECISIONS: { description: 'How much they asked.' },
    REFUSED: { description: 'How often they were refused.' },
    UNITS: { description: 'What their decisions cost, or would have.' },
  },
});

@ObjectType({ description: 'What a tenant used, among others.' })
export class TenantUsage extends UsageCount {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Name of the tenant.' })
  tenantName!: string;
}

@ObjectType({ description: 'A counter that many refusals came from.' })
export class LimitOffender {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'The API.' })
  apiKey!: string;

  @Field({ description: 'The limit that refused.' })
  limitName!: string;

  @Field({ description: 'The counter; it names the subject that it counts, if any.' })
  counter!: string;

  @Field(() => SafeInt, { description: 'Units that were refused, at most.' })
  units!: number;

  @Field(() => SafeInt, { description: 'By how much that may be too many.' })
  error!: number;

  @Field(() => DateTime, { description: 'The last hour in which it was refused.' })
  lastHour!: Date;
}

@ArgsType()
export class UsageTopArgs {
  @Field(() => DateTime, {
    description: 'Beginning; the hour, or past three days the day, that it lies in is whole.',
  })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End; now, when left out. At most 92 days after the beginning.',
  })
  to?: Date | null;

  @Field(() => UsageOrder, {
    nullable: true,
    defaultValue: UsageOrder.DECISIONS,
    description: 'What they are compared by.',
  })
  orderBy?: UsageOrder | null;

  @Field(() => String, { nullable: true, description: 'Only this API.' })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 10, description: 'How many, 1 to 100.' })
  first?: number | null;
}

@ArgsType()
export class LimitOffendersArgs {
  @Field(() => String, { nullable: true, description: 'Key of the tenant; all tenants, when left out.' })
  tenantKey?: string | null;

  @Field(() => DateTime, { description: 'Beginning; offenders are kept for a week.' })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: 'End; now, when left out.' })
  to?: Date | null;

  @Field(() => Int, { nullable: true, defaultValue: 10, description: 'How many, 1 to 100.' })
  first?: number | null;
}
