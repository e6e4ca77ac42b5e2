import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';

export enum UsageInterval {
  MINUTE = 'MINUTE',
  HOUR = 'HOUR',
  DAY = 'DAY',
}

export enum UsageGroup {
  API = 'API',
  OPERATION = 'OPERATION',
  LIMIT = 'LIMIT',
  OUTCOME = 'OUTCOME',
}

registerEnumType(UsageInterval, {
  name: 'UsageInterval',
  description: 'Interval of a usage series.',
  valuesMap: {
    MINUTE: { description: 'One minute; available for the last two days.' },
    HOUR: { description: "One hour in the tenant's time zone; available for the last 90 days." },
    DAY: { description: "One day in the tenant's time zone; available for the last three years." },
  },
});
registerEnumType(UsageGroup, {
  name: 'UsageGroup',
  description: 'Dimension to group usage by.',
  valuesMap: {
    API: { description: 'By API.' },
    OPERATION: { description: 'By operation of each API.' },
    LIMIT: { description: 'By deciding limit of each API.' },
    OUTCOME: { description: 'By outcome.' },
  },
});
registerEnumType(UsageOutcome, {
  name: 'UsageOutcome',
  description: 'Outcome of a decision.',
  valuesMap: {
    ALLOWED: { description: 'Allowed within the limits.' },
    DENIED: { description: 'Denied by a limit.' },
    OVER_LIMIT: { description: 'Allowed above a limit: within the soft band or with borrowed capacity.' },
    SHADOW_DENIED: { description: 'Allowed because the limit that would have denied it is in shadow mode.' },
    POOL_DENIED: { description: "Denied by the API's pool." },
    NO_LIMIT: { description: 'Allowed: no limit applies.' },
    DEGRADED_ALLOWED: { description: "Allowed while the counters' Redis was unavailable." },
    DEGRADED_DENIED: { description: "Denied while the counters' Redis was unavailable." },
  },
});

@ObjectType({ description: 'Number of decisions. Exact or low, never high.' })
export class UsageCount {
  @Field(() => SafeInt, { description: 'Decisions.' })
  count!: number;

  @Field(() => SafeInt, { description: 'Denied decisions.' })
  denied!: number;

  @Field(() => SafeInt, { description: 'Cost of the decisions.' })
  units!: number;
}

@ObjectType({ description: 'Decisions of one interval.' })
export class UsagePoint extends UsageCount {
  @Field(() => DateTime, { description: 'Start of the interval.' })
  at!: Date;
}

@ObjectType({ description: 'Usage of one group; dimensions that were not grouped by are null.' })
export class UsageSeries {
  @Field(() => String, {
    nullable: true,
    description: 'Key of the API; `*`: APIs beyond the maximum number of series.',
  })
  apiKey!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the operation; `*`: operations beyond the maximum number of series.',
  })
  operation!: string | null;

  @Field(() => String, { nullable: true, description: 'The limit that decided; empty if none did.' })
  limitName!: string | null;

  @Field(() => UsageOutcome, { nullable: true, description: 'Outcome.' })
  outcome!: UsageOutcome | null;

  @Field(() => UsageCount, { complexity: 0, description: 'Total.' })
  total!: UsageCount;

  @Field(() => [UsagePoint], {
    complexity: 0,
    description: 'Points in ascending order; intervals without decisions are omitted.',
  })
  points!: UsagePoint[];
}

@ObjectType({ description: 'Usage of a tenant in a time range.' })
export class Usage {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => UsageInterval, { description: 'Interval of the points.' })
  interval!: UsageInterval;

  @Field({ description: "IANA name of the tenant's time zone, which determines hours and days." })
  timeZone!: string;

  @Field(() => DateTime, { description: 'Start of the first point.' })
  from!: Date;

  @Field(() => DateTime, { description: 'End of the range.' })
  to!: Date;

  @Field(() => DateTime, {
    description: 'Start of the available data at this interval. Longer intervals reach further back.',
  })
  keptSince!: Date;

  @Field(() => UsageCount, { complexity: 0, description: 'Total over all groups.' })
  total!: UsageCount;

  @Field(() => [UsageSeries], {
    description: 'At most 50 series, most decisions first; a single one without `groupBy`.',
  })
  series!: UsageSeries[];

  @Field(() => Int, { description: 'Number of omitted series.' })
  omittedSeries!: number;
}

@ArgsType()
export class UsageArgs {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => String, { nullable: true, description: 'Only this API.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Only this operation.' })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: 'Only decisions by this limit.' })
  limitName?: string | null;

  @Field(() => DateTime, { description: 'Start, rounded down to the interval.' })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: 'End; now by default.' })
  to?: Date | null;

  @Field(() => UsageInterval, { description: 'Interval of the points.' })
  interval!: UsageInterval;

  @Field(() => [UsageGroup], { nullable: true, description: 'Dimensions to group by; none by default.' })
  groupBy?: UsageGroup[] | null;
}

@ObjectType({ description: 'A crossed threshold of a limit.' })
export class LimitCrossing {
  @Field(() => ID, { description: 'Id made of counter, threshold and window.' })
  id!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field({ description: 'The counter, including the subject that it counts, if any.' })
  counter!: string;

  @Field(() => Int, { description: 'Threshold in percent of the capacity.' })
  percent!: number;

  @Field(() => SafeInt, { description: 'Used units at that time.' })
  used!: number;

  @Field(() => SafeInt, { description: 'Capacity of the limit.' })
  capacity!: number;

  @Field(() => DateTime, { description: 'When the threshold was crossed.' })
  at!: Date;
}

export const LimitCrossingConnection = connectionOf(LimitCrossing, 'LimitCrossing', 'crossed thresholds');

@ArgsType()
export class LimitCrossingsArgs extends PageArgs {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => String, { nullable: true, description: 'Only this API.' })
  apiKey?: string | null;
}
