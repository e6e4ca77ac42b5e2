import { STRIPE_API_VERSION, signBody } from '../../src/features/commerce/index.js';
import { FakeStripe } from './fake-stripe.js';
import { type Shop, startShop, type TOPUP, type UPGRADE } from './shop.js';
import type { TestApp } from './test-app.js';

export const OLD_SECRET = 'whsec_older_secret_of_the_endpoint';
export const SECRET = 'whsec_secret_of_the_endpoint';
export const SECRET_KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';

export const nowS = () => Math.floor(Date.now() / 1000);

let count = 0;

export function eventOf(type: string, object: object, previous?: object) {
  count += 1;
  const data = previous === undefined ? { object } : { object, previous_attributes: previous };
  return {
    id: `evt_${count}`,
    object: 'event',
    api_version: STRIPE_API_VERSION,
    type,
    created: nowS(),
    livemode: false,
    data,
  };
}

/** A control plane that sells one offer of each kind through Stripe. */
export class StripeSeller {
  readonly stripe = new FakeStripe();
  /** Set by `start`. */
  app!: TestApp;
  private shop!: Shop;

  async start(): Promise<void> {
    ({ app: this.app, shop: this.shop } = await startShop({
      PAYMENT_STRIPE_ENABLED: 'true',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: `${SECRET},${OLD_SECRET}`,
      STRIPE_API_BASE: await this.stripe.start(),
    }));
  }

  async stop(): Promise<void> {
    await this.app.stop();
    await this.stripe.stop();
  }

  createTenant(key: string): Promise<void> {
    return this.shop.createTenant(key);
  }

  readonly order = (offer: typeof UPGRADE | typeof TOPUP, more: object = {}) =>
    this.shop.order(offer, { provider: 'STRIPE', ...more });

  readonly read = (purchaseId: string) => this.shop.read(purchaseId);

  /** Posts an event like Stripe. */
  readonly post = async (event: object, { secret = SECRET, atMs = Date.now() } = {}) => {
    const body = Buffer.from(JSON.stringify(event));
    const response = await fetch(`${this.app.url}/webhooks/stripe`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signBody(body, secret, atMs),
      },
      body,
    });
    return { status: response.status, outcome: ((await response.json()) as { outcome: string }).outcome };
  };

  /** The event for a paid session of an order. */
  readonly sessionOf = async (purchase: { id: string; amountMinor: number }, more: object = {}) => {
    const { checkoutRef, customerRef } = await this.app.database.purchase.findUniqueOrThrow({
      where: { id: purchase.id },
    });
    return {
      id: checkoutRef,
      object: 'checkout.session',
      mode: 'payment',
      client_reference_id: purchase.id,
      metadata: { tollgate_purchase: purchase.id },
      customer: customerRef,
      amount_total: purchase.amountMinor,
      currency: 'eur',
      payment_status: 'paid',
      payment_intent: `pi_${purchase.id}`,
      invoice: null,
      subscription: null,
      ...more,
    };
  };

  readonly invoiceOf = async (purchase: { id: string }, id: string, more: object = {}) => {
    const { customerRef } = await this.app.database.purchase.findUniqueOrThrow({
      where: { id: purchase.id },
    });
    return {
      id,
      object: 'invoice',
      customer: customerRef,
      amount_paid: 4900,
      currency: 'eur',
      parent: {
        type: 'subscription_details',
        subscription_details: {
          subscription: `sub_${purchase.id}`,
          metadata: { tollgate_purchase: purchase.id },
        },
      },
      ...more,
    };
  };
}
