import { DecisionPlane } from '@tollgate/decision-plane';
import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AdjustedTenants } from '../../../../test/support/adjusted-tenant.js';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices } from '../../../../test/support/test-services.js';
import { usageFrame } from '../../../../test/support/usage-frames.js';
import { Clock } from '../../../platform/clock.js';
import { RedisConnections } from '../../../platform/redis.js';
import { CatalogueModule, TiersService } from '../../catalogue/index.js';
import {
  CustomersModule,
  EntitlementGrantsService,
  OverridesService,
  TenantViews,
  TopUpsService,
} from '../../customers/index.js';
import { RelayModule, RelayService } from '../../distribution/index.js';
import { UsageIngest } from '../ingest/usage-ingest.js';
import { UsageIngestModule, UsageWorkerModule } from '../usage.modules.js';
import { QuotaRolloverJob } from './rollover.job.js';
import { TopUpCarryJob } from './top-up-carry.job.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIMIT = 1000;

const monthStart = (months: number) => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
};
/** The current month began, and the next one begins. */
const [BEGIN_MS, END_MS] = [monthStart(0), monthStart(1)];

let tenants: AdjustedTenants;
let job: QuotaRolloverJob;
let carryJob: TopUpCarryJob;
let sequence = 0;

beforeAll(async () => {
  const modules = [RelayModule, CatalogueModule, CustomersModule, UsageIngestModule, UsageWorkerModule];
  tenants = new AdjustedTenants(await startTestServices(modules));
  await tenants.setUp();
  job = tenants.services.context.get(QuotaRolloverJob, { strict: false });
  carryJob = tenants.services.context.get(TopUpCarryJob, { strict: false });
  const limit = { apiKey: 'shop', name: 'monthly', algorithm: 'QUOTA' as const, limit: LIMIT };
  const limits = [{ ...limit, operations: [], per: [], period: 'MONTH' as const, rolloverPercent: 50 }];
  const tiers = tenants.services.context.get(TiersService);
  await tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion: 3, limits });
  expect(await tiers.publish(CALLER, { tierKey: 'basic', expectedVersion: 4 })).toMatchObject({ ok: true });
});
afterAll(() => tenants?.services.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs the job at that time, Unix ms, in so many workers. */
async function runAt(nowMs: number, workers = 1, jobs: { run(): Promise<void> } = job): Promise<void> {
  const { context } = tenants.services;
  const clock = vi.spyOn(context.get(Clock), 'now').mockReturnValue(new Date(nowMs));
  await Promise.all(Array.from({ length: workers }, () => jobs.run()));
  clock.mockRestore();
}

/** A tenant that has been on its tier for a year. */
async function create(key: string): Promise<void> {
  const { id } = await tenants.create(key);
  const since = new Date(Date.now() - 366 * DAY_MS);
  await tenants.database.client.subscription.update({ where: { tenantId: id }, data: { since } });
}

/** Reports and counts units used in the month that ends at that time. */
async function use(tenant: string, used: number, periodEndMs: number): Promise<void> {
  const { context } = tenants.services;
  const reading = { tenant, api: 'shop', limit: 'monthly', used, capacity: LIMIT, denied: 0 };
  const frame = usageFrame(++sequence, [], {
    peaks: [{ ...reading, atMs: periodEndMs - HOUR_MS, periodEndMs }],
  });
  await USAGE_STREAM.write(context.get(RedisConnections).config, frame);
  await context.get(UsageIngest).run();
}

async function grantsOf(tenant: string) {
  const { id } = await tenants.get(tenant);
  const rows = await tenants.database.client.entitlement.findMany({
    where: { tenantId: id, cause: 'ROLLOVER' },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ effect, startsAt, endsAt }) => [effect, startsAt.getTime(), endsAt?.getTime()]);
}

/** A tenant with 500 units for ten days of the next month. */
async function pack(key: string): Promise<void> {
  await create(key);
  const grants = tenants.services.context.get(EntitlementGrantsService);
  const outcome = await grants.grant(CALLER, {
    ...{ tenantKey: key, source: 'TOPUP', label: 'Pack', reason: 'Gift', expectedVersion: 1 },
    effects: [{ apiKey: 'shop', limit: 'monthly', effect: { kind: 'ADD', units: 500 } }],
    endsAt: new Date(END_MS + 10 * DAY_MS),
  });
  expect(outcome).toMatchObject({ ok: true });
}

/** Remaining units of the tenant's top-up. */
async function remainingOf(key: string): Promise<number | null> {
  const { context } = tenants.services;
  const { id } = await tenants.get(key);
  const [[, remaining] = []] = (await context.get(TopUpsService).listRemaining([id])).get(id) ?? [];
  return remaining ?? null;
}

