import { afterEach, describe, expect, it, vi } from 'vitest';
import { StripeClient } from '../../src/features/commerce/index.js';
import { mutation, START, TOPUP } from '../support/shop.js';
import { eventOf, type StripeSeller } from '../support/stripe-seller.js';

const UNAVAILABLE = { code: 'PROVIDER_UNAVAILABLE', message: 'Stripe is unavailable. Try again later.' };
const ORDER = { offerKey: TOPUP.key, provider: 'STRIPE', expectedPriceMinor: TOPUP.priceMinor };
/** Status and body of a proxy, without an error of Stripe. */
const OF_A_PROXY: [number, object][] = Array.from({ length: 3 }, () => [500, { message: 'Bad gateway' }]);

/** Mutations while Stripe hangs or fails. */
export function describeOutages(seller: StripeSeller): void {
  const { stripe, post, sessionOf } = seller;
  let count = 0;

  const ask = async (document: string, input: object) => {
    const { data, errors } = await seller.app.graphql(document, { input });
    expect(errors).toEqual([]);
    return data.result;
  };
  /** Orders for a tenant that has no customer at Stripe, so the first call creates one. */
  const orderOfNewTenant = async () => {
    count += 1;
    const tenantKey = `outage-${count}`;
    await seller.createTenant(tenantKey);
    return ask(START, { ...ORDER, tenantKey });
  };

  describe('while Stripe does not respond', () => {
    afterEach(() => {
      stripe.silent = null;
      vi.restoreAllMocks();
    });

    it.each([
      ['the customer', /customers/],
      ['the session', /sessions/],
    ])('an order is canceled when its time is up at %s', async (_, path) => {
      vi.spyOn(StripeClient.prototype, 'operationMs', 'get').mockReturnValue(300);
      stripe.silent = path;
      expect(await orderOfNewTenant()).toMatchObject({ purchase: null, userErrors: [UNAVAILABLE] });
      const last = await seller.app.database.purchase.findFirstOrThrow({ orderBy: { id: 'desc' } });
      expect(last).toMatchObject({ status: 'CANCELED', stockReserved: false });
    });

    it('an order holds no lock', async () => {
      stripe.silent = /customers/;
      const calls = stripe.callsTo('/v1/customers').length;
      const ordered = orderOfNewTenant();
      await expect.poll(() => stripe.callsTo('/v1/customers').length).toBeGreaterThan(calls);
      const locked = await seller.app.database.$queryRaw`
        SELECT p."status" FROM "purchase" p
        JOIN "tenant" t ON t."id" = p."tenant_id" JOIN "offer" o ON o."id" = p."offer_id"
        WHERE t."key" = ${`outage-${count}`} FOR UPDATE NOWAIT`;
      expect(locked).toEqual([{ status: 'PENDING' }]);
      stripe.silent = null;
      stripe.hangUp();
      expect(await ordered).toMatchObject({ purchase: { status: 'PENDING' }, userErrors: [] });
    });

    it('a refund answers PROVIDER_UNAVAILABLE and can be repeated', async () => {
      const purchase = await seller.order(TOPUP);
      await post(eventOf('checkout.session.completed', await sessionOf(purchase)));
      vi.spyOn(StripeClient.prototype, 'operationMs', 'get').mockReturnValue(300);
      stripe.silent = /refunds/;
      const refund = mutation('purchaseRefund', 'PurchaseRefundInput');
      expect((await ask(refund, { purchaseId: purchase.id })).userErrors).toMatchObject([UNAVAILABLE]);
      stripe.silent = null;
      vi.restoreAllMocks();
      expect((await ask(refund, { purchaseId: purchase.id })).userErrors).toEqual([]);
    });
  });

  describe('while a proxy responds for Stripe', () => {
    it('an order answers PROVIDER_UNAVAILABLE', async () => {
      stripe.failures.push(...OF_A_PROXY);
      expect(await orderOfNewTenant()).toMatchObject({ purchase: null, userErrors: [UNAVAILABLE] });
    });

    it('the retry of a payment event answers PROVIDER_UNAVAILABLE', async () => {
      // Stripe does not know the payment, so the event needs review.
      const dispute = { object: 'dispute', amount: 900, status: 'lost', payment_intent: 'pi_unknown' };
      await post(eventOf('charge.dispute.closed', { id: 'dp_outage', ...dispute }));
      const reviews = '{ paymentEventReviews(first: 1) { nodes { id } } }';
      const [review] = (await seller.app.graphql(reviews)).data.paymentEventReviews.nodes;
      stripe.failures.push(...OF_A_PROXY);
      const retry = `mutation($input: PaymentEventRetryInput!) {
        result: paymentEventRetry(input: $input) { userErrors { code message } } }`;
      expect((await ask(retry, { id: review.id })).userErrors).toEqual([UNAVAILABLE]);
    });
  });
}
