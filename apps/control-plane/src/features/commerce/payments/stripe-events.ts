import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import type { PurchaseFact } from './payment-provider.js';
import { STRIPE_API_VERSION, StripeClient } from './stripe-client.js';
import { PURCHASE_METADATA, UNATTENDED_METADATA } from './stripe-provider.js';

/** The fields of Stripe objects that are read. In events, references are always ids. */
const id = z.string().min(1);
const metadata = z.record(z.string(), z.string()).nullish();
const amount = z.int().min(0);

/** The fields needed to record an event that cannot be read. */
export const stripeEventHeadSchema = z.looseObject({
  id: id.max(200),
  object: z.literal('event'),
  type: z.string().max(200),
  /** API version of the shape of `data`. */
  api_version: z.string().max(100).nullish(),
});

export const stripeEventSchema = z.object({
  ...stripeEventHeadSchema.shape,
  /** Seconds. */
  created: z.int().min(0),
  data: z.object({
    object: z.looseObject({}),
    previous_attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
});

export type StripeEvent = z.output<typeof stripeEventSchema>;

export const sessionSchema = z.object({
  id,
  mode: z.string(),
  client_reference_id: z.string().nullish(),
  metadata,
  customer: id.nullish(),
  amount_total: amount.nullish(),
  currency: z.string().nullish(),
  payment_status: z.string(),
  payment_intent: id.nullish(),
  invoice: id.nullish(),
  subscription: id.nullish(),
});

const currency = z.string().length(3);

/** A paid session; one without an amount must not be booked as 0. */
export const paidSessionSchema = sessionSchema.extend({ amount_total: amount, currency });

/** The subscription of an invoice is in `parent` since 2025-03-31, before that at the top level or on its lines. */
export const invoiceSchema = z
  .object({
    id,
    customer: id.nullish(),
    amount_paid: amount,
    currency,
    parent: z
      .object({
        subscription_details: z.object({ subscription: id, metadata }).nullish(),
      })
      .nullish(),
    subscription: id.nullish(),
    subscription_details: z.object({ metadata }).nullish(),
    lines: z.object({ data: z.array(z.object({ metadata })) }).nullish(),
  })
  .transform(({ parent, subscription, subscription_details, lines, ...invoice }) => ({
    ...invoice,
    subscription: parent?.subscription_details?.subscription ?? subscription ?? undefined,
    metadata: [
      parent?.subscription_details?.metadata,
      subscription_details?.metadata,
      ...(lines?.data ?? []).map((line) => line.metadata),
    ],
  }));

export const chargeSchema = z.object({ payment_intent: id.nullish(), amount_refunded: amount, metadata });

export const refundSchema = z.object({ payment_intent: id.nullish(), amount });

export const disputeSchema = z.object({
  id,
  payment_intent: id.nullish(),
  amount,
  status: z.string(),
});

export const intentSchema = z.object({
  id,
  customer: id.nullish(),
  amount_received: amount,
  currency,
  metadata,
});

export const subscriptionSchema = z.object({ id, metadata });

const subscriptionNowSchema = subscriptionSchema.extend({
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  /** Seconds. */
  cancel_at: z.int().nullish(),
});

/** The purchase of an event: its id in the metadata, or the subscription that makes later charges. */
export type PurchaseRef = { id: string } | { subscription: string };

export interface StripeFact {
  purchase: PurchaseRef;
  fact: PurchaseFact;
  /** When Stripe was asked for what the fact says; undefined: the event says it. */
  readAt?: Date;
}

type Metadata = Record<string, string> | null | undefined;

/** Changes of a subscription that affect its renewal. */
const RENEWAL_ATTRIBUTES = ['cancel_at_period_end', 'cancel_at', 'status'];
const ENDED_STATUSES = ['canceled', 'incomplete_expired'];

/** First version whose invoices carry the metadata of their subscription. */
const OLDEST_API_VERSION = '2022-11-15';
/** Types of the events that change purchases; docs/operate/payments.md lists them for the webhook endpoint. */
export const PURCHASE_EVENTS: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'invoice.paid',
  'invoice.payment_failed',
  'payment_intent.succeeded',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
  'customer.subscription.updated',
  'customer.subscription.deleted',
]);

/**
 * Whether events of an API version such as `2024-06-20` or `2026-10-28.endive` can be read. Releases of one name only add
 * fields; an unknown name may have moved one.
 */
