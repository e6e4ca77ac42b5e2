import { ObjectType } from '@nestjs/graphql';
import { connectionOf, Node } from '../../../platform/graphql/connection.js';
import { MutationPayload, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { enumOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
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
import type { PurchaseEvent as StoredEvent } from '../payments/payment-provider.js';

export const PaymentStatus = enumOf('PaymentStatus', 'Status of a payment.', {
  ACCEPTED: 'Pays for the order.',
  NEEDS_REVIEW: 'An operator has to decide.',
  REJECTED: 'An operator rejected it.',
});
export type PaymentStatus = keyof typeof PaymentStatus;

export const PaymentReviewReason = enumOf('PaymentReviewReason', 'Why a payment needs review.', {
  WRONG_AMOUNT: 'The amount differs from the order.',
  WRONG_CURRENCY: 'The currency differs from the order.',
  WRONG_CUSTOMER: 'Another customer paid.',
  PAID_TWICE: 'A one-time purchase was paid twice.',
  SOLD_OUT: 'It arrived after the order was canceled, and the offer is sold out.',
  TOO_MANY: 'The tenant has the maximum number of entitlements.',
  NO_EFFECT: 'The purchase would not change any limit of the tenant, since a change after the order.',
});
export type PaymentReviewReason = keyof typeof PaymentReviewReason;

export const PurchaseEventType = enumOf('PurchaseEventType', 'Type of a purchase event.', {
  PAID: 'A payment was made.',
  SUBSCRIBED: 'The provider charges renewals automatically.',
  PROCESSING: 'The checkout was completed; the bank processes the payment.',
  PAYMENT_FAILED: 'The payment failed after the checkout was completed.',
  RENEWAL_FAILED: 'A renewal could not be charged.',
  REFUNDED: 'A payment was refunded, in full or in part.',
  REFUND_FAILED: 'A refund did not reach the customer.',
  DISPUTED: 'A payment was disputed.',
  DISPUTE_WON: 'A dispute was won.',
  DISPUTE_LOST: 'A dispute was lost.',
  RENEWAL_STOPPED: 'The renewal was stopped.',
  RENEWAL_RESUMED: 'The renewal was resumed.',
  SUBSCRIPTION_ENDED: 'The provider ended the subscription.',
  CANCELED: 'The order was canceled before it was paid.',
  APPROVED: 'An operator approved a payment that needed review.',
  REJECTED: 'An operator rejected a payment that needed review.',
  FLAGGED: 'A payment was flagged for review; see `reason`.',
});
export type PurchaseEventType = keyof typeof PurchaseEventType;

export const PurchaseEventSource = enumOf('PurchaseEventSource', 'Source of a purchase event.', {
  STRIPE: 'Stripe.',
  TEST: 'The test provider.',
  INVOICE: 'An invoice.',
  TOLLGATE: 'Tollgate or one of its users.',
});

registerEnum(PaymentProviderName, 'PaymentProvider', 'Payment method.', {
  STRIPE: 'Stripe Checkout.',
  TEST: 'Test card; no money moves.',
  INVOICE: 'Bank transfer; an operator marks the invoice as paid.',
});
registerEnum(PurchaseStatus, 'PurchaseStatus', 'Status of a purchase.', {
  PENDING: 'Ordered, not paid.',
  PROCESSING: 'The bank processes the payment, for days if it is a debit.',
  NEEDS_REVIEW:
    'A payment does not match the order, or its result was not reported for 30 days; an operator has to decide.',
  ACTIVE: 'Paid and active.',
  PAST_DUE: 'The renewal failed; active until `graceEndsAt`.',
  EXPIRED: 'The last paid period is over, and it was not renewed.',
  REFUNDED: 'The payment was refunded.',
  DISPUTED: 'The payment is disputed, or the dispute was lost.',
  CANCELED: 'The order was canceled, was not paid in time, or its payment failed.',
  REJECTED: 'An operator rejected the payment.',
});
registerEnum(MoneyAccount, 'MoneyAccount', 'Account of the money ledger.', {
  CASH: 'Payments received, less refunds and disputes.',
  REVENUE: 'Revenue; negative, the counterpart of CASH.',
  SUSPENSE: 'Payments that need review.',
  DISPUTED: 'Amounts that banks retain while a dispute is open.',
});
registerEnum(InvoiceStatus, 'InvoiceStatus', 'Status of an invoice.', {
  OPEN: 'Not paid.',
  PAID: 'Paid.',
  VOID: 'Voided; the number is not reused.',
});

@ObjectType({ description: 'An event of a purchase. The state of the purchase follows from its events.' })
export class PurchaseEvent extends ObjectOf({
  id: field.id('Id of the event, unique per source.'),
  source: field.of(() => PurchaseEventSource, 'Source of the event.'),
  type: field.of(() => PurchaseEventType, 'Type of the event.'),
  at: field.dateTime('When it happened, in billing time.'),
  payment: field.string('Reference of the payment concerned, if any.').nullable(),
  amountMinor: field
    .safeInt(
      'Amount paid, disputed or not refunded, in the smallest unit of the currency. For refunds, the total refunded so far.',
    )
    .nullable(),
  reason: field.of(() => PaymentReviewReason, 'For FLAGGED: the reason.').nullable(),
}) {}

@ObjectType({ description: 'A limit of a tenant before and after a purchase.' })
export class PurchasedLimit extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  before: field.safeInt('The limit without the purchase.'),
  after: field.safeInt('The limit with the purchase.'),
}) {}

