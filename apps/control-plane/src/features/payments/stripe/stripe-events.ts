import { Injectable } from '@nestjs/common';
import { kindOfId } from '../../../platform/ids/new-id.js';
import type { PurchaseFact } from '../purchase-fact.js';
import { StripeClient } from './stripe-client.js';
import {
  chargeSchema,
  disputeSchema,
  invoiceSchema,
  type StripeEvent,
  sessionSchema,
  subscriptionSchema,
} from './stripe-objects.js';
import { PURCHASE_METADATA } from './stripe-provider.js';

/** Which purchase an event is about, and what it says of it. */
export interface ToldFact {
  purchaseId: string;
  fact: PurchaseFact;
}

type Metadata = Record<string, string> | null | undefined;

/**
 * Reads Stripe's events. A payment of a subscription is known by its invoice, any other by its payment intent, so that
 * events that tell of the same money agree on what they call it.
 */
@Injectable()
export class StripeEvents {
  constructor(private readonly stripe: StripeClient) {}

  /**
   * Null: the event is not about a purchase of ours, or tells nothing that we go by.
   * @throws z.ZodError for what Stripe would not send; Error when Stripe has to be asked and does not answer.
   */
  async read(event: StripeEvent): Promise<ToldFact | null> {
    const { object } = event.data;
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
        return readSession(sessionSchema.parse(object));
      case 'checkout.session.expired':
        return told(purchaseOf(sessionSchema.parse(object).metadata), { type: 'expired' });
      case 'invoice.paid':
        return readInvoice(object, true);
      case 'invoice.payment_failed':
        return readInvoice(object, false);
      case 'charge.refunded':
        return this.readRefund(object);
      case 'charge.dispute.created':
      case 'charge.dispute.closed':
        return this.readDispute(object, event.type === 'charge.dispute.closed');
      case 'customer.subscription.updated':
        return readStop(object, event.data.previous_attributes);
      case 'customer.subscription.deleted':
        return told(purchaseOf(subscriptionSchema.parse(object).metadata), { type: 'ended' });
      default:
        return null;
    }
  }

  private async readRefund(object: object): Promise<ToldFact | null> {
    const charge = chargeSchema.parse(object);
    const found = await this.findPayment(charge.payment_intent, charge.metadata);
    if (found === null) return null;
    const { purchaseId, payment } = found;
    return told(purchaseId, { type: 'refunded', payment, refundedMinor: charge.amount_refunded });
  }

  private async readDispute(object: object, isClosed: boolean): Promise<ToldFact | null> {
    const dispute = disputeSchema.parse(object);
    // An inquiry: the bank asks, the money stays.
    if (dispute.status.startsWith('warning_')) return null;
    const found = await this.findPayment(dispute.payment_intent, null);
    if (found === null) return null;
    const { purchaseId, payment } = found;
    const common = { payment, dispute: dispute.id, amountMinor: dispute.amount };
    return told(
      purchaseId,
      isClosed
        ? { type: 'dispute_closed', ...common, isWon: dispute.status === 'won' }
        : { type: 'disputed', ...common },
    );
  }

  /** A charge of a subscription does not say so: its invoice does. */
  private async findPayment(
    intent: string | null | undefined,
    metadata: Metadata,
  ): Promise<{ purchaseId: string; payment: string } | null> {
    if (intent == null) return null;
    const direct =
      purchaseOf(metadata) ?? purchaseOf((await this.stripe.api.paymentIntents.retrieve(intent)).metadata);
    if (direct !== undefined) return { purchaseId: direct, payment: intent };
    const { data } = await this.stripe.api.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: intent },
      limit: 1,
    });
    const invoice = data[0]?.invoice;
    if (typeof invoice !== 'string') return null;
    const { parent } = invoiceSchema.parse(await this.stripe.api.invoices.retrieve(invoice));
    const purchaseId = purchaseOf(parent?.subscription_details?.metadata);
    return purchaseId === undefined ? null : { purchaseId, payment: invoice };
  }
}

function readSession(session: ReturnType<typeof sessionSchema.parse>): ToldFact | null {
  const purchaseId = purchaseOf(session.metadata);
  const payment = session.mode === 'subscription' ? session.invoice : session.payment_intent;
  if (session.payment_status !== 'paid' || payment == null) {
    // Not paid yet: the payment is told by another event.
    return session.subscription == null
      ? null
      : told(purchaseId, { type: 'subscribed', subscription: session.subscription });
  }
  return told(purchaseId, {
    type: 'paid',
    payment,
    amountMinor: session.amount_total ?? 0,
    currency: (session.currency ?? '').toUpperCase(),
    customer: session.customer ?? null,
    ...(session.subscription == null ? {} : { subscription: session.subscription }),
  });
}

function readInvoice(object: object, isPaid: boolean): ToldFact | null {
  const invoice = invoiceSchema.parse(object);
  const details = invoice.parent?.subscription_details;
  const purchaseId = purchaseOf(details?.metadata);
  if (!isPaid) return told(purchaseId, { type: 'renewal_failed', payment: invoice.id });
  return told(purchaseId, {
    type: 'paid',
    payment: invoice.id,
    amountMinor: invoice.amount_paid,
    currency: invoice.currency.toUpperCase(),
    customer: invoice.customer ?? null,
    ...(details == null ? {} : { subscription: details.subscription }),
  });
}

/** Somebody stops or resumes a renewal on Stripe's own pages. */
function readStop(object: object, previous: Record<string, unknown> | null | undefined): ToldFact | null {
  if (previous == null || !('cancel_at_period_end' in previous)) return null;
  const subscription = subscriptionSchema.parse(object);
  const type = subscription.cancel_at_period_end ? 'renewal_stopped' : 'renewal_resumed';
  return told(purchaseOf(subscription.metadata), { type });
}

function told(purchaseId: string | undefined, fact: PurchaseFact): ToldFact | null {
  return purchaseId === undefined ? null : { purchaseId, fact };
}

function purchaseOf(metadata: Metadata): string | undefined {
  const id = metadata?.[PURCHASE_METADATA];
  return id !== undefined && kindOfId(id) === 'purchase' ? id : undefined;
}
