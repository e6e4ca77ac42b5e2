import { ArgsType, Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import {
  MutationInput,
  MutationPayload,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  MoneyAccount,
  OfferKind,
  PaymentProviderName,
  PurchaseStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect as OfferEffectType } from '../offers/offer-effects.graphql.js';
import { Offer } from '../offers/offers.graphql.js';
import { PaymentHoldReason, PaymentStanding } from './purchase-enums.graphql.js';
import { PurchaseEvent } from './purchase-events.graphql.js';

@ObjectType({ description: 'A limit of a tenant before and after a purchase.' })
export class PurchasedLimit {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limitName!: string;

  @Field(() => SafeInt, { description: 'The limit without the purchase.' })
  before!: number;

  @Field(() => SafeInt, { description: 'The limit with the purchase.' })
  after!: number;
}

@ObjectType({ description: 'Effect of a purchase on the limits of a tenant.' })
export class PurchasePreview {
  @Field(() => [PurchasedLimit], { description: 'The limits that the offer is for.' })
  limits!: PurchasedLimit[];

  @Field(() => String, {
    nullable: true,
    description: 'Why the purchase would change no limit and is refused (`NO_EFFECT`); null: it changes one.',
  })
  noEffect!: string | null;
}

@ArgsType()
export class PurchasePreviewArgs {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Key of the offer.' })
  offerKey!: string;

  @Field(() => Int, { defaultValue: 1, description: 'How many, 1 or more.' })
  quantity!: number;
}

@ObjectType({ description: 'One payment of a purchase, and what became of it.' })
export class Payment {
  @Field({ description: 'Name of the payment at its provider.' })
  ref!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;

  @Field(() => SafeInt, { description: 'What was paid, in the smallest unit of the currency.' })
  amountMinor!: number;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => PaymentStanding, { description: 'Whether it counts.' })
  standing!: PaymentStanding;

  @Field(() => PaymentHoldReason, { nullable: true, description: 'Why it was held; null: it was not.' })
  holdReason!: PaymentHoldReason | null;

  @Field(() => SafeInt, { description: 'What of it was given back.' })
  refundedMinor!: number;

  @Field(() => SafeInt, { description: 'What of it the bank of the payer has taken back.' })
  disputedMinor!: number;
}

@ObjectType({ description: 'One side of a movement of money; the sides of a purchase sum to zero.' })
export class MoneyEntry {
  @Field(() => ID, { description: 'Id of the entry.' })
  id!: string;

  @Field(() => MoneyAccount, { description: 'Where money went to, or came from.' })
  account!: MoneyAccount;

  @Field({ description: 'Signed amount, in the smallest unit of the currency, as a decimal text.' })
  amountMinor!: string;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => DateTime, { description: 'When it was booked.' })
  at!: Date;
}

@ObjectType({ description: 'What the provider is still to be told: that nothing is to be charged any more.' })
export class ProviderStop {
  @Field(() => Int, { description: 'How often it has refused, or could not be reached.' })
  attempts!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it is asked again; null: at once, or not any more.',
  })
  nextAttemptAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'What it said last; null: it was not asked yet.' })
  lastError!: string | null;

  @Field({ description: 'Whether it is not asked any more until somebody runs `purchaseStopRetry`.' })
  isGivenUp!: boolean;
}

@ObjectType({ implements: () => [Node], description: 'An order of an offer, on the terms of that moment.' })
export class Purchase extends Node {
  @Field({ description: 'Key of the tenant that buys.' })
  tenantKey!: string;

  @Field(() => Offer, { description: 'What was bought, as it is sold now.' })
  offer!: Offer;

  @Field({ description: 'What was bought, for people.' })
  label!: string;

  @Field(() => OfferKind, { description: 'Whether it renews or expires.' })
  kind!: OfferKind;

  @Field(() => PaymentProviderName, { description: 'How it is paid.' })
  provider!: PaymentProviderName;

  @Field(() => PurchaseStatus, { description: 'How it stands.' })
  status!: PurchaseStatus;

  @Field(() => Int, { description: 'How many of it.' })
  quantity!: number;

