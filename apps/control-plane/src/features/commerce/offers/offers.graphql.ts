import { ArgsType, Extensions, Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  CarryOver,
  ManagedBy,
  OfferKind,
  OfferStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect, OfferEffectInput } from './offer-effects.graphql.js';

registerEnumType(OfferKind, {
  name: 'OfferKind',
  description: 'How long what is bought lasts.',
  valuesMap: {
    UPGRADE: { description: 'Renews until it is stopped.' },
    TOPUP: { description: 'Bought once; expires.' },
  },
});
registerEnumType(OfferStatus, {
  name: 'OfferStatus',
  description: 'Whether an offer can be bought.',
  valuesMap: {
    DRAFT: { description: 'Not yet; only operators see it.' },
    ACTIVE: { description: 'It can.' },
    ARCHIVED: { description: 'Not any more; what was bought goes on.' },
  },
});
registerEnumType(BillingInterval, {
  name: 'BillingInterval',
  description: 'How often an upgrade is paid.',
  valuesMap: {
    MONTH: { description: 'On the same day of each month, or on the last of a shorter one.' },
    YEAR: { description: 'On the same day of each year.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'Something that raises limits, at a price.' })
export class Offer extends Node {
  @Field({ description: 'Permanent name.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field({ description: 'What it is, for people.' })
  description!: string;

  @Field(() => OfferKind, { description: 'Whether it renews or expires.' })
  kind!: OfferKind;

  @Field(() => OfferStatus, { description: 'Whether it can be bought.' })
  status!: OfferStatus;

  @Field(() => SafeInt, {
    description: 'Price of one, for one period, in the smallest unit of the currency.',
  })
  priceMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => BillingInterval, {
    nullable: true,
    description: 'How often an upgrade is paid; null for a top-up.',
  })
  interval!: BillingInterval | null;

  @Field(() => Int, { nullable: true, description: 'Days until a top-up expires; null for an upgrade.' })
  validDays!: number | null;

  @Field(() => Int, { description: 'Days that an upgrade goes on when its renewal is not paid.' })
  graceDays!: number;

  @Extensions({ usualLength: 4 })
  @Field(() => [OfferEffect], { description: 'What it does to limits.' })
  effects!: OfferEffect[];

  @Extensions({ usualLength: 4 })
  @Field(() => [String], { description: 'Keys of the tiers that may buy it; empty: every tier.' })
  tierKeys!: string[];

  @Field(() => Int, { description: 'The most of it in one purchase.' })
  maxQuantity!: number;

  @Field(() => Int, { nullable: true, description: 'How many there are in all; null: no end of them.' })
  stock!: number | null;

  @Field(() => Int, { nullable: true, description: 'How many can still be bought; null: no end of them.' })
  stockLeft?: number | null;

  @Field(() => CarryOver, { description: 'What becomes of what is used when limits change by it.' })
  carryOver!: CarryOver;

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;
}

export const OfferConnection = connectionOf(Offer, 'Offer', 'offers');

@ArgsType()
export class OffersArgs extends PageArgs {
  @Field(() => OfferStatus, { nullable: true, description: 'Only offers of this status.' })
  status?: OfferStatus | null;

  @Field(() => OfferKind, { nullable: true, description: 'Only offers of this kind.' })
  kind?: OfferKind | null;
}

@InputType({ description: 'A new offer; a draft at first.' })
export class OfferCreateInput extends MutationInput {
  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it is, for people.' })
  description?: string | null;

  @Field(() => OfferKind, { description: 'Whether it renews or expires.' })
  kind!: OfferKind;

  @Field(() => SafeInt, {
    description: 'Price of one, for one period, in the smallest unit of the currency.',
  })
  priceMinor!: number;

  @Field({ description: 'ISO 4217 code of the currency, such as EUR.' })
  currency!: string;

  @Field(() => BillingInterval, { nullable: true, description: 'How often an upgrade is paid.' })
  interval?: BillingInterval | null;

  @Field(() => Int, { nullable: true, description: 'Days until a top-up expires.' })
  validDays?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days that an upgrade goes on when its renewal is not paid; 7 when left out.',
  })
  graceDays?: number | null;

  @Field(() => [OfferEffectInput], { description: 'What it does to limits.' })
  effects!: OfferEffectInput[];

  @Field(() => [String], {
    nullable: true,
    description: 'Keys of the tiers that may buy it; empty: every tier.',
  })
  tierKeys?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'The most of it in one purchase; 1 when left out.' })
  maxQuantity?: number | null;

  @Field(() => Int, { nullable: true, description: 'How many there are in all; left out: no end of them.' })
  stock?: number | null;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what is used when limits change by it.',
  })
  carryOver?: CarryOver | null;
}

@InputType({ description: 'Which offer to put on sale or to take off it.' })
export class OfferChangeInput extends ManagedInput {
  @Field({ description: 'Key of the offer.' })
  offerKey!: string;

  @Field(() => Int, { description: 'Version of the offer that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A change of an offer, for purchases to come; what is left out stays as it is.' })
export class OfferUpdateInput extends OfferChangeInput {
  @Field(() => String, { nullable: true, description: 'Name for people.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'What it is, for people.' })
  description?: string | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Price of one, in the smallest unit of the currency.',
  })
  priceMinor?: number | null;

  @Field(() => Int, { nullable: true, description: 'Days until a top-up expires.' })
  validDays?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days that an upgrade goes on when its renewal is not paid.',
  })
  graceDays?: number | null;

  @Field(() => [OfferEffectInput], { nullable: true, description: 'What it does to limits.' })
  effects?: OfferEffectInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Keys of the tiers that may buy it; empty: every tier.',
  })
  tierKeys?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'The most of it in one purchase.' })
  maxQuantity?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many there are in all, those that are sold included.',
  })
  stock?: number | null;

  @Field({ nullable: true, description: 'True: there is no end of them any more.' })
  isUnlimited?: boolean;
}

@ObjectType({ description: 'Outcome of a change to an offer.' })
export class OfferPayload extends MutationPayload {
  @Field(() => Offer, {
    nullable: true,
    description: 'The offer after the change; on CONFLICT as it is now.',
  })
  offer!: Offer | null;
}
