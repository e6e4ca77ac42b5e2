import { Extensions, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import {
  BillingInterval,
  InvoiceStatus,
  MoneyAccount,
  OfferKind,
  PaymentProviderName,
  PurchaseStatus,
} from '../../../platform/prisma/schema.js';
import { OfferEffect } from '../offers/offer-effects.js';
import { Offer } from '../offers/offers.graphql.js';
import { type PurchaseEvent as StoredEvent } from '../payments/purchase-event.js';

export enum PaymentStatus {
  ACCEPTED = 'ACCEPTED',
  NEEDS_REVIEW = 'NEEDS_REVIEW',
  REJECTED = 'REJECTED',
}

export enum PaymentReviewReason {
  WRONG_AMOUNT = 'WRONG_AMOUNT',
  WRONG_CURRENCY = 'WRONG_CURRENCY',
  WRONG_CUSTOMER = 'WRONG_CUSTOMER',
  PAID_TWICE = 'PAID_TWICE',
  SOLD_OUT = 'SOLD_OUT',
  TOO_MANY = 'TOO_MANY',
}

export enum PurchaseEventType {
  PAID = 'PAID',
  SUBSCRIBED = 'SUBSCRIBED',
  RENEWAL_FAILED = 'RENEWAL_FAILED',
  REFUNDED = 'REFUNDED',
  DISPUTED = 'DISPUTED',
  DISPUTE_WON = 'DISPUTE_WON',
  DISPUTE_LOST = 'DISPUTE_LOST',
  RENEWAL_STOPPED = 'RENEWAL_STOPPED',
  RENEWAL_RESUMED = 'RENEWAL_RESUMED',
  SUBSCRIPTION_ENDED = 'SUBSCRIPTION_ENDED',
  CANCELED = 'CANCELED',
  RELEASED = 'RELEASED',
  REJECTED = 'REJECTED',
  FLAGGED = 'FLAGGED',
}

export enum PurchaseEventSource {
  STRIPE = 'STRIPE',
  TEST = 'TEST',
  INVOICE = 'INVOICE',
  TOLLGATE = 'TOLLGATE',
}

registerEnumType(PaymentProviderName, {
  name: 'PaymentProvider',
  description: 'Payment method.',
  valuesMap: {
    STRIPE: { description: 'Stripe Checkout.' },
    TEST: { description: 'Test card; no money moves.' },
    INVOICE: { description: 'Bank transfer; an operator marks the invoice as paid.' },
  },
});
registerEnumType(PurchaseStatus, {
  name: 'PurchaseStatus',
  description: 'Status of a purchase.',
  valuesMap: {
    PENDING: { description: 'Ordered, not paid.' },
    NEEDS_REVIEW: { description: 'A payment does not match the order; an operator has to decide.' },
    ACTIVE: { description: 'Paid and active.' },
    PAST_DUE: { description: 'The renewal failed; active until `graceEndsAt`.' },
    EXPIRED: { description: 'The last paid period is over, and it was not renewed.' },
    REFUNDED: { description: 'The payment was refunded.' },
    DISPUTED: { description: 'The payment is disputed, or the dispute was lost.' },
    CANCELED: { description: 'The order was canceled, or was not paid in time.' },
    REJECTED: { description: 'An operator rejected the payment.' },
  },
});
registerEnumType(MoneyAccount, {
  name: 'MoneyAccount',
  description: 'Account of the money ledger.',
  valuesMap: {
    CASH: { description: 'Payments received, less refunds and disputes.' },
    REVENUE: { description: 'Revenue; negative, the counterpart of CASH.' },
    SUSPENSE: { description: 'Payments that need review.' },
    DISPUTED: { description: 'Amounts that banks retain while a dispute is open.' },
  },
});
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'Status of an invoice.',
  valuesMap: {
    OPEN: { description: 'Not paid.' },
    PAID: { description: 'Paid.' },
    VOID: { description: 'Voided; the number is not reused.' },
  },
});
registerEnumType(PaymentStatus, {
  name: 'PaymentStatus',
  description: 'Status of a payment.',
  valuesMap: {
    ACCEPTED: { description: 'Pays for the order.' },
    NEEDS_REVIEW: { description: 'An operator has to decide.' },
    REJECTED: { description: 'An operator rejected it.' },
  },
});
registerEnumType(PaymentReviewReason, {
  name: 'PaymentReviewReason',
  description: 'Why a payment needs review.',
  valuesMap: {
    WRONG_AMOUNT: { description: 'The amount differs from the order.' },
    WRONG_CURRENCY: { description: 'The currency differs from the order.' },
    WRONG_CUSTOMER: { description: 'Another customer paid.' },
    PAID_TWICE: { description: 'A one-time purchase was paid twice.' },
    SOLD_OUT: { description: 'It arrived after the order was canceled, and the offer is sold out.' },
    TOO_MANY: { description: 'The tenant has the maximum number of entitlements.' },
  },
});
registerEnumType(PurchaseEventType, {
  name: 'PurchaseEventType',
  description: 'Type of a purchase event.',
  valuesMap: {
    PAID: { description: 'A payment was made.' },
    SUBSCRIBED: { description: 'The provider charges renewals automatically.' },
    RENEWAL_FAILED: { description: 'A renewal could not be charged.' },
    REFUNDED: { description: 'A payment was refunded, in full or in part.' },
    DISPUTED: { description: 'A payment was disputed.' },
    DISPUTE_WON: { description: 'A dispute was won.' },
    DISPUTE_LOST: { description: 'A dispute was lost.' },
    RENEWAL_STOPPED: { description: 'The renewal was stopped.' },
    RENEWAL_RESUMED: { description: 'The renewal was resumed.' },
    SUBSCRIPTION_ENDED: { description: 'The provider ended the subscription.' },
    CANCELED: { description: 'The order was canceled before it was paid.' },
    RELEASED: { description: 'An operator released a payment that needed review.' },
    REJECTED: { description: 'An operator rejected a payment that needed review.' },
    FLAGGED: { description: 'A payment was flagged for review; see `reason`.' },
  },
});
registerEnumType(PurchaseEventSource, {
  name: 'PurchaseEventSource',
  description: 'Source of a purchase event.',
  valuesMap: {
    STRIPE: { description: 'Stripe.' },
    TEST: { description: 'The test provider.' },
    INVOICE: { description: 'An invoice.' },
    TOLLGATE: { description: 'Tollgate or one of its users.' },
  },
});

