import { describe, expect, it } from 'vitest';
import { TOPUP, UPGRADE } from '../support/shop.js';
import { eventOf, nowS, OLD_SECRET, type StripeSeller } from '../support/stripe-seller.js';

/** What Stripe tells comes to what happened, in whatever order and however often it is told. */
export function describeEvents(seller: StripeSeller): void {
  const { stripe, order, read, post, sessionOf, invoiceOf } = seller;

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
      expect(await read(purchase.id)).toMatchObject({
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
      expect((await read(purchase.id)).payments).toHaveLength(1);
      await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}_2`)));
      expect((await read(purchase.id)).payments).toHaveLength(2);
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
      expect(await read(purchase.id)).toMatchObject({ renews: false });
      await post(updated(false, nowS() + 20));
      expect(await read(purchase.id)).toMatchObject({ renews: true });
      // It was delayed on its way.
      await post(updated(true, nowS() + 5));
      expect(await read(purchase.id)).toMatchObject({ renews: true });
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
      expect(await read(purchase.id)).toMatchObject({ status: 'PENDING' });
      await post(eventOf('invoice.paid', await invoiceOf(purchase, invoice)));
      expect(await read(purchase.id)).toMatchObject({ status: 'REFUNDED' });
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
      expect(await read(purchase.id)).toMatchObject({ status: 'DISPUTED' });
      await post(eventOf('charge.dispute.closed', dispute('won')));
      expect(await read(purchase.id)).toMatchObject({ status: 'ACTIVE' });
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
}
