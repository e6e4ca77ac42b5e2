import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PurchaseTimersService } from '../../src/features/commerce/index.js';
import { PROCESSING_DAYS } from '../../src/features/commerce/purchases/purchase.fold.js';
import { Clock } from '../../src/platform/clock.js';
import { mutation, TOPUP, UPGRADE } from '../support/shop.js';
import { eventOf, type StripeSeller } from '../support/stripe-seller.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Delayed = 'async_payment_succeeded' | 'async_payment_failed';

/** Bank debits and vouchers: the checkout is completed days before the bank reports whether it was paid. */
export function describeDelayedPayments(seller: StripeSeller): void {
  const { stripe, read } = seller;
  let aheadMs = 0;
  let restore: () => void;

  beforeEach(() => {
    aheadMs = 0;
    const clock = seller.app.app.get(Clock, { strict: false });
    const { now } = clock;
    clock.now = () => new Date(Date.now() + aheadMs);
    restore = () => {
      clock.now = now;
    };
  });
  afterEach(() => restore());

  const post = (event: { created: number }) => {
    const created = event.created + Math.floor(aheadMs / 1000);
    return seller.post({ ...event, created }, { atMs: Date.now() + aheadMs });
  };
  /** Runs the due timers after `ms` have passed. */
  const wait = async (ms: number) => {
    aheadMs += ms;
    await seller.app.app.get(PurchaseTimersService, { strict: false }).run();
  };
  const cancel = async (purchaseId: string) =>
    (await seller.app.graphql(mutation('purchaseCancel', 'PurchaseCancelInput'), { input: { purchaseId } }))
      .data.result;
  const columnsOf = (id: string) => seller.app.database.purchase.findUniqueOrThrow({ where: { id } });
  const noticesOf = async (id: string) => {
    const rows = await seller.app.database.notice.findMany({ orderBy: { id: 'asc' } });
    return rows.flatMap(({ kind, data }) =>
      (data as { purchaseId?: string }).purchaseId === id ? [kind] : [],
    );
  };

  describe.each([
    ['an upgrade', UPGRADE],
    ['a top-up', TOPUP],
  ])('%s that is paid by a bank debit', (_kind, offer) => {
    const isUpgrade = offer === UPGRADE;

    /** An order, its subscription at Stripe, and the events of its checkout. */
    const start = async () => {
      const purchase = await seller.order(offer);
      const subscription = isUpgrade ? `sub_${purchase.id}` : null;
      if (subscription !== null)
        stripe.objects.set(subscription, { id: subscription, object: 'subscription', status: 'active' });
      const session = async (payment_status: string) =>
        seller.sessionOf(purchase, {
          payment_status,
          ...(isUpgrade && {
            mode: 'subscription',
            invoice: `in_${purchase.id}`,
            payment_intent: null,
            subscription,
          }),
        });
      return {
        id: purchase.id,
        completed: eventOf('checkout.session.completed', await session('unpaid')),
        report: async (type: Delayed) =>
          eventOf(
            `checkout.session.${type}`,
            await session(type === 'async_payment_succeeded' ? 'paid' : 'unpaid'),
          ),
        isAtStripe: () =>
          subscription === null ||
          (stripe.objects.get(subscription) as { status: string }).status === 'active',
      };
    };

    it('is granted when the debit succeeds after days, and stays at Stripe', async () => {
      const { id, completed, report, isAtStripe } = await start();
      expect(await post(completed)).toEqual({ status: 200, outcome: 'booked' });
      await wait(5 * DAY_MS);
      expect(await read(id)).toMatchObject({ status: 'PROCESSING', checkoutUrl: null, payments: [] });
      expect(await columnsOf(id)).toMatchObject({ stockReserved: true, stopDue: false });
      expect(isAtStripe()).toBe(true);

      const succeeded = await report('async_payment_succeeded');
      await post(succeeded);
      expect(await post(succeeded)).toMatchObject({ outcome: 'duplicate' });
      await wait(HOUR_MS);
      expect(await read(id)).toMatchObject({ status: 'ACTIVE', renews: isUpgrade });
      expect((await read(id)).payments).toHaveLength(1);
      expect(isAtStripe()).toBe(true);
    });

    it('is canceled when the debit fails: the stock is released, and nothing is left at Stripe', async () => {
      const { id, completed, report, isAtStripe } = await start();
      await post(completed);
      await wait(2 * DAY_MS);
      await post(await report('async_payment_failed'));
      expect(await read(id)).toMatchObject({ status: 'CANCELED', renews: false, payments: [] });
      expect(await columnsOf(id)).toMatchObject({ stockReserved: false });
      await wait(HOUR_MS);
      expect(isAtStripe()).toBe(!isUpgrade);
      expect(await noticesOf(id)).toEqual(['purchase.payment_failed']);
    });

    it('shows no renewal when the money comes after the subscription was ended at Stripe', async () => {
      const { id, completed, report } = await start();
      await post(completed);
      await post(await report('async_payment_failed'));
      await wait(HOUR_MS);
      await post(await report('async_payment_succeeded'));
      expect(await read(id)).toMatchObject({ status: 'ACTIVE', renews: false });
    });

    it.each([
      ['async_payment_succeeded', 'ACTIVE'],
      ['async_payment_failed', 'CANCELED'],
    ] as const)('ends alike when %s arrives before the completed checkout', async (type, status) => {
      const { id, completed, report, isAtStripe } = await start();
      await post(await report(type));
      await post(completed);
      await wait(HOUR_MS);
      expect(await read(id)).toMatchObject({ status });
      expect(isAtStripe()).toBe(status === 'ACTIVE' || !isUpgrade);
    });

    it('is processing although the event of its checkout arrives after the time to pay', async () => {
      const { id, completed, report, isAtStripe } = await start();
      stripe.broken = /\/expire$/;
      await wait(2 * HOUR_MS);
      expect(await read(id)).toMatchObject({ status: 'CANCELED' });
      expect(await columnsOf(id)).toMatchObject({ stopDue: true, stockReserved: false });
      await post(completed);
      stripe.broken = null;
      await wait(DAY_MS);
      expect(await read(id)).toMatchObject({ status: 'PROCESSING' });
      expect(await columnsOf(id)).toMatchObject({ stopDue: false, stopAttempts: 0, stockReserved: true });
      await post(await report('async_payment_succeeded'));
      await wait(HOUR_MS);
      expect(await read(id)).toMatchObject({ status: 'ACTIVE', renews: isUpgrade });
      expect(isAtStripe()).toBe(true);
    });

    it('cannot be canceled while the bank processes the payment', async () => {
      const { id, completed } = await start();
      await post(completed);
      expect(await cancel(id)).toMatchObject({
        purchase: { status: 'PROCESSING' },
        userErrors: [{ code: 'INVALID', message: expect.stringContaining('is being processed') }],
      });
    });

    it(`needs review after ${PROCESSING_DAYS} days without a result, and nothing is canceled at Stripe`, async () => {
      const { id, completed, report, isAtStripe } = await start();
      await post(completed);
      await wait(PROCESSING_DAYS * DAY_MS + HOUR_MS);
      await wait(HOUR_MS);
      expect(await read(id)).toMatchObject({ status: 'NEEDS_REVIEW', payments: [] });
      expect(await noticesOf(id)).toEqual(['purchase.needs_review']);
      expect(isAtStripe()).toBe(true);
      await post(await report('async_payment_succeeded'));
      expect(await read(id)).toMatchObject({ status: 'ACTIVE' });
      expect(isAtStripe()).toBe(true);
    });

    it('ends at Stripe when an operator cancels the order after that', async () => {
      const { id, completed, isAtStripe } = await start();
      await post(completed);
      await wait(PROCESSING_DAYS * DAY_MS + HOUR_MS);
      expect(await cancel(id)).toMatchObject({ userErrors: [], purchase: { status: 'CANCELED' } });
      await wait(HOUR_MS);
      expect(await columnsOf(id)).toMatchObject({ stockReserved: false, stopDue: false });
      expect(isAtStripe()).toBe(!isUpgrade);
    });
  });
}