@ObjectType({ description: 'An event of a purchase. The state of the purchase follows from its events.' })
export class PurchaseEvent {
  @Field(() => ID, { description: 'Id of the event, unique per source.' })
  id!: string;

  @Field(() => PurchaseEventSource, { description: 'Source of the event.' })
  source!: PurchaseEventSource;

  @Field(() => PurchaseEventType, { description: 'Type of the event.' })
  type!: PurchaseEventType;

  @Field(() => DateTime, { description: 'When it happened, in billing time.' })
  at!: Date;

  @Field(() => String, { nullable: true, description: 'Reference of the payment concerned, if any.' })
  payment!: string | null;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      'Amount paid or disputed, in the smallest unit of the currency. For refunds, the total refunded so far.',
  })
  amountMinor!: number | null;

  @Field(() => PaymentReviewReason, { nullable: true, description: 'For FLAGGED: the reason.' })
  reason!: PaymentReviewReason | null;
}

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
  @Field(() => [PurchasedLimit], { description: 'The limits that the offer applies to.' })
  limits!: PurchasedLimit[];

  @Field(() => String, {
    nullable: true,
    description:
      'Why the purchase would change no limit and is rejected (`NO_EFFECT`); null if it changes one.',
  })
  noEffect!: string | null;
}

@ObjectType({ description: 'A payment of a purchase.' })
export class Payment {
  @Field({ description: 'Reference of the payment at its provider.' })
  ref!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;

  @Field(() => SafeInt, { description: 'Amount paid, in the smallest unit of the currency.' })
  amountMinor!: number;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => PaymentStatus, { description: 'Status of the payment.' })
  status!: PaymentStatus;

  @Field(() => PaymentReviewReason, {
    nullable: true,
    description: 'Why it needs or needed review; null if it did not.',
  })
  reviewReason!: PaymentReviewReason | null;

  @Field(() => SafeInt, { description: 'Amount refunded.' })
  refundedMinor!: number;

  @Field(() => SafeInt, { description: 'Amount disputed, including lost disputes.' })
  disputedMinor!: number;
}

@ObjectType({ description: 'One side of a booking. The entries of a purchase sum to zero.' })
export class MoneyEntry {
  @Field(() => ID, { description: 'Id of the entry.' })
  id!: string;

  @Field(() => MoneyAccount, { description: 'Account of the entry.' })
  account!: MoneyAccount;

  @Field({ description: 'Signed amount, in the smallest unit of the currency, as a decimal string.' })
  amountMinor!: string;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => DateTime, { description: 'When it was booked.' })
  at!: Date;
}

@ObjectType({ description: 'A pending cancellation at the payment provider.' })
export class ProviderStop {
  @Field(() => Int, { description: 'Number of failed attempts.' })
  attempts!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the next attempt; null: as soon as possible, or retries are exhausted.',
  })
  nextAttemptAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Error of the last attempt.' })
  lastError!: string | null;

  @Field({ description: 'Whether automatic retries are exhausted. Retry with `purchaseStopRetry`.' })
  isExhausted!: boolean;
}

@ObjectType({ implements: () => [Node], description: 'An order of an offer, on the terms at that time.' })
export class Purchase extends Node {
  @Field({ description: 'Key of the tenant that buys.' })
  tenantKey!: string;

  @Field(() => Offer, { description: 'The offer on its current terms.' })
  offer!: Offer;

  @Field({ description: 'Display name of the purchase.' })
  label!: string;

  @Field(() => OfferKind, { description: 'Whether it renews or expires.' })
  kind!: OfferKind;

