import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import { Log } from '../../../platform/log.js';
import {
  type CardCharge,
  type ChargeResult,
  type Checkout,
  type CheckoutOrder,
  type PaymentProvider,
  type PlacedOrder,
  ProviderFailure,
  type Refund,
  type SavedCard,
  type SavedCards,
} from './payment-provider.js';
import { PaymentCustomersRepository } from './payments.repository.js';
import { STRIPE_UNAVAILABLE, StripeClient } from './stripe-client.js';

/** Metadata key with the purchase id on Stripe objects. */
export const PURCHASE_METADATA = 'tollgate_purchase';

/** Metadata key of payments without the customer. */
export const UNATTENDED_METADATA = 'tollgate_unattended';

const MAX_CARDS = 20;

/** Payment through Stripe Checkout. Each order contains its price; no products are created at Stripe. */
@Injectable()
export class StripeProvider implements PaymentProvider, SavedCards {
  readonly name = 'STRIPE' as const;
  readonly savedCards = this;

  constructor(
    private readonly stripe: StripeClient,
    private readonly customers: PaymentCustomersRepository,
    private readonly log: Log,
  ) {}

  startCheckout(order: CheckoutOrder): Promise<Checkout> {
    return this.stripe.within(async () => {
      const customerRef = await this.ensureCustomer(order.tenant);
      const session = await this.ask(() =>
        this.stripe.api.checkout.sessions.create(sessionOf(order, customerRef), {
          idempotencyKey: `checkout-${order.purchaseId}`,
        }),
      );
      return { ref: session.id, url: session.url, customerRef };
    });
  }

  async stopRenewal({ subscriptionRef }: PlacedOrder): Promise<void> {
    if (subscriptionRef === null) return;
    await this.ask(() =>
      this.stripe.api.subscriptions.update(subscriptionRef, { cancel_at_period_end: true }),
    );
  }

  async endNow({ subscriptionRef, checkoutRef }: PlacedOrder): Promise<void> {
    if (subscriptionRef !== null) {
      await this.ask(() => this.stripe.api.subscriptions.cancel(subscriptionRef), 'resource_missing');
    } else if (checkoutRef?.startsWith('pi_') === true) {
      await this.ask(() => this.stripe.api.paymentIntents.cancel(checkoutRef), 'any');
    } else if (checkoutRef !== null) {
      // An unpaid order: close its checkout page. Stripe returns an error if it is closed already.
      await this.ask(() => this.stripe.api.checkout.sessions.expire(checkoutRef), 'any');
    }
  }

  refund({ order, payment, amountMinor, totalMinor, failedBefore }: Refund): Promise<null> {
    return this.stripe.within(async () => {
      const intent = payment.startsWith('in_') ? await this.findIntent(payment) : payment;
      const metadata = { [PURCHASE_METADATA]: order.purchaseId };
      const attempt = failedBefore === 0 ? '' : `-${failedBefore}`;
      await this.ask(() =>
        this.stripe.api.refunds.create(
          { payment_intent: intent, amount: amountMinor, metadata },
          { idempotencyKey: `refund-${payment}-${totalMinor}${attempt}` },
        ),
      );
      return null;
    });
  }

  async findPortalUrl(customerRef: string, returnUrl: string): Promise<string> {
    const { url } = await this.ask(() =>
      this.stripe.api.billingPortal.sessions.create({ customer: customerRef, return_url: returnUrl }),
    );
    return url;
  }

  async list(tenantId: string): Promise<SavedCard[]> {
    const customer = await this.customers.find(tenantId, this.name);
    if (customer === null) return [];
    const { data } = await this.ask(() =>
      this.stripe.api.customers.listPaymentMethods(customer, { type: 'card', limit: MAX_CARDS }),
    );
    return data.flatMap(({ id, card }) =>
      card === undefined ? [] : [{ ref: id, label: `${brandOf(card.brand)} ending in ${card.last4}` }],
    );
  }

  startSaving(tenant: CheckoutOrder['tenant'], currency: string, returnUrl: string): Promise<string> {
    return this.stripe.within(() => this.openSetup(tenant, currency, returnUrl));
  }

  charge(charge: CardCharge): Promise<ChargeResult> {
    return this.stripe.within(() => this.tryCharge(charge));
  }

  private async openSetup(
    tenant: CheckoutOrder['tenant'],
    currency: string,
    returnUrl: string,
  ): Promise<string> {
    const customer = await this.ensureCustomer(tenant);
    const { url } = await this.ask(() =>
      this.stripe.api.checkout.sessions.create({
        mode: 'setup',
        customer,
        currency: currency.toLowerCase(),
        allowed_payment_method_types: ['card'],
        success_url: returnUrl,
        cancel_url: returnUrl,
      }),
    );
    if (url === null) throw new ProviderFailure('Stripe returned no page.', undefined);
    return url;
  }

