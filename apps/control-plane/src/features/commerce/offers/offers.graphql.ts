import { ArgsType, Extensions, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  CarryOver,
  ManagedBy,
  OfferKind,
  OfferStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect } from './offer-effects.js';

registerEnumType(OfferKind, {
  name: 'OfferKind',
  description: 'Kind of an offer.',
  valuesMap: {
    UPGRADE: { description: 'Renews until it is canceled.' },
    TOPUP: { description: 'Bought once; expires.' },
  },
});
registerEnumType(OfferStatus, {
  name: 'OfferStatus',
  description: 'Status of an offer.',
  valuesMap: {
    DRAFT: { description: 'Not on sale yet; visible to operators only.' },
    ACTIVE: { description: 'On sale.' },
    ARCHIVED: { description: 'No longer on sale; existing purchases are unaffected.' },
  },
});
registerEnumType(BillingInterval, {
  name: 'BillingInterval',
  description: 'Billing interval of an upgrade.',
  valuesMap: {
    MONTH: { description: 'On the same day of each month, or on its last day if it is shorter.' },
    YEAR: { description: 'On the same day of each year.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'A product that raises limits.' })
export class Offer extends Node {
  @Field({ description: 'Permanent key.' })
  key!: string;

  @Field({ description: 'Display name.' })
  name!: string;

  @Field({ description: 'Description.' })
  description!: string;

  @Field(() => OfferKind, { description: 'Whether it renews or expires.' })
  kind!: OfferKind;

  @Field(() => OfferStatus, { description: 'Status of the offer.' })
  status!: OfferStatus;

  @Field(() => SafeInt, {
    description: 'Price per unit and period, in the smallest unit of the currency.',
  })
  priceMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => BillingInterval, {
    nullable: true,
    description: 'Billing interval of an upgrade; null for a top-up.',
  })
  interval!: BillingInterval | null;

  @Field(() => Int, { nullable: true, description: 'Days until a top-up expires; null for an upgrade.' })
  validDays!: number | null;

  @Field(() => Int, { description: 'Days that an upgrade stays active after a failed renewal.' })
  graceDays!: number;

  @Extensions({ usualLength: 4 })
  @Field(() => [OfferEffect], { description: 'Effects on limits.' })
  effects!: OfferEffect[];

  @Extensions({ usualLength: 4 })
  @Field(() => [String], { description: 'Keys of the tiers that can buy it; empty: every tier.' })
  tierKeys!: string[];

  @Field(() => Int, { description: 'Maximum quantity per purchase.' })
  maxQuantity!: number;

  @Field(() => Int, { nullable: true, description: 'Total stock; null: unlimited.' })
  stock!: number | null;

  @Field(() => Int, { nullable: true, description: 'Stock left; null: unlimited.' })
  stockLeft?: number | null;

  @Field(() => CarryOver, { description: 'How used quota carries over when limits change.' })
  carryOver!: CarryOver;

  @Field(() => ManagedBy, { description: 'Where it is managed.' })
  managedBy!: ManagedBy;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;
}

export const OfferConnection = connectionOf(Offer, 'Offer', 'offers');

@ArgsType()
export class OffersArgs extends PageArgs {
  @Field(() => OfferStatus, { nullable: true, description: 'Only offers in this status.' })
  status?: OfferStatus | null;

  @Field(() => OfferKind, { nullable: true, description: 'Only offers of this kind.' })
  kind?: OfferKind | null;
}

@ObjectType({ description: 'Outcome of a change to an offer.' })
export class OfferPayload extends MutationPayload {
  @Field(() => Offer, {
    nullable: true,
    description: 'The offer after the change; on CONFLICT, its current state.',
  })
  offer!: Offer | null;
}
