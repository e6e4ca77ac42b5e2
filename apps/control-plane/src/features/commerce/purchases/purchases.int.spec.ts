import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderPurchases } from '../../../../test/support/ordered-purchases.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { Database } from '../../../platform/prisma/database.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { CommerceModule } from '../commerce.modules.js';
import { BillingClock } from '../payments/billing-clock.js';
import { InvoicesRepository } from '../payments/invoices.repository.js';
import { PaymentCustomersRepository, TestEventsRepository } from '../payments/payments.repository.js';
import { PurchasesRepository } from './purchases.repository.js';

let services: TestServices;
let database: Database;
let mine: { id: string; tenantId: string };
let theirs: { id: string; tenantId: string };

beforeAll(async () => {
  services = await startTestServices([CommerceModule]);
  database = services.context.get(Database);
  const ordered = await runInScope('all', () => orderPurchases(database.client as never, 21, randomFrom(1)));
  const find = (id = '') => database.client.purchase.findUniqueOrThrow({ where: { id } });
  [mine, theirs] = [await find(ordered[0]?.id), await find(ordered[20]?.id)];
  for (const { id: purchaseId, tenantId } of [mine, theirs]) {
    const fact = { type: 'canceled' as const };
    const event = { source: 'tollgate' as const, id: `e-${purchaseId}`, at: new Date(), fact };
    const purchases = services.context.get(PurchasesRepository);
    await purchases.addEvents(database.client, (await purchases.findById(purchaseId)) as never, [event]);
    await database.transaction((tx) =>
      services.context.get(PurchasesRepository).addMoney(tx, { id: purchaseId, tenantId } as never, [
        { account: 'CASH', currency: 'EUR', amountMinor: 5 },
        { account: 'REVENUE', currency: 'EUR', amountMinor: -5 },
      ]),
    );
    const issuedAt = new Date();
    const facts = {
      tenantId,
      purchaseId,
      period: 0,
      amountMinor: 5n,
      currency: 'EUR',
      issuedAt,
      dueAt: issuedAt,
    };
    await database.transaction((tx) => services.context.get(InvoicesRepository).issue(tx, facts));
    await services.context.get(PaymentCustomersRepository).keep(tenantId, 'STRIPE', `cus_${tenantId}`);
    await services.context.get(BillingClock).stopAt(database.client, tenantId, issuedAt);
    await services.context.get(TestEventsRepository).add(database.client, tenantId, () => ({}));
  }
});
afterAll(() => services.stop());

describe('rows of another tenant', () => {
  const page = { first: 100, after: undefined };
  const any = { tenantKey: undefined, status: undefined };
  const get = <T>(type: new (...args: never[]) => T) => services.context.get(type) as T;

  it.each<[string, () => Promise<unknown>]>([
    ['a purchase', () => get(PurchasesRepository).findById(theirs.id)],
    [
      'a lock on a purchase',
      () => database.transaction((tx) => get(PurchasesRepository).lock(tx, theirs.id)),
    ],
    ['its events', async () => (await get(PurchasesRepository).listEvents(theirs.id))[0] ?? null],
    [
      'events of several purchases',
      async () => (await get(PurchasesRepository).listEventsOf([theirs.id])).get(theirs.id) ?? null,
    ],
    [
      'its ledger entries',
      async () => (await get(PurchasesRepository).listMoney([theirs.id])).get(theirs.id) ?? null,
    ],
    [
      'its balances',
      async () => (await get(PurchasesRepository).listBalances(database.client, theirs.id))[0] ?? null,
    ],
    ['its invoices', async () => (await get(InvoicesRepository).listOfPurchase(theirs.id))[0] ?? null],
    ['its invoice by number', () => get(InvoicesRepository).findByNumber(2)],
    [
      'its customer id at the provider',
      () => get(PaymentCustomersRepository).find(theirs.tenantId, 'STRIPE'),
    ],
    ['its test clock', async () => ((await get(BillingClock).read(theirs.tenantId)).isTest ? 'seen' : null)],
    [
      'its undelivered test events',
      async () => (await get(TestEventsRepository).listUndelivered(theirs.tenantId, 10))[0] ?? null,
    ],
    [
      'due purchases',
      async () => (await get(PurchasesRepository).listDue(new Date(8e14), theirs.tenantId, 9, 10))[0] ?? null,
    ],
  ])('are not found: %s', async (_what, read) => {
    expect(await runInScope([mine.tenantId], read)).toBeNull();
  });

  it('are in no list and no count', async () => {
    const seen = await runInScope([mine.tenantId], () => get(PurchasesRepository).list(any, page));
    expect(new Set(seen.map(({ tenantId }) => tenantId))).toEqual(new Set([mine.tenantId]));
    expect(await runInScope([mine.tenantId], () => get(PurchasesRepository).count(any))).toBe(20);
    const invoices = await runInScope([mine.tenantId], () => get(InvoicesRepository).list(any, page));
    expect(invoices.map(({ tenantId }) => tenantId)).toEqual([mine.tenantId]);
  });
});

describe('the database', () => {
  it.each([
    [
      'changing an event',
      (tx: Database['client']) => tx.purchaseEvent.updateMany({ data: { type: 'paid' } }),
    ],
    ['deleting an event', (tx: Database['client']) => tx.purchaseEvent.deleteMany()],
    [
      'changing a ledger entry',
      (tx: Database['client']) => tx.moneyEntry.updateMany({ data: { amountMinor: 1n } }),
    ],
    ['deleting a ledger entry', (tx: Database['client']) => tx.moneyEntry.deleteMany()],
    ['deleting an invoice', (tx: Database['client']) => tx.invoice.deleteMany()],
    [
      'selling more than the stock',
      (tx: Database['client']) => tx.offer.updateMany({ data: { stock: 1, taken: 2 } }),
    ],
  ])('rejects %s', async (_what, write) => {
    await expect(write(database.client)).rejects.toThrow();
  });

  it('rejects a booking that does not sum to zero', async () => {
    const one = { account: 'CASH' as const, currency: 'EUR', amountMinor: 1 };
    const write = () =>
      database.transaction((tx) =>
        services.context.get(PurchasesRepository).addMoney(tx, mine as never, [one]),
      );
    await expect(write()).rejects.toThrow(/does not sum to zero|23514/);
  });
});
