import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../src/platform/prisma/database.js';
import { readDemoData } from '../src/setup/demo-data.js';
import { DemoSeed } from '../src/setup/demo-seed.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { startTestServices, type TestServices } from './support/test-services.js';

let services: TestServices;
let client: Database['client'];

beforeAll(async () => {
  services = await startTestServices([SetupModule], { PAYMENT_TEST_ENABLED: 'true' });
  client = services.context.get(Database).client;
  const seed = services.context.get(DemoSeed, { strict: false });
  await seed.run(readDemoData(), 'correct horse');
  await seed.run(readDemoData(), 'correct horse');
});
afterAll(() => services.stop());

describe('the demo after two seedings has', () => {
  it.each<[string, () => Promise<number>, number]>([
    ['a default limit', () => client.defaultLimit.count(), 1],
    ['archived tier versions', () => client.tierVersion.count({ where: { status: 'ARCHIVED' } }), 3],
    ['a version for new tenants', () => published('NEW_TENANTS_ONLY'), 1],
    ['a version for a cohort', () => published('COHORT'), 1],
    ['tenants pinned by a rollout', () => client.subscription.count({ where: { pinnedByRollout: true } }), 5],
    [
      'an override with an end',
      () => client.override.count({ where: { kind: 'OVERRIDE', endsAt: { not: null } } }),
      1,
    ],
    ['boosts', () => client.override.count({ where: { kind: 'BOOST' } }), 2],
    ['grants without a purchase', () => client.entitlement.count({ where: { cause: 'GRANT' } }), 2],
    ['purchased upgrades', () => bought('UPGRADE'), 10],
    ['a purchased top-up', () => bought('TOPUP'), 2],
    ['an open quota request', () => requests('OPEN'), 1],
    ['a quota request with a counter-offer', () => requests('COUNTERED'), 1],
    ['objects managed by a configuration', () => client.tier.count({ where: { managedBy: 'CONFIG' } }), 0],
    ['alert thresholds', () => client.alertThreshold.count(), 1],
    ['an invitation', () => client.invitation.count(), 1],
    ['disabled webhook endpoints', () => client.webhookEndpoint.count({ where: { status: 'DISABLED' } }), 2],
    [
      'a service token of one tenant',
      () => client.serviceToken.count({ where: { tenantKeys: { has: 'hooli' } } }),
      1,
    ],
    ['a submitted change set', () => client.changeSet.count({ where: { status: 'SUBMITTED' } }), 1],
  ])('%s', async (_name, count, expected) => {
    expect(await count()).toBe(expected);
  });
});

const published = (audience: 'NEW_TENANTS_ONLY' | 'COHORT') =>
  client.tierVersion.count({ where: { status: 'PUBLISHED', audience } });
const bought = (source: 'UPGRADE' | 'TOPUP') =>
  client.entitlement.count({ where: { kind: 'GRANT', source, cause: { not: 'GRANT' } } });
const requests = (status: 'OPEN' | 'COUNTERED') => client.quotaRequest.count({ where: { status } });