export function isSupportedVersion(version: string | null | undefined): boolean {
  if (version == null) return true;
  const [date = '', name] = version.split('.');
  const [newest = '', newestName] = STRIPE_API_VERSION.split('.');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  return date >= OLDEST_API_VERSION && (date <= newest || name === newestName);
}

/**
 * Reads Stripe's events. A payment of a subscription is identified by its invoice, any other by its payment intent, so that
 * several events about the same money use one identifier.
 */
@Injectable()
export class StripeEvents {
  constructor(
    private readonly stripe: StripeClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Null if the event changes no purchase.
   * @throws z.ZodError for missing fields; StripeError or ProviderFailure if the Stripe API is unavailable
   */
  read(event: StripeEvent): Promise<StripeFact | null> {
    return this.stripe.within(() => this.readFact(event));
  }

  private async readFact(event: StripeEvent): Promise<StripeFact | null> {
    const { object } = event.data;
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
        return readSession(object);
      case 'checkout.session.async_payment_failed':
        return readUnpaidSession(object, 'payment_failed');
      case 'checkout.session.expired':
        return stripeFact([sessionSchema.parse(object).metadata], undefined, { type: 'canceled' });
      case 'invoice.paid':
        return readInvoice(object, true);
      case 'invoice.payment_failed':
        return readInvoice(object, false);
      case 'payment_intent.succeeded':
        return readIntent(object);
      case 'charge.refunded':
        return this.readRefund(object);
      case 'refund.failed':
        return this.readFailedRefund(object);
      case 'charge.dispute.created':
      case 'charge.dispute.closed':
        return this.readDispute(object, event.type === 'charge.dispute.closed');
      case 'customer.subscription.updated':
        return this.readSubscription(object, event.data.previous_attributes);
      case 'customer.subscription.deleted': {
        const { id, metadata } = subscriptionSchema.parse(object);
        return stripeFact([metadata], id, { type: 'subscription_ended' });
      }
      default:
        return null;
    }
  }

  /**
   * Whether a subscription renews, as Stripe says now. Times of events are seconds, so their order does not tell which of two
   * changes was the last; a reading that began after a change knows it.
   */
  private async readSubscription(
    object: object,
    previous: Record<string, unknown> | null | undefined,
  ): Promise<StripeFact | null> {
    if (!RENEWAL_ATTRIBUTES.some((name) => name in (previous ?? {}))) return null;
    const readAt = this.clock.now();
    const now = subscriptionNowSchema.parse(
      await this.stripe.api.subscriptions.retrieve(subscriptionSchema.parse(object).id),
    );
    const found = stripeFact([now.metadata], now.id, renewalFactOf(now));
    return found && { ...found, readAt };
  }

  private async readRefund(object: object): Promise<StripeFact | null> {
    const charge = chargeSchema.parse(object);
    const found = await this.findPayment(charge.payment_intent, charge.metadata);
    if (found === null) return null;
    const { purchase, payment } = found;
    return { purchase, fact: { type: 'refunded', payment, refundedMinor: charge.amount_refunded } };
  }

  /** The charge of a failed refund is not sent, so the other refunds are read. */
  private async readFailedRefund(object: object): Promise<StripeFact | null> {
    const { payment_intent: intent, amount: amountMinor } = refundSchema.parse(object);
    const found = await this.findPayment(intent, null);
    if (found === null || intent == null) return null;
    const readAt = this.clock.now();
    let refundedMinor = 0;
    for await (const { status, amount } of this.stripe.api.refunds.list({ payment_intent: intent })) {
      if (status !== 'failed' && status !== 'canceled') refundedMinor += amount;
    }
    const { purchase, payment } = found;
    return { purchase, readAt, fact: { type: 'refund_failed', payment, amountMinor, refundedMinor } };
  }

  private async readDispute(object: object, isClosed: boolean): Promise<StripeFact | null> {
    const dispute = disputeSchema.parse(object);
    // An inquiry of the bank: no money is withdrawn.
    if (dispute.status.startsWith('warning_')) return null;
    const found = await this.findPayment(dispute.payment_intent, null);
    if (found === null) return null;
    const { purchase, payment } = found;
    const common = { payment, dispute: dispute.id, amountMinor: dispute.amount };
    return {
      purchase,
      fact: isClosed
        ? { type: 'dispute_closed', ...common, isWon: dispute.status === 'won' }
        : { type: 'disputed', ...common },
    };
  }

