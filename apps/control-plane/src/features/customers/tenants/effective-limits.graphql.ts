import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { Limit } from '../../catalogue/index.js';

export enum LimitSource {
  DEFAULT = 'DEFAULT',
  TIER = 'TIER',
  UPGRADE = 'UPGRADE',
  TOPUP = 'TOPUP',
  OVERRIDE = 'OVERRIDE',
  BOOST = 'BOOST',
}

registerEnumType(LimitSource, {
  name: 'LimitSource',
  description: 'Where the number of an effective limit comes from: the last that changed it.',
  valuesMap: {
    DEFAULT: { description: 'The API, for tenants whose tier says nothing.' },
    TIER: { description: 'The tier version that the tenant is on.' },
    UPGRADE: { description: 'Something bought or given that renews.' },
    TOPUP: { description: 'Something bought or given once.' },
    OVERRIDE: { description: 'An exception that an admin made.' },
    BOOST: { description: 'An exception for a while.' },
  },
});

@ObjectType({ description: 'What a limit has counted up to now.' })
export class LiveCounter {
  @Field(() => SafeInt, { description: 'What is used.' })
  used!: number;

  @Field(() => SafeInt, { description: 'What would pass right now, at cost 1.' })
  remaining!: number;

  @Field(() => DateTime, { description: 'When nothing of it is used any more.' })
  resetAt!: Date;
}

@ObjectType({ description: 'One step from the number of the tier to the one in force.' })
export class AdjustmentStage {
  @Field(() => LimitSource, { description: 'What kind of thing changed it.' })
  source!: LimitSource;

  @Field(() => ID, { description: 'The entitlement, override or boost.' })
  adjustmentId!: string;

  @Field({ description: 'What was sold or given, for people.' })
  label!: string;

  @Field(() => SafeInt, { description: 'The number before it.' })
  from!: number;

  @Field(() => SafeInt, { description: 'The number that it makes of that.' })
  to!: number;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; null: somebody ends it.' })
  until!: Date | null;
}

@ObjectType({ description: 'A limit that applies to a tenant now.' })
export class EffectiveLimit {
  @Field(() => Limit, { description: 'The limit, with the numbers that are enforced.' })
  limit!: Limit;

  @Field(() => SafeInt, { description: 'What the tier says that `limit` is.' })
  tierLimit!: number;

  @Field(() => LimitSource, { description: 'Where its number comes from: the last that changed it.' })
  source!: LimitSource;

  @Field(() => [AdjustmentStage], {
    description: 'What changed the number of the tier, step by step: upgrades, top-ups, override, boost.',
  })
  provenance!: AdjustmentStage[];

  @Field({
    description:
      'Whether they come to more than can be counted exactly; the most that can be is enforced then.',
  })
  clamped!: boolean;

  @Field(() => LiveCounter, {
    nullable: true,
    description: 'Null when the limit counts by more than the tenant, or Redis cannot be asked.',
  })
  live!: LiveCounter | null;
}