@ObjectType({ description: 'What a purchase would change and charge.' })
export class PurchasePreview extends ObjectOf({
  limits: field.of(() => PurchasedLimit, 'The limits that the offer applies to.').list(),
  noEffect: field
    .string('Why the purchase would change no limit and is rejected (`NO_EFFECT`); null if it changes one.')
    .nullable(),
  amountMinor: field.safeInt(
    'Charged when the order is paid, and again for each renewal, in the smallest unit of the currency. Nothing is prorated.',
  ),
  currency: field.string('ISO 4217 code of the currency.'),
  renewsAt: field.dateTime('First renewal if it is paid now; null if it does not renew.').nullable(),
}) {}

@ObjectType({ description: 'A payment of a purchase.' })
export class Payment extends ObjectOf({
  ref: field.string('Reference of the payment at its provider.'),
  at: field.dateTime('When it was made.'),
  amountMinor: field.safeInt('Amount paid, in the smallest unit of the currency.'),
  currency: field.string('ISO 4217 code of the currency.'),
  status: field.of(() => PaymentStatus, 'Status of the payment.'),
  reviewReason: field
    .of(() => PaymentReviewReason, 'Why it needs or needed review; null if it did not.')
    .nullable(),
  refundedMinor: field.safeInt('Amount refunded.'),
  disputedMinor: field.safeInt('Amount disputed, including lost disputes.'),
}) {}

@ObjectType({ description: 'One side of a booking. The entries of a purchase sum to zero.' })
export class MoneyEntry extends ObjectOf({
  id: field.id('Id of the entry.'),
  account: field.of(() => MoneyAccount, 'Account of the entry.'),
  amountMinor: field.string('Signed amount, in the smallest unit of the currency, as a decimal string.'),
  currency: field.string('ISO 4217 code of the currency.'),
  at: field.dateTime('When it was booked.'),
}) {}

@ObjectType({ description: 'A pending cancellation at the payment provider.' })
export class ProviderStop extends ObjectOf({
  attempts: field.int('Number of failed attempts.'),
  nextAttemptAt: field
    .dateTime('Time of the next attempt; null: as soon as possible, or retries are exhausted.')
    .nullable(),
  lastError: field.string('Error of the last attempt.').nullable(),
  isExhausted: field.boolean('Whether automatic retries are exhausted. Retry with `purchaseStopRetry`.'),
}) {}