  private async tryCharge(charge: CardCharge): Promise<ChargeResult> {
    const customerRef = await this.ensureCustomer(charge.tenant);
    const { chargeRef } = charge;
    try {
      const intent = await (chargeRef === null
        ? this.stripe.api.paymentIntents.create(intentOf(charge, customerRef), {
            idempotencyKey: `charge-${charge.purchaseId}`,
          })
        : this.stripe.api.paymentIntents.retrieve(chargeRef));
      return resultOf(intent, customerRef);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      const { type, code, statusCode, requestId } = error;
      this.log.warn({ type, code, statusCode, requestId, reason: error.message }, 'stripe charge failed');
      if (type === 'StripeCardError') return { status: 'declined', message: error.message };
      // A request that Stripe rejects charges nothing; a conflict or any other failure may have.
      if (type === 'StripeInvalidRequestError' && statusCode !== 409)
        return { status: 'declined', message: 'The saved card can no longer be charged.' };
      throw new ProviderFailure(STRIPE_UNAVAILABLE, error);
    }
  }

  private async ensureCustomer({ id, key, name }: CheckoutOrder['tenant']): Promise<string> {
    const known = await this.customers.find(id, this.name);
    if (known !== null) return known;
    const customer = await this.ask(() =>
      this.stripe.api.customers.create(
        { name, metadata: { tollgate_tenant: key } },
        { idempotencyKey: `customer-${id}` },
      ),
    );
    return this.customers.keep(id, this.name, customer.id);
  }

  private async findIntent(invoice: string): Promise<string> {
    const { data } = await this.ask(() =>
      this.stripe.api.invoicePayments.list({ invoice, status: 'paid', limit: 1 }),
    );
    const intent = data[0]?.payment.payment_intent;
    if (intent === undefined) throw new ProviderFailure('Stripe has no payment of this invoice.', undefined);
    return typeof intent === 'string' ? intent : intent.id;
  }

  /** @param accepted error code that means the call has no further effect */
  private async ask<T>(call: () => Promise<T>, accepted?: string): Promise<T> {
    try {
      return await this.stripe.within(call);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      const { type, code, statusCode, requestId } = error;
      const isRejected = type === 'StripeInvalidRequestError';
      if (isRejected && (accepted === 'any' || (accepted !== undefined && code === accepted)))
        return undefined as T;
      this.log.warn({ type, code, statusCode, requestId, reason: error.message }, 'stripe call failed');
      const message = isRejected ? 'Stripe rejected the request. Try again later.' : STRIPE_UNAVAILABLE;
      throw new ProviderFailure(message, error);
    }
  }
}

const brandOf = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1);

function intentOf(charge: CardCharge, customer: string): Stripe.PaymentIntentCreateParams {
  return {
    amount: charge.amountMinor,
    currency: charge.currency.toLowerCase(),
    customer,
    payment_method: charge.card,
    allowed_payment_method_types: ['card'],
    off_session: true,
    confirm: true,
    description: charge.label,
    metadata: { [PURCHASE_METADATA]: charge.purchaseId, [UNATTENDED_METADATA]: 'true' },
  };
}

function resultOf(intent: Stripe.PaymentIntent, customerRef: string): ChargeResult {
  const { id, status, created, amount_received: amountMinor, currency } = intent;
  const checkout = { ref: id, url: null, customerRef };
  if (status === 'processing' || status === 'requires_capture') return { status: 'processing', checkout };
  if (status !== 'succeeded') {
    const message = intent.last_payment_error?.message ?? 'The bank did not confirm the payment.';
    return { status: 'declined', message };
  }
  const fact = {
    type: 'paid' as const,
    payment: id,
    amountMinor,
    currency: currency.toUpperCase(),
    customer: customerRef,
  };
  const event = { source: 'stripe' as const, id: `${id}.charged`, at: new Date(created * 1000), fact };
  return { status: 'paid', checkout, event };
}

function sessionOf(order: CheckoutOrder, customer: string): Stripe.Checkout.SessionCreateParams {
  const metadata = { [PURCHASE_METADATA]: order.purchaseId };
  const price: Stripe.Checkout.SessionCreateParams.LineItem.PriceData = {
    currency: order.currency.toLowerCase(),
    unit_amount: order.amountMinor,
    product_data: { name: order.label },
  };
  const common = {
    customer,
    client_reference_id: order.purchaseId,
    metadata,
    success_url: `${order.returnUrl}?paid=${order.purchaseId}`,
    cancel_url: order.returnUrl,
    ...(order.expiresAt === null ? {} : { expires_at: Math.floor(order.expiresAt.getTime() / 1000) }),
  };
  if (order.interval === null) {
    return {
      ...common,
      mode: 'payment',
      line_items: [{ quantity: 1, price_data: price }],
      payment_intent_data: { metadata },
    };
  }
  const interval = order.interval === 'MONTH' ? 'month' : 'year';
  return {
    ...common,
    mode: 'subscription',
    line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval } } }],
    subscription_data: { metadata },
  };
}