const added = (units: number) => ({ kind: 'add', units });

describe('the unused part of a quota', () => {
  it('is available in the next period, and only there', async () => {
    await create('acme');
    await use('acme', 700, BEGIN_MS);
    const at = BEGIN_MS + 61_000;
    await runAt(at);
    expect(await grantsOf('acme')).toEqual([[added(300), at, END_MS]]);
    const record = await tenants.published('acme');
    expect(record.next).toMatchObject([{ atMs: END_MS }]);
    await runAt(at + 60_000);
    expect(await grantsOf('acme')).toHaveLength(1);
    // 300 units rolled over are used first, so 900 of the limit are left, of which half rolls over.
    await use('acme', 400, END_MS);
    const later = END_MS + 61_000;
    await runAt(later);
    expect((await grantsOf('acme'))[1]?.slice(0, 2)).toEqual([added(500), later]);
  });

  it('is added to a doubled quota once', async () => {
    await create('doubled');
    const override = { tenantKey: 'doubled', apiKey: 'shop', limit: 'monthly', expectedVersion: 1 };
    const effect = { kind: 'MULTIPLY' as const, percent: 200 };
    const { context } = tenants.services;
    const clock = vi.spyOn(context.get(Clock), 'now').mockReturnValue(new Date(BEGIN_MS - DAY_MS));
    const set = { ...override, effect, reason: 'Partner', carryOver: 'KEEP' as const, endsAt: null };
    expect(await context.get(OverridesService).set(CALLER, set)).toMatchObject({ ok: true });
    clock.mockRestore();
    await use('doubled', 200, BEGIN_MS);
    const at = BEGIN_MS + 61_000;
    await runAt(at);
    // Half of 2,000 rolls over, so that the month has 3,000, not (1,000 + 1,000) × 2.
    expect((await grantsOf('doubled'))[0]?.slice(0, 2)).toEqual([added(1000), at]);
    const { id } = await tenants.get('doubled');
    const situation = (await context.get(TenantViews).list([id])).get(id);
    expect(situation?.view.limits.map(({ policy }) => policy.limit)).toEqual([3000]);
  });

  it('is admitted by nodes to the unit, before the units of a top-up', async () => {
    await pack('nodes');
    await use('nodes', 800, BEGIN_MS);
    await runAt(BEGIN_MS + 61_000);
    await tenants.services.context.get(RelayService).run();
    const { redisUrl } = tenants.services;
    const plane = await DecisionPlane.start({
      ...{
        countersUrl: redisUrl,
        configUrl: redisUrl,
        policyKeys: 'unsigned',
        nodeId: 'n2',
        version: 'test',
      },
      deadlineMs: 5000,
    });
    try {
      const ask = (cost: number) => plane.limit({ tenant: 'nodes', api: 'shop', operation: 'buy', cost });
      expect(await ask(LIMIT + 200)).toMatchObject({ success: true });
      expect(await remainingOf('nodes')).toBe(500);
      expect(await ask(300)).toMatchObject({ success: true });
      expect(await remainingOf('nodes')).toBe(200);
      expect(await ask(200)).toMatchObject({ success: true });
      expect(await remainingOf('nodes')).toBe(0);
      expect(await ask(1)).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
    } finally {
      await plane.close();
    }
  });

  it('does not contain top-ups, and is at most its percentage of the limit', async () => {
    await create('buyer');
    const grants = tenants.services.context.get(EntitlementGrantsService);
    const outcome = await grants.grant(CALLER, {
      ...{ tenantKey: 'buyer', source: 'TOPUP', label: 'Pack', reason: 'Gift', expectedVersion: 1 },
      effects: [{ apiKey: 'shop', limit: 'monthly', effect: { kind: 'ADD', units: 5000 } }],
      endsAt: new Date(END_MS + 30 * DAY_MS),
    });
    expect(outcome).toMatchObject({ ok: true });
    await use('buyer', 100, END_MS);
    await runAt(END_MS + 61_000);
    expect((await grantsOf('buyer')).map(([effect]) => effect)).toEqual([added(500)]);
  });

  it('is granted once by workers at the same time', async () => {
    await create('twice');
    await runAt(BEGIN_MS + 61_000, 3);
    expect((await grantsOf('twice')).map(([effect]) => effect)).toEqual([added(500)]);
  });

  it('is not granted before all usage of the period is counted, nor within a minute, nor after a day', async () => {
    await create('early');
    const unread = vi.spyOn(tenants.services.context.get(UsageIngest), 'findUnreadSince');
    unread.mockResolvedValue(new Date(BEGIN_MS + 30_000));
    await runAt(BEGIN_MS + 61_000);
    unread.mockRestore();
    await runAt(BEGIN_MS + 59_000);
    await runAt(BEGIN_MS + DAY_MS + 1000);
    expect(await grantsOf('early')).toEqual([]);
  });

  it('is not granted to a tenant that came to its tier in or after the period', async () => {
    await tenants.create('late');
    for (const endMs of [BEGIN_MS, END_MS]) await runAt(endMs + 61_000);
    expect(await grantsOf('late')).toEqual([]);
  });
});

