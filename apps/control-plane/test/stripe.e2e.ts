import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signBody } from '../src/features/commerce/index.js';
import { describeDelayedPayments } from './stripe/delayed-payments-suite.js';
import { describeEvents } from './stripe/events-suite.js';
import { describeOutages } from './stripe/outages-suite.js';
import { describeSavedCards } from './stripe/saved-cards-suite.js';
import { describeStops } from './stripe/stops-suite.js';
import { mutation, START, TOPUP, UPGRADE } from './support/shop.js';
import { eventOf, SECRET, SECRET_KEY, StripeSeller } from './support/stripe-seller.js';
import { ORIGIN } from './support/test-app.js';

const seller = new StripeSeller();
const { stripe, order, read, post, sessionOf } = seller;

beforeAll(() => seller.start());
afterAll(() => seller.stop());

describe('an order through Stripe', () => {
  it('creates a checkout session with the price and the customer', async () => {
    const purchase = await order(UPGRADE);
    expect(purchase.checkoutUrl).toMatch(/^https:\/\/checkout\.stripe\.test/);
    const [customer] = stripe.callsTo('/v1/customers');
    expect(customer).toMatchObject({ fields: { name: 'Acme', 'metadata[tollgate_tenant]': 'acme' } });
    const { fields, headers } = stripe.callsTo('/v1/checkout/sessions').at(-1) ?? {};
    expect(headers).toMatchObject({
      authorization: `Bearer ${SECRET_KEY}`,
      'idempotency-key': `checkout-${purchase.id}`,
    });
    expect(fields).toMatchObject({
      mode: 'subscription',
      'line_items[0][price_data][unit_amount]': '4900',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][tollgate_purchase]': purchase.id,
      success_url: `${ORIGIN}/portal/acme/receipts?paid=${purchase.id}`,
    });
    await order(TOPUP, { quantity: 2 });
    expect(stripe.callsTo('/v1/customers')).toHaveLength(1);
    expect(stripe.callsTo('/v1/checkout/sessions').at(-1)?.fields).toMatchObject({
      mode: 'payment',
      'line_items[0][price_data][unit_amount]': '1800',
    });
  });

  it('is retried with the same idempotency key, and canceled when Stripe is unavailable', async () => {
    stripe.failures.push([500, { error: { type: 'api_error', message: 'Down' } }]);
    const purchase = await order(TOPUP);
    const calls = stripe.callsTo('/v1/checkout/sessions').slice(-2);
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `checkout-${purchase.id}`,
      `checkout-${purchase.id}`,
    ]);
    stripe.failures.push([400, { error: { type: 'invalid_request_error', message: 'Secret details' } }]);
    const input = { tenantKey: 'acme', offerKey: 'pack', provider: 'STRIPE', expectedPriceMinor: 900 };
    const { data } = await seller.app.graphql(START, { input });
    expect(data.result).toMatchObject({
      purchase: null,
      userErrors: [
        { code: 'PROVIDER_UNAVAILABLE', message: 'Stripe rejected the request. Try again later.' },
      ],
    });
    const last = await seller.app.database.purchase.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(last).toMatchObject({ status: 'CANCELED', stockReserved: false });
  });
});

describeEvents(seller);
describeDelayedPayments(seller);
describeSavedCards(seller);
describeOutages(seller);

describe('a payment that does not match the order', () => {
  it.each([
    ['an amount below the price', { amount_total: 100 }, 'WRONG_AMOUNT'],
    ['another currency', { currency: 'usd' }, 'WRONG_CURRENCY'],
    ['another customer', { customer: 'cus_other' }, 'WRONG_CUSTOMER'],
  ])('%s needs review, and is granted when an operator approves it', async (_what, more, reviewReason) => {
    const purchase = await order(TOPUP);
    await post(eventOf('checkout.session.completed', await sessionOf(purchase, more)));
    const review = await read(purchase.id);
    expect(review).toMatchObject({
      status: 'NEEDS_REVIEW',
      payments: [{ status: 'NEEDS_REVIEW', reviewReason }],
    });
    const input = { purchaseId: purchase.id, payment: review.payments[0].ref };
    const release = mutation('purchaseApprove', 'PaymentDecisionInput');
    const { data } = await seller.app.graphql(release, { input });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { status: 'ACTIVE' } });
    const again = await seller.app.graphql(release, { input });
    expect(again.data.result.userErrors).toMatchObject([{ code: 'INVALID', field: ['payment'] }]);
  });

  it('is refunded through Stripe when an operator rejects it', async () => {
    const purchase = await order(TOPUP);
    await post(eventOf('checkout.session.completed', await sessionOf(purchase, { amount_total: 100 })));
    const input = { purchaseId: purchase.id, payment: `pi_${purchase.id}` };
    const { data } = await seller.app.graphql(mutation('purchaseReject', 'PaymentDecisionInput'), { input });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { status: 'REJECTED' } });
    expect(stripe.callsTo('/v1/refunds').at(-1)).toMatchObject({
      fields: { payment_intent: `pi_${purchase.id}`, amount: '100' },
      headers: { 'idempotency-key': `refund-pi_${purchase.id}-100` },
    });
  });
});

describe('a forged webhook', () => {
  it.each([
    ['a day old', { atMs: Date.now() - 86_400_000 }],
    ['signed by somebody else', { secret: 'whsec_somebody_else' }],
  ])('%s is rejected and changes nothing', async (_what, options) => {
    const purchase = await order(TOPUP);
    const event = eventOf('checkout.session.completed', await sessionOf(purchase));
    expect(await post(event, options)).toEqual({ status: 400, outcome: 'unsigned' });
    expect(await read(purchase.id)).toMatchObject({ status: 'PENDING', payments: [] });
  });

  it('with two signatures, or none, is rejected', async () => {
    const body = '{}';
    const send = (headers: [string, string][]) =>
      fetch(`${seller.app.url}/webhooks/stripe`, { method: 'POST', headers, body }).then(
        ({ status }) => status,
      );
    const signature = signBody(Buffer.from(body), SECRET, Date.now());
    expect(await send([])).toBe(400);
    expect(
      await send([
        ['stripe-signature', signature],
        ['stripe-signature', signature],
      ]),
    ).toBe(400);
    // Signed, but not an event.
    expect(await send([['stripe-signature', signature]])).toBe(400);
  });

  it('to the disabled test provider returns 404', async () => {
    const response = await fetch(`${seller.app.url}/webhooks/test`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});

describe('the billing portal', () => {
  it('is opened for the Stripe customer of the tenant', async () => {
    const query =
      'mutation($input: PaymentPortalLinkInput!) { paymentPortalLink(input: $input) { url userErrors { code field } } }';
    const ask = async (input: object) => (await seller.app.graphql(query, { input })).data.paymentPortalLink;
    expect(await ask({ tenantKey: 'acme' })).toEqual({
      url: 'https://billing.stripe.test/p/1',
      userErrors: [],
    });
    expect(stripe.callsTo('/v1/billing_portal/sessions').at(-1)?.fields.return_url).toBe(
      `${ORIGIN}/portal/acme/receipts`,
    );
    expect((await ask({ tenantKey: 'nobody' })).userErrors).toEqual([
      { code: 'NOT_FOUND', field: ['tenantKey'] },
    ]);
    expect((await ask({ tenantKey: 'acme', returnPath: '//evil.example' })).userErrors).toMatchObject([
      { field: ['returnPath'] },
    ]);
  });
});

describeStops(seller);
