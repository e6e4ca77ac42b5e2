import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMIT, PUBLISH, versionOf } from './support/policy-factory.js';
import { type Shop, startShop, TOPUP, UPGRADE } from './support/shop.js';
import { signInMember } from './support/sign-in-member.js';
import type { TestApp } from './support/test-app.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  ({ app, shop } = await startShop());
  const quota = { algorithm: 'QUOTA', limit: 1000, period: 'MONTH' };
  const { windowMs: _, ...common } = LIMIT;
  const limits = [
    LIMIT,
    { ...common, ...quota, name: 'per-month', operations: ['sell'] },
    { ...LIMIT, name: 'per-user', per: ['user'], operations: ['sell'], limit: 5 },
  ];
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  const { data } = await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion, limits } });
  expect(data.tierPublish.userErrors).toEqual([]);
  for (const key of ['quiet', 'busy', 'other']) await shop.createTenant(key);
});
afterAll(() => app.stop());

interface Usage {
  tenantKey: string;
  table: 'usageMinute' | 'usageHour' | 'usageDay';
  at: number;
  allowed: number;
  denied: number;
  operation?: string;
  limitName?: string;
}

/** Stores usage as ingestion does. */
async function store({
  tenantKey,
  table,
  at,
  allowed,
  denied,
  operation = 'buy',
  limitName = 'per-minute',
}: Usage) {
  const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  for (const [outcome, count] of [
    ['ALLOWED', allowed],
    ['DENIED', denied],
  ] as const) {
    const series = { api: 'shop', operation, limitName, outcome };
    const { id: seriesId } = await app.database.usageSeries.upsert({
      where: { api_operation_limitName_outcome: series },
      create: series,
      update: {},
    });
    const row = { tenantId, at: new Date(at), seriesId, count, units: count };
    if (table === 'usageMinute') await app.database.usageMinute.create({ data: row });
    else if (table === 'usageHour') await app.database.usageHour.create({ data: row });
    else await app.database.usageDay.create({ data: row });
  }
}

async function storePeak(tenantKey: string, at: number, units: number) {
  const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  await app.database.usagePeak.create({
    data: { tenantId, at: new Date(at), api: 'shop', operation: '', units },
  });
}

const startOfDay = (daysAgo: number) => Math.floor(Date.now() / DAY_MS - daysAgo) * DAY_MS;

const PREVIEW = `query($tenantKey: String!, $offerKey: String!) {
  purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey) {
    limits { limitName past { requests denied after { low high } gap } }
  }
}`;

async function pastOf(tenantKey: string, offerKey: string, headers?: Record<string, string>) {
  const { data, errors } = await app.graphql(PREVIEW, { tenantKey, offerKey }, headers);
  expect(errors).toEqual([]);
  const { limits } = data.purchasePreview;
  return Object.fromEntries(
    limits.map(({ limitName, past }: { limitName: string; past: object }) => [limitName, past]),
  );
}

describe('what a purchase would have changed in the last 30 days', () => {
  beforeAll(async () => {
    // 12 were denied, but no minute had more than 15: none with 20 per minute.
    await store({
      tenantKey: 'busy',
      table: 'usageHour',
      at: startOfDay(10) + HOUR_MS,
      allowed: 60,
      denied: 12,
    });
    await storePeak('busy', startOfDay(10), 15);
    // A minute had 40: some of the 8, or none.
    await store({
      tenantKey: 'busy',
      table: 'usageHour',
      at: startOfDay(12) + HOUR_MS,
      allowed: 100,
      denied: 8,
    });
    await storePeak('busy', startOfDay(12), 40);
    // Stored per minute: 25 requests are 5 too many.
    const recently = Math.floor(Date.now() / MINUTE_MS - 120) * MINUTE_MS;
    await store({ tenantKey: 'busy', table: 'usageMinute', at: recently, allowed: 10, denied: 15 });
    await store({ tenantKey: 'other', table: 'usageMinute', at: recently, allowed: 10, denied: 99 });
    const ofMonth = { operation: 'sell', limitName: 'per-month', table: 'usageDay' as const };
    await store({ tenantKey: 'busy', ...ofMonth, at: startOfDay(3), allowed: 1000, denied: 800 });
  });

  it('is exact where windows and stored usage coincide, and a range elsewhere', async () => {
    const past = { requests: 72 + 108 + 25, denied: 12 + 8 + 15, after: { low: 5, high: 13 }, gap: null };
    expect((await pastOf('busy', UPGRADE.key))['per-minute']).toEqual(past);
  });

  it('uses the units of a top-up once, and those of an upgrade in each period', async () => {
    const quota = { requests: 1800, denied: 800, gap: null };
    const [upgraded, topped] = [await pastOf('busy', UPGRADE.key), await pastOf('busy', TOPUP.key)];
    expect(upgraded['per-month']).toEqual({ ...quota, after: { low: 0, high: 0 } });
    expect(topped['per-month']).toEqual({ ...quota, after: { low: 300, high: 300 } });
  });

  it('is unknown for limits that usage does not determine', async () => {
    const { 'per-user': past } = await pastOf('busy', TOPUP.key);
    expect(past).toEqual({ requests: 1800, denied: 0, after: null, gap: 'PER_CALLER' });
  });

  it('is nothing without requests', async () => {
    const { 'per-minute': past } = await pastOf('quiet', UPGRADE.key);
    expect(past).toEqual({ requests: 0, denied: 0, after: { low: 0, high: 0 }, gap: null });
  });

  it('is shown to members of the tenant, and to no others', async () => {
    const member = await signInMember(app, 'busy', 'OWNER');
    expect(await pastOf('busy', UPGRADE.key, member)).toEqual(await pastOf('busy', UPGRADE.key));
    const variables = { tenantKey: 'other', offerKey: UPGRADE.key };
    const { data, errors } = await app.graphql(PREVIEW, variables, member);
    expect([data?.purchasePreview ?? null, errors[0]?.extensions.code]).toEqual([null, 'NOT_FOUND']);
  });
});
