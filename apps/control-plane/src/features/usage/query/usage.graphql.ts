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
  description: 'How long a point of usage is.',
  valuesMap: {
    MINUTE: { description: 'A minute; for the last two days.' },
    HOUR: { description: "An hour of the tenant's clock; for the last 90 days." },
    DAY: { description: "A day in the tenant's time zone; for the last three years." },
  },
});
registerEnumType(UsageGroup, {
  name: 'UsageGroup',
  description: 'What usage is told apart by.',
  valuesMap: {
    API: { description: 'By API.' },
    OPERATION: { description: 'By operation; each of its API.' },
    LIMIT: { description: 'By the limit that decided; each of its API.' },
    OUTCOME: { description: 'By how decisions ended.' },
  },
});
registerEnumType(UsageOutcome, {
  name: 'UsageOutcome',
  description: 'How a decision ended.',
  valuesMap: {
    ALLOWED: { description: 'Allowed within the limits.' },
    REFUSED: { description: 'Refused by a limit.' },
    OVER_LIMIT: { description: 'Allowed past a limit: in the soft band, or on borrowed capacity.' },
    SHADOW_REFUSED: { description: 'Allowed only because the limit that refused is not enforced.' },
    POOL_REFUSED: { description: "Refused by the API's pool." },
    NO_LIMIT: { description: 'Allowed: nothing limits it.' },
    DEGRADED_ALLOWED: { description: "Allowed without the counters' Redis." },
    DEGRADED_REFUSED: { description: "Refused without the counters' Redis." },
  },
});

@ObjectType({ description: 'Decisions, added up. Exact or low, never high.' })
export class UsageCount {
  @Field(() => SafeInt, { description: 'Decisions.' })
  count!: number;

  @Field(() => SafeInt, { description: 'Those of them that were refused.' })
  refused!: number;

  @Field(() => SafeInt, { description: 'What the decisions cost, or would have.' })
  units!: number;
}

@ObjectType({ description: 'Decisions of one minute, hour or day.' })
export class UsagePoint extends UsageCount {
  @Field(() => DateTime, { description: 'When it began.' })
  at!: Date;
}

@ObjectType({ description: 'Usage of what belongs together; what was not asked to be told apart is null.' })
export class UsageSeries {
  @Field(() => String, { nullable: true, description: 'The API; `*`: those beyond the names that are kept.' })
  apiKey!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The operation; `*`: those beyond the names that are kept.',
  })
  operation!: string | null;

  @Field(() => String, { nullable: true, description: 'The limit that decided; empty: none did.' })
  limitName!: string | null;

  @Field(() => UsageOutcome, { nullable: true, description: 'How they ended.' })
  outcome!: UsageOutcome | null;

  @Field(() => UsageCount, { complexity: 0, description: 'All of it.' })
  total!: UsageCount;

  @Field(() => [UsagePoint], {
    complexity: 0,
    description: 'In order of time; a minute, hour or day without any decision is left out.',
  })
  points!: UsagePoint[];
}

@ObjectType({ description: 'What a tenant used in a stretch of time.' })
export class Usage {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => UsageInterval, { description: 'How long each point is.' })
  interval!: UsageInterval;

  @Field({ description: "IANA name of the tenant's time zone, in which its hours and days are." })
  timeZone!: string;

  @Field(() => DateTime, { description: 'Beginning of the first point.' })
  from!: Date;

  @Field(() => DateTime, { description: 'End of the stretch.' })
  to!: Date;

  @Field(() => DateTime, {
    description: 'What was before is not kept at this interval; a longer one goes further back.',
  })
  keptSince!: Date;

  @Field(() => UsageCount, { complexity: 0, description: 'All of it, whatever was told apart.' })
  total!: UsageCount;

  @Field(() => [UsageSeries], {
    description: 'Most decisions first, 50 at most; one where nothing was to be told apart.',
  })
  series!: UsageSeries[];

  @Field(() => Int, { description: 'Further series, of fewer decisions, that are not listed.' })
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

  @Field(() => String, { nullable: true, description: 'Only what was decided by this limit.' })
  limitName?: string | null;

  @Field(() => DateTime, { description: 'Beginning; the point that it lies in is whole.' })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: 'End; now, when left out.' })
  to?: Date | null;

  @Field(() => UsageInterval, { description: 'How long each point is.' })
  interval!: UsageInterval;

  @Field(() => [UsageGroup], { nullable: true, description: 'What is told apart; nothing, when left out.' })
  groupBy?: UsageGroup[] | null;
}

@ObjectType({ description: 'A threshold of a limit that was reached.' })
export class LimitCrossing {
  @Field(() => ID, { description: 'Names counter, threshold and window.' })
  id!: string;

  @Field({ description: 'The API.' })
  apiKey!: string;

  @Field({ description: 'The limit.' })
  limitName!: string;

  @Field({ description: 'The counter that reached it; it names the subject that it counts, if any.' })
  counter!: string;

  @Field(() => Int, { description: 'The threshold, percent of the capacity.' })
  percent!: number;

  @Field(() => SafeInt, { description: 'What was used then.' })
  used!: number;

  @Field(() => SafeInt, { description: 'What the limit admits.' })
  capacity!: number;

  @Field(() => DateTime, { description: 'When.' })
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
