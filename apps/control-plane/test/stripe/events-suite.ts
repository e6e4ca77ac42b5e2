import { describe, expect, it } from 'vitest';
import { TOPUP, UPGRADE } from '../support/shop.js';
import { eventOf, nowS, OLD_SECRET, type StripeSeller } from '../support/stripe-seller.js';

const REVIEWS = `query { paymentEventReviews { nodes {
  id provider eventId type apiVersion problem status attempts
} } }`;

/** Stripe events lead to the same result in any order and number of deliveries. */
export function describeEvents(seller: StripeSeller): void {
  const { stripe, order, read, post, sessionOf, invoiceOf } = seller;

  describe('a Stripe event', () => {
    it('grants a top-up once when posted repeatedly under either secret', async () => {
      const purchase = await order(TOPUP);
      const event = eventOf('checkout.session.completed', await sessionOf(purchase));
      const answers = await Promise.all([
        post(event),
        post(event, { secret: OLD_SECRET }),
        post(event),
        post(event),
      ]);
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual([
        'booked',
        'duplicate',
        'duplicate',
        'duplicate',
      ]);
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(await read(purchase.id)).toMatchObject({
        status: 'ACTIVE',
        payments: [{ amountMinor: 900 }],
      });
    });

    it('counts session and invoice of a subscription as one payment', async () => {
      const purchase = await order(UPGRADE);
      const subscription = {
        mode: 'subscription',
        invoice: `in_${purchase.id}`,
        subscription: `sub_${purchase.id}`,
        payment_intent: null,
      };
      await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
      await post(eventOf('checkout.session.completed', await sessionOf(purchase, subscription)));
      expect((await read(purchase.id)).payments).toHaveLength(1);
      await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}_2`)));
      expect((await read(purchase.id)).payments).toHaveLength(2);
    });

    it('stops and resumes a renewal as the customer does on the pages of Stripe', async () => {
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
      expect(await read(purchase.id)).toMatchObject({ renews: false });
      await post(updated(false, nowS() + 20));
      expect(await read(purchase.id)).toMatchObject({ renews: true });
      // A delayed event.
      await post(updated(true, nowS() + 5));
      expect(await read(purchase.id)).toMatchObject({ renews: true });
    });

    it('finds the purchase of a refund by the invoice of the charge, even before the payment event', async () => {
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
      expect(await post(eventOf('charge.refunded', charge))).toEqual({ status: 200, outcome: 'booked' });
      expect(await read(purchase.id)).toMatchObject({ status: 'PENDING' });
      await post(eventOf('invoice.paid', await invoiceOf(purchase, invoice)));
      expect(await read(purchase.id)).toMatchObject({ status: 'REFUNDED' });
    });

    it('ends the entitlements for a dispute and restores them when it is won', async () => {
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
      expect(await read(purchase.id)).toMatchObject({ status: 'DISPUTED' });
      await post(eventOf('charge.dispute.closed', dispute('won')));
      expect(await read(purchase.id)).toMatchObject({ status: 'ACTIVE' });
    });

    it('returns 500 while the Stripe API is unavailable, so that Stripe posts the event again', async () => {
      const charge = { id: 'ch_2', payment_intent: 'pi_unknown', amount_refunded: 1, metadata: {} };
      stripe.broken = /payment_intents/;
      expect(await post(eventOf('charge.refunded', charge))).toEqual({ status: 500, outcome: 'failed' });
      stripe.broken = null;
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
    ])('ignores %s', async (_what, event, outcome) => {
      expect(await post(event())).toEqual({ status: 200, outcome });
    });
  });

  describe('a renewal in the shape of an older API version', () => {
    const renewalOf = async (purchase: { id: string }, id: string, more: object) => {
      const { parent: _parent, ...invoice } = await invoiceOf(purchase, id);
      return { ...eventOf('invoice.paid', { ...invoice, ...more }), api_version: '2024-06-20' };
    };

    it.each([
      [
        'subscription_details at the top level',
        (id: string) => ({
          subscription: `sub_${id}`,
          subscription_details: { metadata: { tollgate_purchase: id } },
        }),
      ],
      [
        'metadata on its lines only',
        (id: string) => ({
          subscription: `sub_${id}`,
          lines: { object: 'list', data: [{ metadata: { tollgate_purchase: id } }] },
        }),
      ],
      [
        'no metadata, but a subscription that belongs to a purchase',
        (id: string) => ({ subscription: `sub_${id}` }),
      ],
    ])('is booked: %s', async (_shape, more) => {
      const purchase = await order(UPGRADE);
      await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
      const renewal = await renewalOf(purchase, `in_${purchase.id}_2`, more(purchase.id));
      expect(await post(renewal)).toEqual({ status: 200, outcome: 'booked' });
      expect((await read(purchase.id)).payments).toHaveLength(2);
    });
  });

  describe('a signed event that cannot be read', () => {
    const reviews = async () =>
      (await seller.app.graphql(REVIEWS)).data.paymentEventReviews.nodes as Record<string, unknown>[];
    const reviewOf = async (eventId: string) =>
      (await reviews()).find((review) => review.eventId === eventId);
    const resolve = async (name: string, input: object, headers?: Record<string, string>) =>
      (
        await seller.app.graphql(
          `mutation($input: ${name === 'paymentEventRetry' ? 'PaymentEventRetryInput' : 'PaymentEventDismissInput'}!) {
            result: ${name}(input: $input) { review { status } userErrors { code field } } }`,
          { input },
          headers,
        )
      ).data?.result;

    it('is rejected with 400 when its API version is not supported, and listed for review', async () => {
      const purchase = await order(UPGRADE);
      const event = {
        ...eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)),
        api_version: '2019-12-03',
      };
      expect(await post(event)).toEqual({ status: 400, outcome: 'unsupported-version' });
      expect(await post(event)).toEqual({ status: 400, outcome: 'unsupported-version' });
      expect(await reviewOf(event.id)).toMatchObject({
        provider: 'STRIPE',
        type: 'invoice.paid',
        apiVersion: '2019-12-03',
        status: 'OPEN',
        attempts: 2,
      });
      const notices = await seller.app.database.notice.findMany({ where: { kind: 'payment.needs_review' } });
      expect(notices).toMatchObject([{ tenantKey: null, data: { provider: 'STRIPE', eventId: event.id } }]);
    });

    it('is accepted for review once instead of returning 500 forever when fields are missing', async () => {
      const purchase = await order(UPGRADE);
      const { amount_paid: _amount, ...invoice } = await invoiceOf(purchase, `in_${purchase.id}`);
      const event = eventOf('invoice.paid', invoice);
      expect(await post(event)).toEqual({ status: 200, outcome: 'needs-review' });
      expect(await post(event)).toEqual({ status: 200, outcome: 'needs-review' });
      expect(await reviewOf(event.id)).toMatchObject({
        status: 'OPEN',
        problem: expect.stringContaining('amount_paid'),
      });
      expect(await read(purchase.id)).toMatchObject({ status: 'PENDING', payments: [] });
    });

    it('needs review when Stripe does not know its payment', async () => {
      const charge = { id: 'ch_3', payment_intent: 'pi_gone', amount_refunded: 1, metadata: {} };
      const event = eventOf('charge.refunded', charge);
      expect(await post(event)).toEqual({ status: 200, outcome: 'needs-review' });
    });

    it('needs review when a paid session has no amount, instead of being booked as 0', async () => {
      const purchase = await order(TOPUP);
      const event = eventOf(
        'checkout.session.completed',
        await sessionOf(purchase, { amount_total: null, currency: null }),
      );
      expect(await post(event)).toEqual({ status: 200, outcome: 'needs-review' });
      expect(await read(purchase.id)).toMatchObject({ status: 'PENDING', payments: [] });
    });

    it('is dismissed with a reason, and only with payments:write', async () => {
      const event = eventOf('charge.refunded', { id: 'ch_4' });
      await post(event);
      const review = await reviewOf(event.id);
      const input = { id: review?.id, reason: 'Test event' };
      expect(await resolve('paymentEventDismiss', input, await seller.app.signIn('SUPPORT'))).toBeUndefined();
      expect((await resolve('paymentEventDismiss', { id: review?.id })).userErrors).toMatchObject([
        { code: 'INVALID', field: ['reason'] },
      ]);
      expect(await resolve('paymentEventDismiss', input)).toMatchObject({ review: { status: 'DISMISSED' } });
      expect((await resolve('paymentEventRetry', { id: review?.id })).userErrors).toMatchObject([
        { code: 'INVALID', field: ['id'] },
      ]);
    });

    it('is booked by a retry once Stripe has the missing object', async () => {
      const purchase = await order(TOPUP);
      await post(eventOf('checkout.session.completed', await sessionOf(purchase)));
      const intent = `pi_${purchase.id}`;
      const event = eventOf('charge.refunded', {
        id: 'ch_5',
        payment_intent: intent,
        amount_refunded: 900,
        metadata: {},
      });
      expect(await post(event)).toMatchObject({ outcome: 'needs-review' });
      const { id } = (await reviewOf(event.id)) as { id: string };
      expect(await resolve('paymentEventRetry', { id })).toMatchObject({ review: { status: 'OPEN' } });
      stripe.objects.set(intent, { id: intent, metadata: { tollgate_purchase: purchase.id } });
      expect(await resolve('paymentEventRetry', { id })).toEqual({
        review: { status: 'BOOKED' },
        userErrors: [],
      });
      expect(await read(purchase.id)).toMatchObject({ status: 'REFUNDED' });
    });
  });
}
