import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signBody } from '../src/features/payments/index.js';
import { PurchaseDueService } from '../src/features/purchases/index.js';
import { STOP_RETRY_MS } from '../src/features/purchases/stop-retry.rules.js';
import { Clock } from '../src/platform/clock/clock.js';
import { eventually } from './support/eventually.js';
import { FakeStripe } from './support/fake-stripe.js';
import { createPolicy } from './support/policy-factory.js';
import { mutation, Shop, START, TOPUP, UPGRADE } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const OLD_SECRET = 'whsec_older_secret_of_the_endpoint';
const SECRET = 'whsec_secret_of_the_endpoint';
const SECRET_KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';

const stripe = new FakeStripe();
let app: TestApp;
let shop: Shop;
let count = 0;

beforeAll(async () => {
  app = await startTestApp({
    PAYMENT_STRIPE_ENABLED: 'true',
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: `${SECRET},${OLD_SECRET}`,
    STRIPE_API_BASE: await stripe.start(),
  });
  await createPolicy(app);
  shop = new Shop(app);
  await shop.sell(UPGRADE);
  await shop.sell(TOPUP);
});
afterAll(async () => {
  await app.stop();
  await stripe.stop();
});

const order = (offer: typeof UPGRADE | typeof TOPUP, more: object = {}) =>
  shop.order(offer, { provider: 'STRIPE', ...more });
const nowS = () => Math.floor(Date.now() / 1000);

/** Posts an event as Stripe does. */
async function post(event: object, { secret = SECRET, atMs = Date.now() } = {}) {
  const body = Buffer.from(JSON.stringify(event));
  const response = await fetch(`${app.url}/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signBody(body, secret, atMs),
    },
    body,
  });
  return { status: response.status, outcome: ((await response.json()) as { outcome: string }).outcome };
}

function eventOf(type: string, object: object, previous?: object) {
  count += 1;
  const data = previous === undefined ? { object } : { object, previous_attributes: previous };
  return { id: `evt_${count}`, object: 'event', type, created: nowS(), livemode: false, data };
}

/** What Stripe tells when the session of an order was paid. */
async function sessionOf(purchase: { id: string; amountMinor: number }, more: object = {}) {
  const { checkoutRef, customerRef } = await app.database.purchase.findUniqueOrThrow({
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
}

async function invoiceOf(purchase: { id: string }, id: string, more: object = {}) {
  const { customerRef } = await app.database.purchase.findUniqueOrThrow({ where: { id: purchase.id } });
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
}

describe('an order through Stripe', () => {
  it('tells Stripe what to charge, and whom, in its own words', async () => {
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
      success_url: `http://tollgate.test/portal/acme/receipts?paid=${purchase.id}`,
    });
    await order(TOPUP, { quantity: 2 });
    expect(stripe.callsTo('/v1/customers')).toHaveLength(1);
    expect(stripe.callsTo('/v1/checkout/sessions').at(-1)?.fields).toMatchObject({
      mode: 'payment',
      'line_items[0][price_data][unit_amount]': '1800',
    });
  });

  it('is retried with the same key, and given up when Stripe does not answer', async () => {
    stripe.failures.push([500, { error: { type: 'api_error', message: 'Down' } }]);
    const purchase = await order(TOPUP);
    const calls = stripe.callsTo('/v1/checkout/sessions').slice(-2);
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `checkout-${purchase.id}`,
      `checkout-${purchase.id}`,
    ]);
    stripe.failures.push([400, { error: { type: 'invalid_request_error', message: 'Secret details' } }]);
    const input = { tenantKey: 'acme', offerKey: 'pack', provider: 'STRIPE', expectedPriceMinor: 900 };
    const { data } = await app.graphql(START, { input });
    expect(data.result).toMatchObject({
      purchase: null,
      userErrors: [{ code: 'PROVIDER_UNAVAILABLE', message: 'Stripe refused it. Try again later.' }],
    });
    const last = await app.database.purchase.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(last).toMatchObject({ status: 'EXPIRED', holdsStock: false });
  });
});

