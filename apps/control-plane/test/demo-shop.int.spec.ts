import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../src/platform/prisma/database.js';
import { DemoShopSeed } from '../src/setup/demo-activity-seed.js';
import { readDemoData } from '../src/setup/demo-data.js';
import { DemoSeed } from '../src/setup/demo-seed.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { startTestServices, type TestServices } from './support/test-services.js';

let services: TestServices;

beforeAll(async () => {
  services = await startTestServices([SetupModule], { PAYMENT_TEST_ENABLED: 'true' });
  await services.context.get(DemoSeed, { strict: false }).run(readDemoData(), 'correct horse');
}, 180_000);
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
