import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { CarryOver, LimitClass } from '../../../platform/prisma/schema.js';

export enum EffectKind {
  ADD = 'ADD',
  MULTIPLY = 'MULTIPLY',
  SET = 'SET',
}

registerEnumType(EffectKind, {
  name: 'EffectKind',
  description: 'What an adjustment does to the number of a limit.',
  valuesMap: {
    ADD: { description: 'So many more.' },
    MULTIPLY: { description: 'To so much of a hundred: 200 is twice as much.' },
    SET: { description: 'To this number, whatever it was.' },
  },
});
registerEnumType(LimitClass, {
  name: 'LimitClass',
  description: 'Which limits are meant.',
  valuesMap: {
    RATE: { description: 'All that are no quota.' },
    QUOTA: { description: 'Those per calendar period.' },
  },
});

@InputType({ description: 'What an adjustment does. Only the fields of its kind are given.' })
export class AdjustmentEffectInput {
  @Field(() => EffectKind, { description: 'In one word.' })
  kind!: EffectKind;

  @Field(() => SafeInt, { nullable: true, description: 'ADD: how many more.' })
  units?: number | null;

  @Field(() => Int, { nullable: true, description: 'MULTIPLY: of a hundred, 1 to 1,000,000.' })
  percent?: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'SET: the number.' })
  limit?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of GCRA: the burst; left out, it keeps its proportion.',
  })
  burst?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of TOKEN_BUCKET: the capacity; left out, it keeps its proportion.',
  })
  capacity?: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of LEAKY_BUCKET: how many may wait; left out, it keeps its proportion.',
  })
  queue?: number | null;
}

@ObjectType({
  description: 'What an adjustment does to the number of a limit. What its kind does not have is null.',
})
export class AdjustmentEffect {
  @Field(() => EffectKind, { description: 'In one word.' })
  kind!: EffectKind;

  @Field(() => SafeInt, { nullable: true, description: 'ADD: how many more.' })
  units!: number | null;

  @Field(() => Int, { nullable: true, description: 'MULTIPLY: of a hundred.' })
  percent!: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'SET: the number.' })
  limit!: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'SET, of GCRA: the burst, where it was given.' })
  burst!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of TOKEN_BUCKET: the capacity, where it was given.',
  })
  capacity!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'SET, of LEAKY_BUCKET: how many may wait, where it was given.',
  })
  queue!: number | null;
}

@ObjectType({ description: 'A limit of a tenant as it would be.' })
export class LimitPreview {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'What would be in force.' })
  limit!: number;
}

/** Which limits are meant, what is done to them, and from when on: of whatever changes limits of one tenant. */
@ObjectType({ isAbstract: true })
export abstract class PlacedAdjustment extends Node {
  @Field(() => String, { nullable: true, description: 'Key of the API; null: every API.' })
  apiKey!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the limit; null: every limit of the API.' })
  limit!: string | null;

  @Field(() => LimitClass, { nullable: true, description: 'Null: rates and quotas.' })
  appliesTo!: LimitClass | null;

  @Field(() => AdjustmentEffect, { description: 'What it does to them.' })
  effect!: AdjustmentEffect;

  @Field(() => DateTime, { description: 'From when on.' })
  startsAt!: Date;
}

/** Which limits of a tenant are meant, and what is done to them. */
@InputType({ isAbstract: true })
export abstract class AdjustmentInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => Int, { description: 'Version of the tenant that the caller has read.' })
  expectedVersion!: number;

  @Field(() => String, { nullable: true, description: 'Key of the API; left out: every API.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the limit; left out: every limit of the API.',
  })
  limit?: string | null;

  @Field(() => LimitClass, { nullable: true, description: 'Left out: rates and quotas.' })
  appliesTo?: LimitClass | null;

  @Field(() => AdjustmentEffectInput, { description: 'Effect.' })
  effect!: AdjustmentEffectInput;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what is used, when it begins.',
  })
  carryOver?: CarryOver | null;
}
