import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Shop, START, startShop, TOPUP, UPGRADE } from './support/shop.js';
import type { TestApp } from './support/test-app.js';

const SEED = inject('testSeed');
const DAY_MS = 86_400_000;

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  ({ app, shop } = await startShop());
});
afterAll(() => app.stop());

async function setCap(tenantKey: string, amountMinor: number | null, currency = 'EUR') {
  const query = `mutation($input: SpendCapSetInput!) { result: spendCapSet(input: $input) {
    spending { capMinor paidMinor expectedMinor currency } userErrors { code field message } } }`;
  return (await app.graphql(query, { input: { tenantKey, amountMinor, currency } })).data.result;
}

async function start(tenantKey: string, offer: typeof TOPUP | typeof UPGRADE, quantity = 1) {
  const input = {
    ...{ tenantKey, offerKey: offer.key, provider: 'TEST', quantity },
    expectedPriceMinor: offer.priceMinor,
  };
  return (await app.graphql(START, { input })).data.result;
}

/** Payments by calendar month. */
async function paidByMonth(tenantKey: string): Promise<number[]> {
  const events = await app.database.purchaseEvent.findMany({
    where: { type: 'paid', purchase: { tenant: { key: tenantKey } } },
  });
  const months = new Map<string, number>();
  for (const { at, facts } of events) {
    const month = at.toISOString().slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + (facts as { amountMinor: number }).amountMinor);
  }
  return [...months.values()];
}

describe('a spend cap', () => {
  it('is never exceeded by concurrent orders, their payments and renewals', async () => {
    const pick = randomFrom(SEED).below;
    const cap = 12_000 + pick(8000);
    await shop.createTenant('racing');
    await shop.advance('racing', new Date(Date.now() + DAY_MS));
    expect((await setCap('racing', cap)).userErrors).toEqual([]);
    const orders = await Promise.all(
      Array.from({ length: 16 }, () =>
        pick(4) === 0 ? start('racing', UPGRADE) : start('racing', TOPUP, 1 + pick(4)),
      ),
    );
    const refused = orders.flatMap(({ userErrors }) => userErrors);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['SPEND_CAP']));
    const accepted = orders.flatMap(({ purchase }) => purchase ?? []);
    const ordered = accepted.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    expect(ordered).toBeLessThanOrEqual(cap);
    // Another pack would not have fitted, or the cap would be needlessly tight.
    expect(ordered + Math.max(4 * TOPUP.priceMinor, UPGRADE.priceMinor)).toBeGreaterThan(cap);
    for (const purchase of accepted) await shop.payWith(purchase);
    for (const days of [20, 45, 70]) await shop.advance('racing', new Date(Date.now() + days * DAY_MS));
    for (const paid of await paidByMonth('racing')) expect(paid).toBeLessThanOrEqual(cap);
  });

  it('counts unpaid orders until they are canceled, and says why an order is rejected', async () => {
    await shop.createTenant('careful');
    await setCap('careful', 1000);
    const { purchase } = await start('careful', TOPUP);
    const [error] = (await start('careful', TOPUP)).userErrors;
    expect(error).toMatchObject({ code: 'SPEND_CAP', field: ['offerKey'] });
    expect(error.message).toMatch(
      /^This would bring the charges of \w+ \d{4} to €18\.00, above the spend cap of €10\.00\. Raise the cap/,
    );
    const cancel = `mutation($input: PurchaseCancelInput!) { purchaseCancel(input: $input) { userErrors { message } } }`;
    await app.graphql(cancel, { input: { purchaseId: purchase.id } });
    expect((await start('careful', TOPUP)).userErrors).toEqual([]);
  });

  it('cannot be set below what renewals cost, or in another currency', async () => {
    await shop.createTenant('renewing');
    await shop.buy(UPGRADE, undefined, { tenantKey: 'renewing' });
    expect((await setCap('renewing', 4800)).userErrors).toMatchObject([
      { code: 'INVALID', field: ['amountMinor'], message: expect.stringContaining('€49.00') },
    ]);
    expect((await setCap('renewing', 9000, 'USD')).userErrors).toMatchObject([{ field: ['currency'] }]);
    expect(await setCap('renewing', 4900)).toMatchObject({
      spending: { capMinor: 4900, paidMinor: 4900, expectedMinor: 0, currency: 'EUR' },
      userErrors: [],
    });
    expect((await start('renewing', TOPUP)).userErrors).toMatchObject([{ code: 'SPEND_CAP' }]);
    expect((await setCap('renewing', null)).spending.capMinor).toBeNull();
    expect((await start('renewing', TOPUP)).userErrors).toEqual([]);
  });
});
