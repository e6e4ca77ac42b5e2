import { describe, expect, it } from 'vitest';
import { mutation, TOPUP, UPGRADE } from '../support/shop.js';
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

    describe('about a subscription', () => {
      const DAY_S = 86_400;
      /** A paid upgrade whose subscription at Stripe is `now`, and the event that follows a change. */
      const subscribe = async () => {
        const purchase = await order(UPGRADE);
        await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
        const id = `sub_${purchase.id}`;
        const metadata = { tollgate_purchase: purchase.id };
        const usual = {
          id,
          object: 'subscription',
          status: 'active',
          cancel_at_period_end: false,
          cancel_at: null,
        };
        return {
          id: purchase.id,
          setAtStripe: (now: object) => stripe.objects.set(id, { ...usual, metadata, ...now }),
          updated: (then: object, previous: object = { cancel_at_period_end: false }) =>
            eventOf('customer.subscription.updated', { ...usual, metadata, ...then }, previous),
        };
      };

      it('stops and resumes the renewal as the customer does on the pages of Stripe', async () => {
        const { id, setAtStripe, updated } = await subscribe();
        setAtStripe({ cancel_at_period_end: true });
        await post(updated({ cancel_at_period_end: true }));
        expect(await read(id)).toMatchObject({ renews: false });
        setAtStripe({ cancel_at_period_end: false });
        await post(updated({ cancel_at_period_end: false }, { cancel_at_period_end: true }));
        expect(await read(id)).toMatchObject({ renews: true });
      });

      it.each(['stopped, then resumed', 'resumed, then stopped'])(
        'follows what Stripe says now when two changes of one second arrive: %s',
        async (order) => {
          const { id, setAtStripe, updated } = await subscribe();
          const stopped = updated({ cancel_at_period_end: true });
          const resumed = { ...updated({}, { cancel_at_period_end: true }), created: stopped.created };
          setAtStripe({ cancel_at_period_end: false });
          const events = [stopped, resumed];
          for (const event of order.startsWith('stopped') ? events : events.toReversed()) await post(event);
          expect(await read(id)).toMatchObject({ renews: true });
          setAtStripe({ cancel_at_period_end: true });
          await post({ ...updated({}), created: stopped.created });
          expect(await read(id)).toMatchObject({ renews: false });
        },
      );

      it('shows no renewal when the subscription ends on a day within the paid period', async () => {
        const { id, setAtStripe, updated } = await subscribe();
        const cancel_at = nowS() + 10 * DAY_S;
        setAtStripe({ cancel_at });
        await post(updated({ cancel_at }, { cancel_at: null }));
        expect(await read(id)).toMatchObject({ status: 'ACTIVE', renews: false });
      });

      it('shows renewals until the paid period reaches the day on which the subscription ends', async () => {
        const { id, setAtStripe, updated } = await subscribe();
        const cancel_at = nowS() + 45 * DAY_S;
        setAtStripe({ cancel_at });
        await post(updated({ cancel_at }, { cancel_at: null }));
        expect(await read(id)).toMatchObject({ renews: true });
        await post(eventOf('invoice.paid', await invoiceOf({ id }, `in_${id}_2`)));
        expect(await read(id)).toMatchObject({ renews: false });
      });

      it('ends the renewal when the subscription has ended at Stripe', async () => {
        const { id, setAtStripe, updated } = await subscribe();
        setAtStripe({ status: 'canceled' });
        await post(updated({ status: 'past_due' }, { status: 'active' }));
        expect(await read(id)).toMatchObject({ status: 'ACTIVE', renews: false });
      });

      it('changes nothing if neither end nor status has changed', async () => {
        const { updated } = await subscribe();
        expect(await post(updated({}, { latest_invoice: 'in_0' }))).toEqual({
          status: 200,
          outcome: 'ignored',
        });
      });
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

    it('books a failed refund back, restores the entitlements and notifies operators', async () => {
      const purchase = await order(TOPUP);
      await post(eventOf('checkout.session.completed', await sessionOf(purchase)));
      const intent = `pi_${purchase.id}`;
      const metadata = { tollgate_purchase: purchase.id };
      stripe.objects.set(intent, { id: intent, object: 'payment_intent', metadata });
      const refund = (id: string, status: string) => ({
        ...{ id: `${id}_${purchase.id}`, object: 'refund', payment_intent: intent, amount: 900, status },
      });
      const refunded = (created: number) => {
        const charge = { id: 'ch_6', payment_intent: intent, amount_refunded: 900, metadata };
        return { ...eventOf('charge.refunded', charge), created };
      };
      const payment = { ref: intent, amountMinor: 900 };
      await post(refunded(nowS()));
      expect(await read(purchase.id)).toMatchObject({ status: 'REFUNDED' });

      const failed = refund('re_1', 'failed');
      stripe.objects.set(failed.id, failed);
      const event = eventOf('refund.failed', failed);
      expect(await post(event)).toEqual({ status: 200, outcome: 'booked' });
      expect(await post(event)).toEqual({ status: 200, outcome: 'duplicate' });
      expect(await read(purchase.id)).toMatchObject({
        status: 'ACTIVE',
        payments: [{ ...payment, refundedMinor: 0 }],
      });
      const notices = await seller.app.database.notice.findMany({
        where: { kind: 'purchase.refund_failed' },
      });
      expect(notices).toMatchObject([
        { data: { purchaseId: purchase.id, amountMinor: 900, currency: 'EUR' } },
      ]);
      // A delayed event of the refund that failed.
      await post(refunded(nowS() - 60));
      expect(await read(purchase.id)).toMatchObject({ status: 'ACTIVE' });

      const input = { purchaseId: purchase.id };
      await seller.app.graphql(mutation('purchaseRefund', 'PurchaseRefundInput'), { input });
      expect(stripe.callsTo('/v1/refunds').at(-1)?.headers['idempotency-key']).toBe(`refund-${intent}-900-1`);
      await post(refunded(nowS() + 60));
      expect(await read(purchase.id)).toMatchObject({
        status: 'REFUNDED',
        payments: [{ ...payment, refundedMinor: 900 }],
      });
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