@ObjectType({ implements: () => [Node], description: 'An order of an offer, on the terms at that time.' })
export class Purchase extends ObjectOf(
  ObjectOf(Node, {
    tenantKey: field.string('Key of the tenant that buys.'),
    offer: field.of(() => Offer, 'The offer on its current terms.'),
    label: field.string('Display name of the purchase.'),
    kind: field.of(() => OfferKind, 'Whether it renews or expires.'),
    provider: field.of(() => PaymentProviderName, 'Payment method.'),
    status: field.of(() => PurchaseStatus, 'Status of the purchase.'),
    quantity: field.int('Quantity.'),
    amountMinor: field.as<bigint>(
      () => SafeInt,
      'Total price for one period, in the smallest unit of the currency.',
    ),
    currency: field.string('ISO 4217 code of the currency.'),
    interval: field.of(() => BillingInterval, 'Billing interval; null if paid once.').nullable(),
    checkoutUrl: field.string('Checkout page of a pending purchase; null if there is none.').nullable(),
    isAutomatic: field.boolean('Whether an auto top-up ordered it.').resolved(),
    renews: field.boolean('Whether it renews at the end of the period.'),
    paidThrough: field
      .dateTime('End of the last paid period, in billing time; null if nothing was paid.')
      .nullable(),
    graceEndsAt: field.dateTime('End of the grace period after a failed renewal.').nullable(),
    providerStop: field
      .of(() => ProviderStop, 'Pending cancellation at the provider; null if there is none.')
      .nullable(),
    createdAt: field.dateTime('When it was ordered, in billing time.'),
  }),
  {
    effects: field
      .of(() => OfferEffect, 'Effects on limits, for the whole quantity.')
      .list()
      .usualLength(4),
    payments: field
      .of(() => Payment, 'Payments, ordered by time.')
      .list()
      .usualLength(3),
    events: field
      .of(() => PurchaseEvent, 'Events, ordered by time.')
      .list()
      .usualLength(4),
    moneyEntries: field
      .of(() => MoneyEntry, 'Ledger entries, ordered by time.')
      .list()
      .usualLength(6),
  },
) {}

export const PurchaseConnection = connectionOf(Purchase, 'Purchase', 'purchases');

@ObjectType({ implements: () => [Node], description: 'An invoice, to be paid by bank transfer.' })
export class Invoice extends ObjectOf(Node, {
  number: field.int('Invoice number; numbers have no gaps.'),
  purchaseId: field.id('Id of the purchase.'),
  purchase: field.of(() => Purchase, 'The invoiced purchase.'),
  period: field.int('0 for the order, 1 for its first renewal, and so on.'),
  status: field.of(() => InvoiceStatus, 'Status of the invoice.'),
  amountMinor: field.as<bigint>(() => SafeInt, 'Amount due, in the smallest unit of the currency.'),
  currency: field.string('ISO 4217 code of the currency.'),
  issuedAt: field.dateTime('When it was issued, in billing time.'),
  dueAt: field.dateTime('When it is due, in billing time.'),
  closedAt: field.dateTime('When it was paid or voided; null while it is open.').nullable(),
  reference: field.string('Reference on the bank statement.').nullable(),
}) {}

export const InvoiceConnection = connectionOf(Invoice, 'Invoice', 'invoices');

@ObjectType({ description: 'Outcome of a change to a purchase.' })
export class PurchasePayload extends ObjectOf(PublishedPayload, {
  purchase: field.of(() => Purchase, 'The purchase after the change.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to an invoice.' })
export class InvoicePayload extends ObjectOf(PublishedPayload, {
  invoice: field
    .of(() => Invoice, 'The invoice after the change, or unchanged if it is not open.')
    .nullable(),
}) {}

@ObjectType({ description: 'Outcome of `paymentPortalLink`.' })
export class PaymentPortalLinkPayload extends ObjectOf(MutationPayload, {
  url: field.string('Single-use URL; it expires soon.').nullable(),
}) {}

export function showEvent({ id, source, at, fact }: StoredEvent): PurchaseEvent {
  return {
    id,
    at,
    source: source.toUpperCase() as Uppercase<typeof source>,
    type: typeOf(fact),
    payment: 'payment' in fact ? fact.payment : null,
    amountMinor: amountOf(fact),
    reason: fact.type === 'flagged' ? fact.reason : null,
  };
}

function typeOf(fact: StoredEvent['fact']): PurchaseEventType {
  if (fact.type === 'dispute_closed') return fact.isWon ? 'DISPUTE_WON' : 'DISPUTE_LOST';
  return fact.type.toUpperCase() as Uppercase<typeof fact.type>;
}

function amountOf(fact: StoredEvent['fact']): number | null {
  if (fact.type === 'refunded') return fact.refundedMinor;
  return 'amountMinor' in fact ? fact.amountMinor : null;
}
