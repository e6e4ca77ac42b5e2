import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  InvoicesRepository,
  PurchaseStartService,
  PurchasesRepository,
  PurchaseTimersService,
  TestBank,
  TestDeliveries,
} from '../src/features/commerce/index.js';
import { BillingClock } from '../src/features/commerce/payments/billing-clock.js';
import { InvoicesService } from '../src/features/commerce/purchases/invoices.service.js';
import { PurchaseOrders } from '../src/features/commerce/purchases/purchase-start.service.js';
import { newId } from '../src/platform/ids.js';
import { Database } from '../src/platform/prisma/database.js';
import { DemoShopSeed } from '../src/setup/demo-activity-seed.js';
import { DEMO_CALLER, getValue, readDemoData } from '../src/setup/demo-data.js';
import { DemoSeed } from '../src/setup/demo-seed.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { startTestServices, type TestServices } from './support/test-services.js';

let services: TestServices;

beforeAll(async () => {
  services = await startTestServices([SetupModule], { PAYMENT_TEST_ENABLED: 'true' });
  await services.context.get(DemoSeed, { strict: false }).run(readDemoData(), 'correct horse');
});
afterAll(() => services.stop());

it('buys and renews, and buys nothing twice if set-up is repeated', async () => {
  const shop = services.context.get(DemoShopSeed, { strict: false });
  for (const purchase of readDemoData().purchases) await shop.buy(purchase);
  const { client } = services.context.get(Database);
  const purchases = await client.purchase.findMany({ include: { tenant: true }, orderBy: { id: 'asc' } });
  expect(purchases.map(({ tenant, kind, status }) => [tenant.key, kind, status])).toEqual([
    ['hooli', 'UPGRADE', 'ACTIVE'],
    ['stark', 'UPGRADE', 'ACTIVE'],
    ['wayne', 'UPGRADE', 'ACTIVE'],
    ['umbrella', 'UPGRADE', 'PAST_DUE'],
    ['tyrell', 'UPGRADE', 'ACTIVE'],
    ['wonka', 'UPGRADE', 'ACTIVE'],
    ['northwind', 'UPGRADE', 'ACTIVE'],
    ['wonka', 'TOPUP', 'ACTIVE'],
    ['sirius', 'UPGRADE', 'PENDING'],
  ]);
  expect(await client.invoice.findMany()).toMatchObject([{ number: 1, status: 'OPEN' }]);
  expect(await client.offer.count({ where: { status: 'ACTIVE' } })).toBe(5);
});

const get = <T>(type: new (...args: never[]) => T): T => services.context.get(type, { strict: false });

/** Buys an offer that does not exist yet, by a new tenant whose billing time is `at`. */
async function buyNew(
  at: Date,
  provider: 'TEST' | 'INVOICE',
  {
    quantity,
    ...terms
  }: { quantity: number; priceMinor: bigint; currency: string; interval: 'MONTH' | 'YEAR' | null },
) {
  const { client } = get(Database);
  const tier = await client.tier.findUniqueOrThrow({ where: { key: 'pro' } });
  const id = newId('tenant');
  const subscription = { create: { id: newId('subscription'), tierId: tier.id } };
  const { key: tenantKey } = await client.tenant.create({
    data: { id, key: id.slice(-20), name: 'New', subscription },
  });
  await get(BillingClock).stopAt(client, id, at);
  const key = terms.interval === null ? 'link-pack' : 'more-links';
  const { id: _, ...offer } = await client.offer.findUniqueOrThrow({ where: { key } });
  const copy = { ...offer, ...terms, effects: offer.effects as never, maxQuantity: 100 };
  const { key: offerKey } = await client.offer.create({
    data: { ...copy, id: newId('offer'), key: `offer-${id.slice(-20)}` },
  });
  const preview = await get(PurchaseOrders).preview(tenantKey, offerKey, quantity);
  if (preview === null) throw new Error('The offer has no preview');
  const order = { tenantKey, offerKey, quantity, provider, expectedPriceMinor: Number(terms.priceMinor) };
  const purchase = getValue(await get(PurchaseStartService).start(DEMO_CALLER, order));
  return { tenantId: id, purchase, preview };
}

/** Due dates and amounts of what was charged: paid events of test cards, and invoices. */
async function chargesOf(purchaseId: string, provider: 'TEST' | 'INVOICE') {
  if (provider === 'INVOICE') {
    const invoices = await get(InvoicesRepository).listOfPurchase(purchaseId);
    return invoices.map(({ dueAt, amountMinor, currency }) => [dueAt, Number(amountMinor), currency]);
  }
  const events = await get(PurchasesRepository).listEvents(purchaseId);
  return events.flatMap(({ at, fact }) =>
    fact.type === 'paid' ? [[at, fact.amountMinor, fact.currency]] : [],
  );
}

it('charges exactly what the preview shows, in whole periods, now and at the renewal it shows', async () => {
  const terms = fc.record({
    quantity: fc.integer({ min: 1, max: 100 }),
    priceMinor: fc.bigInt({ min: 1n, max: 10_000_000n }),
    currency: fc.constantFrom('EUR', 'USD', 'JPY', 'KWD', 'CHF'),
    interval: fc.constantFrom('MONTH' as const, 'YEAR' as const, null),
  });
  const date = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-12-31'), noInvalidDate: true });
  const example = { quantity: 3, priceMinor: 999n, currency: 'JPY' as const, interval: 'MONTH' as const };
  await fc.assert(
    fc.asyncProperty(
      date,
      fc.constantFrom('TEST' as const, 'INVOICE' as const),
      terms,
      async (at, provider, offer) => {
        const { tenantId, purchase, preview } = await buyNew(at, provider, offer);
        const amount = [preview.amountMinor, preview.currency];
        expect(amount).toEqual([Number(offer.priceMinor) * offer.quantity, offer.currency]);
        const pay = async () => {
          if (provider === 'TEST') {
            await get(TestBank).pay(purchase.checkoutRef ?? '', '4242 4242 4242 4242');
            return get(TestDeliveries).deliver(tenantId);
          }
          const [invoice] = await get(InvoicesRepository).listOfPurchase(purchase.id);
          getValue(
            await get(InvoicesService).markPaid(DEMO_CALLER, { number: invoice?.number ?? 0, reason: null }),
          );
        };
        await pay();
        expect((await chargesOf(purchase.id, provider)).map(([, ...charged]) => charged)).toEqual([amount]);
        if (preview.renewsAt === null) return;
        await get(BillingClock).advance(tenantId, preview.renewsAt);
        await get(TestDeliveries).run(tenantId);
        await get(PurchaseTimersService).run(tenantId);
        const charges = await chargesOf(purchase.id, provider);
        expect(charges).toHaveLength(2);
        expect(charges[1]).toEqual([preview.renewsAt, ...amount]);
      },
    ),
    {
      numRuns: 30,
      examples: [
        [new Date('2027-01-31T23:30:00Z'), 'TEST', example],
        [new Date('2028-02-29T12:00:00Z'), 'INVOICE', { ...example, interval: 'YEAR' }],
      ],
    },
  );
});
