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
}, 180_000);
afterAll(() => services.stop());

describe('the demo, set up twice, has', () => {
  it.each<[string, () => Promise<number>, number]>([
    ['a default limit', () => client.defaultLimit.count(), 1],
    [
      'tiers with a version that is archived',
      () => client.tierVersion.count({ where: { status: 'ARCHIVED' } }),
      2,
    ],
    ['a version for newcomers', () => published('NEW_TENANTS_ONLY'), 1],
    ['one for a cohort', () => published('COHORT'), 1],
    ['tenants that are held back', () => client.subscription.count({ where: { pinnedByRollout: true } }), 6],
    [
      'an override that ends',
      () => client.override.count({ where: { kind: 'OVERRIDE', endsAt: { not: null } } }),
      1,
    ],
    ['a boost', () => client.override.count({ where: { kind: 'BOOST' } }), 1],
    ['what was given without a purchase', () => client.entitlement.count({ where: { cause: 'GRANT' } }), 2],
    ['an upgrade that was bought', () => bought('UPGRADE'), 1],
    ['a top-up that was bought', () => bought('TOPUP'), 2],
    ['a request that nobody has answered', () => requests('OPEN'), 1],
    ['one with a counter-offer', () => requests('COUNTERED'), 1],
    ['alert thresholds', () => client.alertThreshold.count(), 1],
    ['an invitation', () => client.invitation.count(), 1],
    [
      'endpoints that nothing is sent to',
      () => client.webhookEndpoint.count({ where: { status: 'DISABLED' } }),
      2,
    ],
    [
      'a token of one tenant',
      () => client.serviceToken.count({ where: { tenantKeys: { has: 'hooli' } } }),
      1,
    ],
    ['a change set that waits', () => client.changeSet.count({ where: { status: 'SUBMITTED' } }), 1],
  ])('%s', async (_name, count, expected) => {
    expect(await count()).toBe(expected);
  });
});

const published = (audience: 'NEW_TENANTS_ONLY' | 'COHORT') =>
  client.tierVersion.count({ where: { status: 'PUBLISHED', audience } });
const bought = (source: 'UPGRADE' | 'TOPUP') =>
  client.entitlement.count({ where: { kind: 'GRANT', source, cause: { not: 'GRANT' } } });
const requests = (status: 'OPEN' | 'COUNTERED') => client.quotaRequest.count({ where: { status } });
