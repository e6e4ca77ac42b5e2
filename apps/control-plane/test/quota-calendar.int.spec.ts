import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApisService, CatalogueModule, TiersService } from '../src/features/catalogue/index.js';
import { CustomersModule, TenantsService } from '../src/features/customers/index.js';
import { EffectiveLimitsService } from '../src/features/customers/tenants/effective-limits.service.js';
import { RelayModule, RelayService } from '../src/features/distribution/index.js';
import { createGraphqlContext } from '../src/platform/graphql/context.js';
import { CALLER } from './support/test-app.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const DAILY = 3;
const ZONES = [
  'Pacific/Kiritimati',
  'Asia/Kolkata',
  'UTC',
  'America/Sao_Paulo',
  'America/Denver',
  'Pacific/Pago_Pago',
];

let services: TestServices;
let tenants: TenantsService;
let plane: DecisionPlane;

beforeAll(async () => {
  services = await startTestServices([RelayModule, CatalogueModule, CustomersModule]);
  tenants = services.context.get(TenantsService);
  const apis = services.context.get(ApisService);
  await apis.create(CALLER, { key: 'shop', name: 'Shop' });
  await apis.createOperation(CALLER, { apiKey: 'shop', name: 'buy', expectedVersion: 1 });
  const tiers = services.context.get(TiersService);
  await tiers.create(CALLER, { key: 'basic', name: 'Basic' });
  const quota = { name: 'buy-day', apiKey: 'shop', operations: [], per: [], algorithm: 'QUOTA' as const };
  const limits = [{ ...quota, limit: DAILY, period: 'DAY' as const }];
  await tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion: 1, limits });
  expect(await tiers.publish(CALLER, { tierKey: 'basic', expectedVersion: 2 })).toMatchObject({ ok: true });
  await services.context.get(RelayService).run();
  plane = await DecisionPlane.start({
    countersUrl: services.redisUrl,
    configUrl: services.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    // No test here depends on the deadline.
    deadlineMs: 5000,
  });
});
afterAll(async () => {
  await plane?.close();
  await services.stop();
});

describe('a tenant that has exhausted its daily quota', () => {
  it('gets no second quota by changing its time zone back and forth, with requests in between or not', async () => {
    const [longestAgo, latest] = farApart();
    const tenant = 'switcher';
    await create(tenant, longestAgo);
    await useUp(tenant);
    for (const zone of [latest, longestAgo, latest]) {
      await changeZone(tenant, zone);
      expect(await ask(tenant), zone).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
    }
    for (const zone of [longestAgo, latest, longestAgo, latest]) await changeZone(tenant, zone);
    expect(await ask(tenant)).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
  });

  it('gets no second quota through many time zones: the fifth change within a month is rejected', async () => {
    const tenant = 'traveler';
    const zones = byStartOfDay();
    await create(tenant, zones[0] ?? 'UTC');
    await useUp(tenant);
    for (const zone of zones.slice(1, -1)) await changeZone(tenant, zone);
    const input = {
      tenantKey: tenant,
      timeZone: zones.at(-1) ?? null,
      expectedVersion: await versionOf(tenant),
    };
    expect(await tenants.update(CALLER, input)).toMatchObject({
      ok: false,
      errors: [{ code: 'INVALID', field: ['timeZone'] }],
    });
    expect(await ask(tenant)).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
  });

  it('gets no second quota by also changing its billing day and tier version', async () => {
    const [longestAgo, latest] = farApart();
    const tenant = 'mover';
    await create(tenant, longestAgo);
    await useUp(tenant);
    await changeZone(tenant, latest, 15);
    const expectedVersion = await versionOf(tenant);
    const pin = { tenantKey: tenant, tierKey: 'basic', pinnedVersion: 1, expectedVersion };
    expect(await tenants.changeTier(CALLER, pin)).toMatchObject({ ok: true });
    await enforce();
    expect(await ask(tenant)).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
  });
});

describe('effective limits of a tenant in another time zone', () => {
  it('show the usage of the local day, which resets at local midnight', async () => {
    const key = 'islander';
    await create(key, 'Pacific/Kiritimati');
    await useUp(key);
    const tenant = await tenants.findByKey(key);
    if (tenant === null) throw new Error(`${key} is gone`);
    const context = createGraphqlContext({ id: 'req_1' } as FastifyRequest);
    const [limit] = await services.context
      .get(EffectiveLimitsService, { strict: false })
      .list(context, tenant);
    expect(limit?.live).toMatchObject({ used: DAILY, remaining: 0 });
    // Fourteen hours ahead of UTC.
    expect(limit?.live?.resetAt.toISOString()).toMatch(/T10:00:00\.000Z$/);
  });
});

/** Zones by the start of their day, earliest first: in the last one, that usage belongs to yesterday. */
function byStartOfDay(): string[] {
  const now = new Date();
  const hour = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(now));
  return ZONES.toSorted((a, b) => hour(b) - hour(a));
}

function farApart(): [string, string] {
  const zones = byStartOfDay();
  return [zones[0] ?? 'UTC', zones.at(-1) ?? 'UTC'];
}

async function create(key: string, timeZone: string): Promise<void> {
  const outcome = await tenants.create(CALLER, { key, name: key, tierKey: 'basic', timeZone });
  expect(outcome).toMatchObject({ ok: true });
  await enforce();
}

async function changeZone(tenantKey: string, timeZone: string, billingAnchorDay = 1): Promise<void> {
  const expectedVersion = await versionOf(tenantKey);
  const input = { tenantKey, timeZone, billingAnchorDay, expectedVersion };
  expect(await tenants.update(CALLER, input)).toMatchObject({ ok: true });
  await enforce();
}

async function versionOf(key: string): Promise<number> {
  return (await tenants.findByKey(key))?.version ?? 0;
}

/** Publishes and waits until the node applies it. */
async function enforce(): Promise<void> {
  const result = await services.context.get(RelayService).run();
  if (!result.published) throw new Error('Nothing was published');
  await eventually(() => plane.revision === result.revision);
}

async function useUp(tenant: string): Promise<void> {
  for (let i = 0; i < DAILY; i++) expect(await ask(tenant)).toMatchObject({ success: true });
  expect(await ask(tenant)).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
}

function ask(tenant: string) {
  return plane.limit({ tenant, api: 'shop', operation: 'buy' });
}