describe('a top-up of 500 units that crosses the end of a month', () => {
  const packsOf = async (key: string) => {
    const { id } = await tenants.get(key);
    const rows = await tenants.database.client.entitlement.findMany({
      where: { tenantId: id, kind: 'GRANT', source: 'TOPUP', cause: { not: 'ROLLOVER' } },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ cause, effect, endsAt }) => [cause, effect, endsAt?.getTime()]);
  };
  const carryAt = (nowMs: number, workers = 1) => runAt(nowMs, workers, carryJob);

  it('ends on nodes with the month, and what is left is available in the next one, once', async () => {
    await pack('crossing');
    expect(await packsOf('crossing')).toEqual([['GRANT', added(500), END_MS]]);
    const { adjusted, next } = await tenants.published('crossing');
    expect([adjusted, next?.map((one) => [one.atMs, one.adjusted])]).toEqual([[0], [[END_MS, undefined]]]);
    await use('crossing', LIMIT + 300, END_MS);
    await carryAt(END_MS + 30_000);
    expect(await packsOf('crossing')).toHaveLength(1);
    await carryAt(END_MS + 61_000, 3);
    await carryAt(END_MS + 200_000);
    const expiresMs = END_MS + 10 * DAY_MS;
    expect((await packsOf('crossing')).slice(1)).toEqual([['CARRIED', added(200), expiresMs]]);
  });

  it('keeps its units when only the next month was used before they moved', async () => {
    await pack('idle');
    await use('idle', LIMIT + 300, monthStart(2));
    await carryAt(END_MS + 61_000);
    expect((await packsOf('idle')).slice(1)).toEqual([['CARRIED', added(500), END_MS + 10 * DAY_MS]]);
  });

  it('waits while the limit is no monthly quota', async () => {
    await pack('changed');
    const { id } = await tenants.get('changed');
    const tiers = tenants.services.context.get(TiersService);
    await tiers.create(CALLER, { key: 'daily', name: 'Daily' });
    const limit = { apiKey: 'shop', name: 'monthly', algorithm: 'QUOTA' as const, limit: LIMIT };
    const limits = [{ ...limit, operations: [], per: [], period: 'DAY' as const }];
    await tiers.saveDraft(CALLER, { tierKey: 'daily', expectedVersion: 1, limits });
    expect(await tiers.publish(CALLER, { tierKey: 'daily', expectedVersion: 2 })).toMatchObject({ ok: true });
    const { client } = tenants.database;
    const daily = await client.tier.findUniqueOrThrow({ where: { key: 'daily' } });
    const basic = await client.tier.findUniqueOrThrow({ where: { key: 'basic' } });
    const moveTo = ({ id: tierId }: { id: string }) =>
      client.subscription.update({ where: { tenantId: id }, data: { tierId } });
    await moveTo(daily);
    await carryAt(END_MS + 61_000);
    expect(await packsOf('changed')).toHaveLength(1);
    await moveTo(basic);
    await carryAt(END_MS + 200_000);
    expect((await packsOf('changed')).slice(1)).toMatchObject([['CARRIED', added(500), expect.anything()]]);
  });

  it('is gone when its units are used, revoked or expired', async () => {
    await pack('spent');
    await use('spent', LIMIT + 500, END_MS);
    await pack('revoked');
    const grants = tenants.services.context.get(EntitlementGrantsService);
    const { id } = await tenants.get('revoked');
    const row = await tenants.database.client.entitlement.findFirstOrThrow({ where: { tenantId: id } });
    const clock = vi
      .spyOn(tenants.services.context.get(Clock), 'now')
      .mockReturnValue(new Date(END_MS + 1000));
    expect(await grants.revoke(CALLER, { entitlementId: row.id, reason: 'Mistake' })).toMatchObject({
      ok: true,
    });
    clock.mockRestore();
    await carryAt(END_MS + 61_000);
    for (const key of ['spent', 'revoked']) expect(await packsOf(key)).toHaveLength(1);
    await pack('expired');
    await carryAt(END_MS + 11 * DAY_MS);
    expect(await packsOf('expired')).toHaveLength(1);
  });
});