  @Field(() => PaymentProviderName, { description: 'Payment method.' })
  provider!: PaymentProviderName;

  @Field(() => PurchaseStatus, { description: 'Status of the purchase.' })
  status!: PurchaseStatus;

  @Field(() => Int, { description: 'Quantity.' })
  quantity!: number;

  @Field(() => SafeInt, {
    description: 'Total price for one period, in the smallest unit of the currency.',
  })
  amountMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => BillingInterval, { nullable: true, description: 'Billing interval; null if paid once.' })
  interval!: BillingInterval | null;

  @Extensions({ usualLength: 4 })
  @Field(() => [OfferEffect], { description: 'Effects on limits, for the whole quantity.' })
  effects!: OfferEffect[];

  @Field(() => String, {
    nullable: true,
    description: 'Checkout page of a pending purchase; null if there is none.',
  })
  checkoutUrl!: string | null;

  @Field({ description: 'Whether it renews at the end of the period.' })
  renews!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End of the last paid period, in billing time; null if nothing was paid.',
  })
  paidThrough!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End of the grace period after a failed renewal.' })
  graceEndsAt!: Date | null;

  @Field(() => ProviderStop, {
    nullable: true,
    description: 'Pending cancellation at the provider; null if there is none.',
  })
  providerStop!: ProviderStop | null;

  @Field(() => DateTime, { description: 'When it was ordered, in billing time.' })
  createdAt!: Date;

  @Extensions({ usualLength: 3 })
  @Field(() => [Payment], { description: 'Payments, ordered by time.' })
  payments!: Payment[];

  @Extensions({ usualLength: 4 })
  @Field(() => [PurchaseEvent], { description: 'Events, ordered by time.' })
  events!: PurchaseEvent[];

  @Extensions({ usualLength: 6 })
  @Field(() => [MoneyEntry], { description: 'Ledger entries, ordered by time.' })
  moneyEntries!: MoneyEntry[];
}

export const PurchaseConnection = connectionOf(Purchase, 'Purchase', 'purchases');

@ObjectType({ implements: () => [Node], description: 'An invoice, to be paid by bank transfer.' })
export class Invoice extends Node {
  @Field(() => Int, { description: 'Invoice number; numbers have no gaps.' })
  number!: number;

  @Field(() => ID, { description: 'Id of the purchase.' })
  purchaseId!: string;

  @Field(() => Purchase, { description: 'The invoiced purchase.' })
  purchase!: Purchase;

  @Field(() => Int, { description: '0 for the order, 1 for its first renewal, and so on.' })
  period!: number;

  @Field(() => InvoiceStatus, { description: 'Status of the invoice.' })
  status!: InvoiceStatus;

  @Field(() => SafeInt, { description: 'Amount due, in the smallest unit of the currency.' })
  amountMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => DateTime, { description: 'When it was issued, in billing time.' })
  issuedAt!: Date;

  @Field(() => DateTime, { description: 'When it is due, in billing time.' })
  dueAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was paid or voided; null while it is open.',
  })
  closedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Reference on the bank statement.' })
  reference!: string | null;
}

export const InvoiceConnection = connectionOf(Invoice, 'Invoice', 'invoices');

@ObjectType({ description: 'Outcome of a change to a purchase.' })
export class PurchasePayload extends PublishedPayload {
  @Field(() => Purchase, { nullable: true, description: 'The purchase after the change.' })
  purchase!: Purchase | null;
}

@ObjectType({ description: 'Outcome of a change to an invoice.' })
export class InvoicePayload extends PublishedPayload {
  @Field(() => Invoice, {
    nullable: true,
    description: 'The invoice after the change, or unchanged if it is not open.',
  })
  invoice!: Invoice | null;
}

@ObjectType({ description: 'Outcome of `paymentPortalLink`.' })
export class PaymentPortalLinkPayload extends MutationPayload {
  @Field(() => String, { nullable: true, description: 'Single-use URL; it expires soon.' })
  url!: string | null;
}

/** A stored event in its GraphQL form. */
export function showEvent({ id, source, at, fact }: StoredEvent): PurchaseEvent {
  return {
    id,
    at,
    source: PurchaseEventSource[source.toUpperCase() as PurchaseEventSource],
    type: typeOf(fact),
    payment: 'payment' in fact ? fact.payment : null,
    amountMinor: amountOf(fact),
    reason: fact.type === 'flagged' ? PaymentReviewReason[fact.reason] : null,
  };
}

function typeOf(fact: StoredEvent['fact']): PurchaseEventType {
  if (fact.type === 'dispute_closed')
    return fact.isWon ? PurchaseEventType.DISPUTE_WON : PurchaseEventType.DISPUTE_LOST;
  return PurchaseEventType[fact.type.toUpperCase() as PurchaseEventType];
}

function amountOf(fact: StoredEvent['fact']): number | null {
  if (fact.type === 'refunded') return fact.refundedMinor;
  return 'amountMinor' in fact ? fact.amountMinor : null;
}
