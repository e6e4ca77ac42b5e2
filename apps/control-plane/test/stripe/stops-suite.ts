import { eventually } from '@tollgate/test-kit';
import { describe, expect, it } from 'vitest';
import { PurchaseTimersService } from '../../src/features/commerce/index.js';
import { STOP_RETRY_MS } from '../../src/features/commerce/purchases/provider-stops.js';
import { Clock } from '../../src/platform/clock.js';
import { mutation, TOPUP, UPGRADE } from '../support/shop.js';
import { eventOf, type StripeSeller } from '../support/stripe-seller.js';

/** Purchases that end in Tollgate also end at Stripe. */
export function describeStops(seller: StripeSeller): void {
  const { stripe, order, post, invoiceOf } = seller;

  describe('a cancellation', () => {
    it('is sent to Stripe first', async () => {
      const purchase = await order(UPGRADE);
      stripe.objects.set(`sub_${purchase.id}`, { id: `sub_${purchase.id}`, object: 'subscription' });
      await post(eventOf('invoice.paid', await invoiceOf(purchase, `in_${purchase.id}`)));
      const input = { purchaseId: purchase.id };
      const { data } = await seller.app.graphql(mutation('purchaseCancel', 'PurchaseCancelInput'), { input });
      expect(data.result).toMatchObject({ userErrors: [], purchase: { renews: false } });
      expect(stripe.objects.get(`sub_${purchase.id}`)).toMatchObject({ cancel_at_period_end: true });
    });
  });

  describe('a failing cancellation at the provider', () => {
    const STOP = 'providerStop { attempts nextAttemptAt lastError isExhausted }';
    const stopOf = async (id: string) =>
      (await seller.app.graphql(`query($id: ID!) { purchase(id: $id) { ${STOP} } }`, { id })).data.purchase
        .providerStop;
    const retry = async (purchaseId: string, headers?: Record<string, string>) =>
      seller.app.graphql(
        `mutation($input: PurchaseCancelInput!) { purchaseStopRetry(input: $input) { purchase { ${STOP} } userErrors { code field } } }`,
        { input: { purchaseId } },
        headers,
      );
    let aheadMs = 0;

    it('is retried with increasing delays, then reported to operators, who can retry it', async () => {
      const clock = seller.app.app.get(Clock, { strict: false });
      const due = seller.app.app.get(PurchaseTimersService, { strict: false });
      clock.now = () => new Date(Date.now() + aheadMs);
      const purchase = await order(TOPUP);
      stripe.broken = /\/expire$/;
      await seller.app.graphql(mutation('purchaseCancel', 'PurchaseCancelInput'), {
        input: { purchaseId: purchase.id },
      });
      const attempted = async (attempts: number) =>
        eventually(async () => {
          await due.run();
          const stop = await stopOf(purchase.id);
          return stop.attempts >= attempts && stop;
        });
      expect(await attempted(1)).toMatchObject({
        attempts: 1,
        lastError: 'Stripe is unavailable. Try again later.',
        isExhausted: false,
      });
      const asked = () => stripe.calls.filter(({ path }) => path.includes('/expire')).length;
      const before = asked();
      await due.run();
      expect(asked()).toBe(before);
      for (const [index, waitMs] of STOP_RETRY_MS.entries()) {
        aheadMs += waitMs + 1000;
        await attempted(index + 2);
      }
      expect(await stopOf(purchase.id)).toMatchObject({ isExhausted: true, nextAttemptAt: null });
      const notices = await seller.app.database.notice.findMany({ where: { kind: 'purchase.stop_failed' } });
      expect(notices).toMatchObject([
        { tenantKey: 'acme', data: { purchaseId: purchase.id, provider: 'STRIPE' } },
      ]);

      const refused = await retry(purchase.id, await seller.app.signIn('SUPPORT'));
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
}