  /** A charge of a subscription refers to it through its invoice. */
  private async findPayment(
    intent: string | null | undefined,
    metadata: Metadata,
  ): Promise<{ purchase: PurchaseRef; payment: string } | null> {
    if (intent == null) return null;
    const direct =
      purchaseOf(metadata) ?? purchaseOf((await this.stripe.api.paymentIntents.retrieve(intent)).metadata);
    if (direct !== undefined) return { purchase: { id: direct }, payment: intent };
    const { data } = await this.stripe.api.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: intent },
      limit: 1,
    });
    const invoice = data[0]?.invoice;
    if (typeof invoice !== 'string') return null;
    const { metadata: candidates, subscription } = invoiceSchema.parse(
      await this.stripe.api.invoices.retrieve(invoice),
    );
    const purchase = purchaseRef(candidates, subscription);
    return purchase === null ? null : { purchase, payment: invoice };
  }
}

function readSession(object: object): StripeFact | null {
  const session = sessionSchema.parse(object);
  const payment = session.mode === 'subscription' ? session.invoice : session.payment_intent;
  if (session.payment_status === 'unpaid') return readUnpaidSession(object, 'processing');
  if (session.payment_status !== 'paid' || payment == null) {
    // Nothing to pay: an invoice reports the period.
    return session.subscription == null
      ? null
      : stripeFact([session.metadata], undefined, { type: 'subscribed', subscription: session.subscription });
  }
  if (purchaseOf(session.metadata) === undefined) return null;
  const { amount_total: amountMinor, currency } = paidSessionSchema.parse(object);
  return stripeFact([session.metadata], undefined, {
    type: 'paid',
    payment,
    amountMinor,
    currency: currency.toUpperCase(),
    customer: session.customer ?? null,
    ...(session.subscription == null ? {} : { subscription: session.subscription }),
  });
}

/** A completed session whose payment is reported days later. */
function readUnpaidSession(object: object, type: 'processing' | 'payment_failed'): StripeFact | null {
  const { metadata, subscription } = sessionSchema.parse(object);
  return stripeFact([metadata], undefined, { type, ...(subscription == null ? {} : { subscription }) });
}

function readInvoice(object: object, isPaid: boolean): StripeFact | null {
  const { id, metadata, subscription, amount_paid, currency, customer } = invoiceSchema.parse(object);
  if (!isPaid) return stripeFact(metadata, subscription, { type: 'renewal_failed', payment: id });
  return stripeFact(metadata, subscription, {
    type: 'paid',
    payment: id,
    amountMinor: amount_paid,
    currency: currency.toUpperCase(),
    customer: customer ?? null,
    ...(subscription === undefined ? {} : { subscription }),
  });
}

/** Only charges without the customer: sessions and invoices report the others. */
function readIntent(object: object): StripeFact | null {
  const { id, customer, amount_received, currency, metadata } = intentSchema.parse(object);
  if (metadata?.[UNATTENDED_METADATA] === undefined) return null;
  return stripeFact([metadata], undefined, {
    type: 'paid',
    payment: id,
    amountMinor: amount_received,
    currency: currency.toUpperCase(),
    customer: customer ?? null,
  });
}

function renewalFactOf(subscription: z.output<typeof subscriptionNowSchema>): PurchaseFact {
  const { status, cancel_at_period_end, cancel_at } = subscription;
  if (ENDED_STATUSES.includes(status)) return { type: 'subscription_ended' };
  if (cancel_at_period_end) return { type: 'renewal_stopped' };
  if (cancel_at == null) return { type: 'renewal_resumed' };
  return { type: 'renewal_stopped', endsAt: new Date(cancel_at * 1000).toISOString() };
}

function stripeFact(
  metadata: readonly Metadata[],
  subscription: string | undefined,
  fact: PurchaseFact,
): StripeFact | null {
  const purchase = purchaseRef(metadata, subscription);
  return purchase === null ? null : { purchase, fact };
}

function purchaseRef(metadata: readonly Metadata[], subscription: string | undefined): PurchaseRef | null {
  const id = metadata.map(purchaseOf).find((found) => found !== undefined);
  if (id !== undefined) return { id };
  return subscription === undefined ? null : { subscription };
}

function purchaseOf(metadata: Metadata): string | undefined {
  const id = metadata?.[PURCHASE_METADATA];
  return id !== undefined && kindOfId(id) === 'purchase' ? id : undefined;
}
