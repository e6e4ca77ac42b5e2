import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import type { OfferEffect as StoredEffect } from './offer.effects.js';

export enum OfferEffectKind {
  ADD = 'ADD',
  MULTIPLY = 'MULTIPLY',
}

export enum OfferEffectTarget {
  RATE = 'RATE',
  QUOTA = 'QUOTA',
}

registerEnumType(OfferEffectKind, {
  name: 'OfferEffectKind',
  description: 'What is done to a limit.',
  valuesMap: {
    ADD: { description: 'So many units more.' },
    MULTIPLY: { description: 'To so much of a hundred: 200 percent is twice as much.' },
  },
});
registerEnumType(OfferEffectTarget, {
  name: 'OfferEffectTarget',
  description: 'Which limits it is done to.',
  valuesMap: {
    RATE: { description: 'All that are no quotas.' },
    QUOTA: { description: 'Those by day, week, month or billing period.' },
  },
});

@ObjectType({ description: 'What a purchase does to limits.' })
export class OfferEffect {
  @Field(() => String, { nullable: true, description: 'Key of the API; null: every API.' })
  apiKey!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the limit; null: every limit.' })
  limitName!: string | null;

  @Field(() => OfferEffectTarget, { nullable: true, description: 'Which kind of limits; null: both.' })
  appliesTo!: OfferEffectTarget | null;

  @Field(() => OfferEffectKind, { description: 'What is done.' })
  kind!: OfferEffectKind;

  @Field(() => SafeInt, { nullable: true, description: 'Of ADD: how many more.' })
  units!: number | null;

  @Field(() => Int, { nullable: true, description: 'Of MULTIPLY: to how much of a hundred.' })
  percent!: number | null;
}

@InputType({ description: 'What a purchase does to limits.' })
export class OfferEffectInput {
  @Field(() => String, { nullable: true, description: 'Key of the API; left out: every API.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of a limit of the API; left out: every limit.' })
  limitName?: string | null;

  @Field(() => OfferEffectTarget, { nullable: true, description: 'Which kind of limits; left out: both.' })
  appliesTo?: OfferEffectTarget | null;

  @Field(() => OfferEffectKind, { description: 'What is done.' })
  kind!: OfferEffectKind;

  @Field(() => SafeInt, { nullable: true, description: 'Of ADD: how many more, 1 or more.' })
  units?: number | null;

  @Field(() => Int, { nullable: true, description: 'Of MULTIPLY: to how much of a hundred, above 100.' })
  percent?: number | null;
}

/** A stored effect as GraphQL shows it. */
export function showEffect({ api, limit, appliesTo, effect }: StoredEffect): OfferEffect {
  return {
    apiKey: api ?? null,
    limitName: limit ?? null,
    appliesTo: appliesTo === undefined ? null : OfferEffectTarget[appliesTo === 'rate' ? 'RATE' : 'QUOTA'],
    kind: effect.kind === 'add' ? OfferEffectKind.ADD : OfferEffectKind.MULTIPLY,
    units: effect.kind === 'add' ? effect.units : null,
    percent: effect.kind === 'multiply' ? effect.percent : null,
  };
}
