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

it('buys an upgrade, a top-up and an invoice once, even if set-up is repeated', async () => {
  await services.context.get(DemoShopSeed, { strict: false }).run(readDemoData());
  const { client } = services.context.get(Database);
  const purchases = await client.purchase.findMany({ include: { tenant: true }, orderBy: { id: 'asc' } });
  expect(purchases.map(({ tenant, kind, status }) => [tenant.key, kind, status])).toEqual([
    ['umbrella', 'UPGRADE', 'ACTIVE'],
    ['wonka', 'TOPUP', 'ACTIVE'],
    ['sirius', 'UPGRADE', 'PENDING'],
  ]);
  expect(await client.invoice.findMany()).toMatchObject([{ number: 1, status: 'OPEN' }]);
  expect(await client.offer.count({ where: { status: 'ACTIVE' } })).toBe(3);
});