describe('an event of Stripe', () => {
  it('grants a top-up once, however often and under whichever of the two secrets it is posted', async () => {
    const purchase = await order(TOPUP);
    const event = eventOf('checkout.session.completed', await sessionOf(purchase));
    const answers = await Promise.all([
      post(event),
      post(event, { secret: OLD_SECRET }),
      post(event),
      post(event),
    ]);
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual([
      'duplicate',
      'duplicate',
      'duplicate',
      'taken',
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await shop.read(purchase.id)).toMatchObject({
      status: 'ACTIVE',
      payments: [{ amountMinor: 900 }],
    });
  });

  it('of a subscription tells of the same money twice: session and invoice are one payment', async () => {
    const purchase = await order(UPGRADE);
    const subscription = {
      mode: 'subscription',
      invoice: `in_${purchase.id}`,
      subscription: `sub_${purchase.id}`,
      payment_intent: null,
    };
    await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
    await post(eventOf('checkout.session.completed', await sessionOf(purchase, subscription)));
    expect((await shop.read(purchase.id)).payments).toHaveLength(1);
    await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}_2`)));
    expect((await shop.read(purchase.id)).payments).toHaveLength(2);
  });

  it('stops and resumes what is stopped and resumed on the pages of Stripe', async () => {
    const purchase = await order(UPGRADE);
    await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
    const subscription = (stops: boolean) => ({
      id: `sub_${purchase.id}`,
      cancel_at_period_end: stops,
      metadata: { tollgate_purchase: purchase.id },
    });
    const updated = (stops: boolean, created: number) => ({
      ...eventOf('customer.subscription.updated', subscription(stops), { cancel_at_period_end: !stops }),
      created,
    });
    await post(updated(true, nowS() + 10));
    expect(await shop.read(purchase.id)).toMatchObject({ renews: false });
    await post(updated(false, nowS() + 20));
    expect(await shop.read(purchase.id)).toMatchObject({ renews: true });
    // It was delayed on its way.
    await post(updated(true, nowS() + 5));
    expect(await shop.read(purchase.id)).toMatchObject({ renews: true });
  });

  it('of a refund finds its purchase by the invoice of the charge, also before the payment is told', async () => {
    const purchase = await order(UPGRADE);
    const [intent, invoice] = [`pi_${purchase.id}`, `in_${purchase.id}`];
    stripe.objects.set(intent, { id: intent, object: 'payment_intent', metadata: {} });
    stripe.objects.set(invoice, await invoiceOf(purchase, invoice));
    stripe.objects.set(`inpay_${intent}`, {
      object: 'invoice_payment',
      invoice,
      payment: { type: 'payment_intent', payment_intent: intent },
    });
    const charge = { id: 'ch_1', payment_intent: intent, amount_refunded: 4900, metadata: {} };
    expect(await post(eventOf('charge.refunded', charge))).toEqual({ status: 200, outcome: 'taken' });
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'PENDING' });
    await post(eventOf('invoice.paid', await invoiceOf(purchase, invoice)));
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'REFUNDED' });
  });

  it('of a dispute takes back, and gives again when it is won', async () => {
    const purchase = await order(TOPUP);
    await post(eventOf('checkout.session.completed', await sessionOf(purchase)));
    const intent = `pi_${purchase.id}`;
    stripe.objects.set(intent, {
      id: intent,
      object: 'payment_intent',
      metadata: { tollgate_purchase: purchase.id },
    });
    const dispute = (status: string) => ({
      id: `du_${purchase.id}`,
      payment_intent: intent,
      amount: 900,
      status,
    });
    await post(eventOf('charge.dispute.created', dispute('needs_response')));
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'DISPUTED' });
    await post(eventOf('charge.dispute.closed', dispute('won')));
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('that asks of something that Stripe does not answer now is to come again', async () => {
    const charge = { id: 'ch_2', payment_intent: 'pi_unknown', amount_refunded: 1, metadata: {} };
    expect(await post(eventOf('charge.refunded', charge))).toEqual({ status: 500, outcome: 'failed' });
  });

  it.each([
    ['a type that we do not go by', () => eventOf('product.created', { id: 'prod_1' }), 'ignored'],
    [
      'a payment for something else',
      () => eventOf('invoice.paid', { id: 'in_1', amount_paid: 1, currency: 'eur' }),
      'ignored',
    ],
    [
      'a purchase that there is not',
      () =>
        eventOf('checkout.session.expired', {
          id: 'cs',
          mode: 'payment',
          payment_status: 'unpaid',
          metadata: { tollgate_purchase: `pur_${'0'.repeat(32)}` },
        }),
      'unknown',
    ],
  ])('about %s is taken note of', async (_what, event, outcome) => {
    expect(await post(event())).toEqual({ status: 200, outcome });
  });
});

describe('a payment that is not what was ordered', () => {
  it.each([
    ['too little', { amount_total: 100 }, 'WRONG_AMOUNT'],
    ['other money', { currency: 'usd' }, 'WRONG_CURRENCY'],
    ['somebody else’s', { customer: 'cus_other' }, 'WRONG_CUSTOMER'],
  ])('%s is held, and granted when an operator releases it', async (_what, more, holdReason) => {
    const purchase = await order(TOPUP);
    await post(eventOf('checkout.session.completed', await sessionOf(purchase, more)));
    const held = await shop.read(purchase.id);
    expect(held).toMatchObject({ status: 'HELD', payments: [{ standing: 'HELD', holdReason }] });
    const input = { purchaseId: purchase.id, payment: held.payments[0].ref };
    const release = mutation('purchaseRelease', 'PaymentDecisionInput');
    const { data } = await app.graphql(release, { input });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { status: 'ACTIVE' } });
    const again = await app.graphql(release, { input });
    expect(again.data.result.userErrors).toMatchObject([{ code: 'INVALID', field: ['payment'] }]);
  });

  it('is given back through Stripe when an operator rejects it', async () => {
    const purchase = await order(TOPUP);
    await post(eventOf('checkout.session.completed', await sessionOf(purchase, { amount_total: 100 })));
    const input = { purchaseId: purchase.id, payment: `pi_${purchase.id}` };
    const { data } = await app.graphql(mutation('purchaseReject', 'PaymentDecisionInput'), { input });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { status: 'REJECTED' } });
    expect(stripe.callsTo('/v1/refunds').at(-1)).toMatchObject({
      fields: { payment_intent: `pi_${purchase.id}`, amount: '100' },
      headers: { 'idempotency-key': `refund-pi_${purchase.id}-100` },
    });
  });
});

describe('a post that is not Stripe’s', () => {
  it.each([
    ['a day old', { atMs: Date.now() - 86_400_000 }, 'too-old'],
    ['from tomorrow', { atMs: Date.now() + 86_400_000 }, 'from-the-future'],
    ['signed by somebody else', { secret: 'whsec_somebody_else' }, 'not-ours'],
  ])('%s is refused and changes nothing', async (_what, options, outcome) => {
    const purchase = await order(TOPUP);
    const event = eventOf('checkout.session.completed', await sessionOf(purchase));
    expect(await post(event, options)).toEqual({ status: 400, outcome });
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'PENDING', payments: [] });
  });

  it('with two signatures, or none, is refused', async () => {
    const body = '{}';
    const send = (headers: [string, string][]) =>
      fetch(`${app.url}/webhooks/stripe`, { method: 'POST', headers, body }).then(({ status }) => status);
    const signature = signBody(Buffer.from(body), SECRET, Date.now());
    expect(await send([])).toBe(400);
    expect(
      await send([
        ['stripe-signature', signature],
        ['stripe-signature', signature],
      ]),
    ).toBe(400);
    // Signed, but no event.
    expect(await send([['stripe-signature', signature]])).toBe(400);
  });

  it('to the test provider, where that is switched off, finds nothing there', async () => {
    const response = await fetch(`${app.url}/webhooks/test`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});

describe('a customer’s page', () => {
  it('is made by Stripe for the tenant’s own customer', async () => {
    const query =
      'mutation($input: PaymentPortalLinkInput!) { paymentPortalLink(input: $input) { url userErrors { code field } } }';
    const ask = async (input: object) => (await app.graphql(query, { input })).data.paymentPortalLink;
    expect(await ask({ tenantKey: 'acme' })).toEqual({
      url: 'https://billing.stripe.test/p/1',
      userErrors: [],
    });
    expect(stripe.callsTo('/v1/billing_portal/sessions').at(-1)?.fields.return_url).toBe(
      'http://tollgate.test/portal/acme/receipts',
    );
    expect((await ask({ tenantKey: 'nobody' })).userErrors).toEqual([
      { code: 'NOT_FOUND', field: ['tenantKey'] },
    ]);
    expect((await ask({ tenantKey: 'acme', returnPath: '//evil.example' })).userErrors).toMatchObject([
      { field: ['returnPath'] },
    ]);
  });
});

describe('what is stopped here', () => {
  it('is stopped at Stripe first', async () => {
    const purchase = await order(UPGRADE);
    stripe.objects.set(`sub_${purchase.id}`, { id: `sub_${purchase.id}`, object: 'subscription' });
    await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
    const input = { purchaseId: purchase.id };
    const { data } = await app.graphql(mutation('purchaseCancel', 'PurchaseCancelInput'), { input });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { renews: false } });
    expect(stripe.objects.get(`sub_${purchase.id}`)).toMatchObject({ cancel_at_period_end: true });
  });
});

describe('a provider that does not stop', () => {
  const STOP = 'providerStop { attempts nextAttemptAt lastError isGivenUp }';
  const stopOf = async (id: string) =>
    (await app.graphql(`query($id: ID!) { purchase(id: $id) { ${STOP} } }`, { id })).data.purchase
      .providerStop;
  const retry = async (purchaseId: string, headers?: Record<string, string>) =>
    app.graphql(
      `mutation($input: PurchaseCancelInput!) { purchaseStopRetry(input: $input) { purchase { ${STOP} } userErrors { code field } } }`,
      { input: { purchaseId } },
      headers,
    );
  let aheadMs = 0;

  it('is asked later and later, then given up, which operators are told; and asked again by hand', async () => {
    const clock = app.app.get(Clock, { strict: false });
    const due = app.app.get(PurchaseDueService, { strict: false });
    clock.now = () => new Date(Date.now() + aheadMs);
    const purchase = await order(TOPUP);
    stripe.broken = /\/expire$/;
    await app.graphql(mutation('purchaseCancel', 'PurchaseCancelInput'), {
      input: { purchaseId: purchase.id },
    });
    const attempted = async (attempts: number) =>
      eventually(async () => {
        await due.run();
        const stop = await stopOf(purchase.id);
        return stop.attempts >= attempts ? stop : undefined;
      });
    expect(await attempted(1)).toMatchObject({
      attempts: 1,
      lastError: 'Stripe cannot be reached. Try again later.',
      isGivenUp: false,
    });
    const asked = () => stripe.calls.filter(({ path }) => path.includes('/expire')).length;
    const before = asked();
    await due.run();
    expect(asked()).toBe(before);
    for (const [index, waitMs] of STOP_RETRY_MS.entries()) {
      aheadMs += waitMs + 1000;
      await attempted(index + 2);
    }
    expect(await stopOf(purchase.id)).toMatchObject({ isGivenUp: true, nextAttemptAt: null });
    const notices = await app.database.notice.findMany({ where: { kind: 'purchase.stop_failed' } });
    expect(notices).toMatchObject([
      { tenantKey: 'acme', data: { purchaseId: purchase.id, provider: 'STRIPE' } },
    ]);

    const refused = await retry(purchase.id, await app.signIn('SUPPORT'));
    expect(refused.errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await retry(purchase.id)).data.purchaseStopRetry.purchase.providerStop).toMatchObject({
      attempts: 1,
    });
    stripe.broken = null;
    expect((await retry(purchase.id)).data.purchaseStopRetry.purchase.providerStop).toBeNull();
    expect((await retry(purchase.id)).data.purchaseStopRetry.userErrors).toEqual([
      { code: 'INVALID', field: ['purchaseId'] },
    ]);
  });
});
