import { ArgsType, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../../platform/graphql/scalars.js';
import { UsageCount } from './usage.graphql.js';

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
