import { beforeAll, describe, expect, it } from 'vitest';
import { AutoTopUpJob, AutoTopUpOrders } from '../../src/features/commerce/auto-top-ups/auto-top-up.job.js';
import { createMeteredTenant, reportUsage } from '../support/metered-tenant.js';
import { signInMember } from '../support/sign-in-member.js';
import { eventOf, type StripeSeller } from '../support/stripe-seller.js';
import { pauseJob } from '../support/test-app.js';

const SET = `mutation($input: AutoTopUpSetInput!) {
  result: autoTopUpSet(input: $input) { autoTopUp { id cardLabel } userErrors { code field message } } }`;
const LINK = `mutation($input: PaymentCardLinkInput!) {
  result: paymentCardLink(input: $input) { url userErrors { code field } } }`;
const CARDS = `query($tenantKey: String!) {
  autoTopUps(tenantKey: $tenantKey) { status stopReason stopDetail spentMinor }
  paymentCards(tenantKey: $tenantKey) { providers cards { provider ref label } problem } }`;

/** Charges of saved cards without the customer. */
export function describeSavedCards(seller: StripeSeller): void {
  const { stripe, post } = seller;
  let owner: Record<string, string>;
  let customer: string;

  const ask = async (query: string, variables: object) =>
    (await seller.app.graphql(query, variables, owner)).data;
  const saveCard = (id: string) =>
    stripe.objects.set(id, {
      ...{ id, object: 'payment_method', customer, type: 'card' },
      card: { brand: 'visa', last4: '4242' },
    });

  /** A tenant that tops up now, with a card. */
  async function turnOn(card: string): Promise<string> {
    saveCard(card);
    const input = {
      ...{
        tenantKey: 'metered',
        apiKey: 'shop',
        limitName: 'monthly',
        offerKey: 'pack',
        provider: 'STRIPE',
        card,
      },
      ...{ thresholdUnits: 200, capMinor: 100_000, expectedPriceMinor: 900 },
    };
    const { result } = await ask(SET, { input });
    expect(result).toMatchObject({ userErrors: [], autoTopUp: { cardLabel: 'Visa ending in 4242' } });
    const { id } = result.autoTopUp;
    await seller.app.database.autoTopUp.update({ where: { id }, data: { orderedAt: null } });
    await reportUsage(seller.app, 'metered', 100_000);
    return id;
  }

  const advance = (id: string) => seller.app.app.get(AutoTopUpOrders, { strict: false }).advance(id);
  const lastOrder = (autoTopUpId: string) =>
    seller.app.database.purchase.findFirstOrThrow({ where: { autoTopUpId }, orderBy: { id: 'desc' } });
  const grantsOf = (purchaseId: string) =>
    seller.app.database.entitlement.count({ where: { purchaseId, limitName: 'monthly' } });
  const status = async () => (await ask(CARDS, { tenantKey: 'metered' })).autoTopUps[0];

  describe('a saved card', () => {
    beforeAll(async () => {
      pauseJob(seller.app, AutoTopUpJob);
      await createMeteredTenant(seller.app, 'metered');
      owner = await signInMember(seller.app, 'metered', 'OWNER');
    });

    it('is saved on a page of Stripe, by the tenant and in the currency of the offer', async () => {
      const input = { tenantKey: 'metered', provider: 'STRIPE', currency: 'EUR' };
      expect((await ask(LINK, { input })).result).toMatchObject({ userErrors: [], url: expect.any(String) });
      const { fields } = stripe.callsTo('/v1/checkout/sessions').at(-1) ?? {};
      expect(fields).toMatchObject({
        mode: 'setup',
        currency: 'eur',
        'allowed_payment_method_types[0]': 'card',
      });
      customer = fields?.customer ?? '';
      saveCard('pm_first');
      expect((await ask(CARDS, { tenantKey: 'metered' })).paymentCards).toEqual({
        providers: ['STRIPE'],
        cards: [{ provider: 'STRIPE', ref: 'pm_first', label: 'Visa ending in 4242' }],
        problem: null,
      });
    });

    it('is charged once without the customer, whatever Stripe repeats', async () => {
      const id = await turnOn('pm_first');
      await Promise.all([advance(id), advance(id)]);
      const order = await lastOrder(id);
      expect(order).toMatchObject({ status: 'ACTIVE', amountMinor: 900n });
      const calls = stripe.callsTo('/v1/payment_intents');
      expect(calls[0]?.headers['idempotency-key']).toBe(`charge-${order.id}`);
      expect(calls[0]?.fields).toMatchObject({
        ...{ amount: '900', currency: 'eur', customer, payment_method: 'pm_first', off_session: 'true' },
        'metadata[tollgate_purchase]': order.id,
      });
      const intent = stripe.objects.get(order.checkoutRef ?? '') as object;
      for (let count = 0; count < 2; count++) await post(eventOf('payment_intent.succeeded', intent));
      expect(await seller.read(order.id)).toMatchObject({
        status: 'ACTIVE',
        payments: [{ amountMinor: 900 }],
      });
      expect(await grantsOf(order.id)).toBe(1);
    });

    it('is booked by the event when the reply was lost', async () => {
      const id = await turnOn('pm_first');
      const lost = { error: { type: 'api_error', message: 'Down' } };
      stripe.failures.push([500, lost], [500, lost], [500, lost]);
      await advance(id);
      const order = await lastOrder(id);
      expect(order.status).toBe('PENDING');
      const metadata = { tollgate_purchase: order.id, tollgate_unattended: 'true' };
      const intent = { id: 'pi_lost', customer, amount_received: 900, currency: 'eur' };
      // The payment of a checkout session has no such mark; its session reports it.
      const unmarked = { ...intent, metadata: { tollgate_purchase: order.id } };
      expect((await post(eventOf('payment_intent.succeeded', unmarked))).outcome).toBe('ignored');
      expect((await post(eventOf('payment_intent.succeeded', { ...intent, metadata }))).outcome).toBe(
        'booked',
      );
      expect((await lastOrder(id)).status).toBe('ACTIVE');
    });

    it.each([
      ['pm_declined', 'Your card was declined.'],
      ['pm_removed', 'The saved card can no longer be charged.'],
    ])('%s turns the auto top-up off', async (card, stopDetail) => {
      const id = await turnOn(card);
      if (card === 'pm_removed') stripe.objects.delete(card);
      await advance(id);
      expect(await lastOrder(id)).toMatchObject({ status: 'CANCELED', stockReserved: false });
      expect(await status()).toMatchObject({ status: 'OFF', stopReason: 'PAYMENT_FAILED', stopDetail });
    });

    it('is missing with a reason while Stripe is unavailable', async () => {
      stripe.broken = /payment_methods/;
      const { paymentCards } = await ask(CARDS, { tenantKey: 'metered' });
      expect(paymentCards).toMatchObject({ cards: [], problem: 'Stripe is unavailable. Try again later.' });
      stripe.broken = null;
    });
  });
}