  @Field(() => SafeInt, {
    description: 'Price of all of it, for one period, in the smallest unit of the currency.',
  })
  amountMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => BillingInterval, { nullable: true, description: 'How often it is paid; null: once.' })
  interval!: BillingInterval | null;

  @Extensions({ usualLength: 4 })
  @Field(() => [OfferEffectType], { description: 'What it does to limits, all of it together.' })
  effects!: OfferEffectType[];

  @Field(() => String, {
    nullable: true,
    description: 'Page on which it is paid, while it is not; null: there is none.',
  })
  checkoutUrl!: string | null;

  @Field({ description: 'Whether it will be paid again at the end of the period.' })
  renews!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End of what is paid, in billing time; null: nothing is.',
  })
  paidThrough!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When a failed renewal ends it; null: none failed.' })
  graceEndsAt!: Date | null;

  @Field(() => ProviderStop, {
    nullable: true,
    description: 'How far its provider is from stopping to charge for it; null: there is nothing to stop.',
  })
  providerStop!: ProviderStop | null;

  @Field(() => DateTime, { description: 'When it was ordered, in billing time.' })
  createdAt!: Date;

  @Extensions({ usualLength: 3 })
  @Field(() => [Payment], { description: 'What was paid, by time.' })
  payments!: Payment[];

  @Extensions({ usualLength: 4 })
  @Field(() => [PurchaseEvent], { description: 'What happened to it, by time.' })
  events!: PurchaseEvent[];

  @Extensions({ usualLength: 6 })
  @Field(() => [MoneyEntry], { description: 'How the money was booked, by time.' })
  moneyEntries!: MoneyEntry[];
}

export const PurchaseConnection = connectionOf(Purchase, 'Purchase', 'purchases');

@ArgsType()
export class PurchasesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Only of the tenant of this key; operators may leave it out.',
  })
  tenantKey?: string | null;

  @Field(() => PurchaseStatus, { nullable: true, description: 'Only those that stand so.' })
  status?: PurchaseStatus | null;
}

@InputType({ description: 'An order.' })
export class PurchaseStartInput extends MutationInput {
  @Field({ description: 'Key of the tenant that buys.' })
  tenantKey!: string;

  @Field({ description: 'Key of the offer.' })
  offerKey!: string;

  @Field(() => Int, { nullable: true, defaultValue: 1, description: 'How many.' })
  quantity?: number | null;

  @Field(() => PaymentProviderName, { description: 'How it is to be paid: one of `paymentProviders`.' })
  provider!: PaymentProviderName;

  @Field(() => SafeInt, { description: 'Price of one as the buyer has seen it; another price is refused.' })
  expectedPriceMinor!: number;

  @Field(() => String, { nullable: true, description: 'Path of the console that the payer comes back to.' })
  returnPath?: string | null;
}

@InputType({ description: 'Which purchase to stop.' })
export class PurchaseCancelInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the purchase.' })
  purchaseId!: string;
}

@InputType({ description: 'What to give back.' })
export class PurchaseRefundInput extends PurchaseCancelInput {
  @Field(() => String, { nullable: true, description: 'Which payment; left out: the last.' })
  payment?: string | null;

  @Field(() => SafeInt, { nullable: true, description: 'How much of it; left out: all that is left.' })
  amountMinor?: number | null;
}

@InputType({ description: 'Which payment is decided on.' })
export class PaymentDecisionInput extends PurchaseCancelInput {
  @Field({ description: 'Name of the payment at its provider.' })
  payment!: string;
}

@InputType({ description: 'Whose page.' })
export class PaymentPortalLinkInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => String, { nullable: true, description: 'Path of the console that one comes back to.' })
  returnPath?: string | null;
}

@ObjectType({ description: 'Outcome of a change to a purchase.' })
export class PurchasePayload extends PublishedPayload {
  @Field(() => Purchase, { nullable: true, description: 'The purchase after the change.' })
  purchase!: Purchase | null;
}

@ObjectType({ description: 'Outcome of asking for a page.' })
export class PaymentPortalLinkPayload extends MutationPayload {
  @Field(() => String, { nullable: true, description: 'The page; open it soon.' })
  url!: string | null;
}
