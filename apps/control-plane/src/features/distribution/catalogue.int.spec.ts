import { catalogueSchema, tenantRecordSchema } from '@tollgate/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../test/support/test-services.js';
import { Database } from '../../platform/prisma/database.js';
import type { CarryOver } from '../../platform/prisma/schema.js';
import { ApisService, CatalogueModule, PoolsService, TiersService } from '../catalogue/index.js';
import { CustomersModule, TenantsRepository, TenantsService } from '../customers/index.js';
import { compileCatalogue } from './catalogue.js';
import { RelayModule } from './index.js';
import { PolicyRepository } from './policy.repository.js';

const HOUR_MS = 3_600_000;

let services: TestServices;
let database: Database;

beforeAll(async () => {
  services = await startTestServices([RelayModule, CatalogueModule, CustomersModule]);
  database = services.context.get(Database);
  const apis = services.context.get(ApisService);
  await apis.create(CALLER, { key: 'shop', name: 'Shop' });
  for (const [index, priority] of (['NORMAL', 'BACKGROUND'] as const).entries()) {
    const name = priority.toLowerCase();
    await apis.createOperation(CALLER, { apiKey: 'shop', name, priority, expectedVersion: index + 1 });
  }
  const tiers = services.context.get(TiersService);
  await tiers.create(CALLER, { key: 'basic', name: 'Basic', weight: 5 });
  await tiers.create(CALLER, { key: 'plain', name: 'Plain' });
  await publish('basic', 1);
  await publish('plain', 1);
});
afterAll(() => services.stop());

describe('the catalogue', () => {
  it('omits default values', async () => {
    const pools = services.context.get(PoolsService);
    for (const [index, name] of ['zeta', 'alpha'].entries()) {
      const pool = {
        ...{ apiKey: 'shop', name, operations: [], capacity: 10 + index, expectedVersion: 3 + index },
        warmUp: index === 0 ? null : { ms: 60_000, startPercent: 20 },
      };
      expect(await pools.create(CALLER, pool)).toMatchObject({ ok: true });
    }
    const { apis, tiers } = await compile();
    expect(apis).toEqual([
      {
        key: 'shop',
        unknownOperations: 'count',
        operations: [
          { name: 'background', cost: 1, priority: 'background' },
          { name: 'normal', cost: 1 },
        ],
        // Oldest first: an operation uses the first pool that lists it.
        pools: [
          { name: 'zeta', operations: [], capacity: 10, reclaimPercent: 80 },
          {
            ...{ name: 'alpha', operations: [], capacity: 11, reclaimPercent: 80 },
            warmUp: { ms: 60_000, startPercent: 20 },
          },
        ],
      },
    ]);
    expect(tiers).toMatchObject([{ key: 'basic', weight: 5 }, { key: 'plain' }]);
    expect(tiers[1]).not.toHaveProperty('weight');
  });

  it('has the new cost and priority of an operation and the new weight of a tier, each with an audit entry', async () => {
    const operation = {
      apiKey: 'shop',
      name: 'normal',
      cost: 3,
      priority: 'CRITICAL' as const,
      expectedVersion: 5,
    };
    const changed = await services.context.get(ApisService).updateOperation(CALLER, operation);
    expect(changed).toMatchObject({ ok: true, value: { version: 6 } });
    const weight = { tierKey: 'plain', weight: 9, expectedVersion: await versionOf('plain') };
    expect(await services.context.get(TiersService).update(CALLER, weight)).toMatchObject({ ok: true });
    const { apis, tiers } = await compile();
    expect(apis[0]?.operations).toContainEqual({ name: 'normal', cost: 3, priority: 'critical' });
    expect(tiers).toMatchObject([{ weight: 5 }, { key: 'plain', weight: 9 }]);
    const audit = await database.client.auditEntry.findMany({
      where: { action: { in: ['operation.update', 'tier.update'] } },
      orderBy: { id: 'asc' },
    });
    expect(audit).toMatchObject([
      {
        before: { apiKey: 'shop', name: 'normal', cost: 1, priority: 'NORMAL' },
        after: { apiKey: 'shop', name: 'normal', cost: 3, priority: 'CRITICAL' },
      },
      { before: { name: 'Plain', weight: 1 }, after: { name: 'Plain', weight: 9 } },
    ]);
    for (const { changeId } of audit)
      expect(await database.client.outboxEvent.count({ where: { changeId, kind: 'CATALOGUE' } })).toBe(1);
  });

  it('has the three versions before the current one, with the replaced version, carry-over and time', async () => {
    const rules: CarryOver[] = ['RESET', 'PROPORTIONAL', 'ADDITIVE', 'KEEP'];
    for (const [index, rule] of rules.entries()) await publish('basic', index + 2, rule);
    const basic = (await compile()).tiers.find(({ key }) => key === 'basic');
    expect(basic?.currentVersion).toBe(5);
    const rows = await database.client.tierVersion.findMany({
      where: { tier: { key: 'basic' } },
      orderBy: { number: 'asc' },
    });
    const atMs = rows.map(({ publishedAt }) => publishedAt?.getTime());
    expect(basic?.versions.map(({ number, replaces }) => [number, replaces])).toEqual([
      // Version 1 is too old.
      [2, undefined],
      [3, { number: 2, carryOver: 'proportional', atMs: atMs[2] }],
      [4, { number: 3, carryOver: 'additive', atMs: atMs[3] }],
      [5, { number: 4, carryOver: 'keep', atMs: atMs[4] }],
    ]);
  });

  it('has the header styles of an API unless they are the default', async () => {
    const change = async (headerStyles: ('DRAFT_11' | 'DRAFT_3' | 'X_RATELIMIT')[]) => {
      const apis = services.context.get(ApisService);
      const { version: expectedVersion = 0 } = (await apis.findByKey('shop')) ?? {};
      const changed = await apis.update(CALLER, { apiKey: 'shop', headerStyles, expectedVersion });
      expect(changed).toMatchObject({ ok: true });
      return (await compile()).apis[0];
    };
    expect(await change(['X_RATELIMIT', 'DRAFT_11'])).toMatchObject({
      headerStyles: ['draft-11', 'x-ratelimit'],
    });
    expect(await change([])).toMatchObject({ headerStyles: [] });
    expect(await change(['DRAFT_11'])).not.toHaveProperty('headerStyles');
  });

  it('omits service tokens of single tenants, which nodes would accept for every tenant', async () => {
    const token = {
      kind: 'TGA',
      name: 'CI',
      hash: 'ab'.repeat(32),
      pepperVersion: 1,
      lastFour: 'abcd',
    } as const;
    await database.client.serviceToken.createMany({
      data: [
        { ...token, id: 'stk_all', publicId: 'all000000000', scopes: ['reset'], tenantKeys: [] },
        { ...token, id: 'stk_some', publicId: 'some00000000', scopes: ['admin'], tenantKeys: ['acme'] },
      ],
    });
    const { serviceTokens } = await compile();
    expect(serviceTokens.map(({ publicId, scopes }) => [publicId, scopes])).toEqual([
      ['all000000000', ['reset']],
    ]);
  });

  it('has no drafts', async () => {
    const version = await versionOf('plain');
    const draft = { tierKey: 'plain', expectedVersion: version, limits: [limit(99)] };
    expect(await services.context.get(TiersService).saveDraft(CALLER, draft)).toMatchObject({ ok: true });
    expect((await versionsOf('plain')).map(({ number }) => number)).toEqual([1]);
    const discard = { tierKey: 'plain', expectedVersion: version + 1 };
    expect(await services.context.get(TiersService).discardDraft(CALLER, discard)).toMatchObject({
      ok: true,
    });
  });

  it('has a version that a tenant is pinned to, and one that it left while its counters are carried over', async () => {
    const tenants = services.context.get(TenantsService);
    await tenants.create(CALLER, { key: 'pinned', name: 'Pinned', tierKey: 'plain' });
    for (let i = 2; i <= 6; i++) await publish('plain', i);
    expect(await numbersOf('plain')).toEqual([3, 4, 5, 6]);
    const move = { tenantKey: 'pinned', tierKey: 'plain' };
    await tenants.changeTier(CALLER, { ...move, pinnedVersion: 1, expectedVersion: 1 });
    expect(await numbersOf('plain')).toEqual([1, 3, 4, 5, 6]);
    await tenants.changeTier(CALLER, { ...move, expectedVersion: 2 });
    expect(await numbersOf('plain')).toEqual([1, 3, 4, 5, 6]);
    const long = new Date(Date.now() - 3 * HOUR_MS);
    await database.client.subscriptionMove.updateMany({ data: { at: long } });
    expect(await numbersOf('plain')).toEqual([3, 4, 5, 6]);
  });
});

describe("a tenant's record", () => {
  it('has the previous version, its generation and the carry-over of counters', async () => {
    const tenants = services.context.get(TenantsService);
    await tenants.create(CALLER, { key: 'mover', name: 'Mover', tierKey: 'basic' });
    await tenants.create(CALLER, { key: 'stayer', name: 'Stayer', tierKey: 'basic' });
    const stays = { kind: 'tenant', revision: 7, status: 'active', tier: 'basic', pinnedVersion: null };
    expect(await read('mover')).toEqual({ ...stays, tenant: 'mover' });

    await change('mover', { tierKey: 'plain', carryOver: 'RESET' });
    await change('mover', { tierKey: 'basic', pinnedVersion: 3, carryOver: 'ADDITIVE' });
    const record = await read('mover');
    expect(record).toMatchObject({
      tier: 'basic',
      pinnedVersion: 3,
      moves: [
        { tier: 'basic', version: 5, generation: 0, carryOver: 'reset' },
        { tier: 'plain', version: 6, carryOver: 'additive' },
      ],
    });
    const generations = [
      ...(record?.moves ?? []).map(({ generation }) => generation),
      record?.generation ?? 0,
    ];
    expect(generations).toEqual([...new Set(generations)].sort((a, b) => a - b));
    expect(await read('stayer')).toEqual({ ...stays, tenant: 'stayer' });
  });

  it('keeps the last four moves with distinct marks', async () => {
    for (let i = 0; i < 9; i++) await change('mover', { tierKey: i % 2 === 0 ? 'plain' : 'basic' });
    const record = await read('mover');
    if (record?.moves === undefined) throw new Error('mover has not moved');
    expect(record.moves.map(({ tier }) => tier)).toEqual(['plain', 'basic', 'plain', 'basic']);
    expect(
      await database.client.subscriptionMove.count({ where: { subscription: { tenant: { key: 'mover' } } } }),
    ).toBe(4);
    const current = { generation: record.generation ?? 0, version: 6 };
    const marks = [...record.moves, current].map(({ generation, version }) => (generation + version) % 48);
    expect(new Set(marks).size).toBe(5);
  });

  it('has time zone and billing day', async () => {
    const input = {
      tenantKey: 'stayer',
      timeZone: 'asia/calcutta',
      billingAnchorDay: 31,
      expectedVersion: 1,
    };
    const outcome = await services.context.get(TenantsService).update(CALLER, input);
    expect(outcome).toMatchObject({ ok: true, value: { version: 2 } });
    const record = await read('stayer');
    expect(record).toMatchObject({ timeZone: 'Asia/Kolkata', billingAnchorDay: 31, pinnedVersion: null });
    expect(record?.generation).toBeGreaterThan(0);
    const left = { tier: 'basic', version: 5, generation: 0, carryOver: 'keep' };
    expect(record?.moves).toEqual([{ ...left, atMs: expect.any(Number) }]);
    const audit = await database.client.auditEntry.findFirstOrThrow({ where: { action: 'tenant.update' } });
    expect(audit).toMatchObject({
      tenantKey: 'stayer',
      before: { name: 'Stayer', timeZone: 'UTC', billingAnchorDay: 1 },
      after: { name: 'Stayer', timeZone: 'Asia/Kolkata', billingAnchorDay: 31 },
    });
    expect(await database.client.outboxEvent.findMany({ where: { changeId: audit.changeId } })).toMatchObject(
      [{ kind: 'TENANT', entityKey: 'stayer' }],
    );
  });

  it('has the previous calendar with each move, and a pin', async () => {
    await change('stayer', { tierKey: 'basic', pinnedVersion: 4, carryOver: 'RESET' });
    const input = { tenantKey: 'stayer', timeZone: 'UTC', expectedVersion: 3 };
    const outcome = await services.context.get(TenantsService).update(CALLER, input);
    expect(outcome).toMatchObject({ ok: true, value: { version: 4 } });
    const record = await read('stayer');
    expect(record).toMatchObject({ tier: 'basic', pinnedVersion: 4, billingAnchorDay: 31 });
    expect(record).not.toHaveProperty('timeZone');
    const kolkata = { timeZone: 'Asia/Kolkata', billingAnchorDay: 31 };
    expect(record?.moves).toMatchObject([
      { version: 5, carryOver: 'keep' },
      { version: 5, carryOver: 'reset', ...kolkata },
      { version: 4, carryOver: 'keep', ...kolkata },
    ]);
  });

  it('has canonical time zones after set-up renamed those of earlier releases', async () => {
    const before = await read('stayer');
    const { tenant, subscriptionMove } = database.client;
    const earlier = { 'Asia/Kolkata': 'asia/calcutta', UTC: 'Etc/UTC' };
    for (const [timeZone, name] of Object.entries(earlier)) {
      await subscriptionMove.updateMany({ where: { timeZone }, data: { timeZone: name } });
      await tenant.updateMany({ where: { timeZone }, data: { timeZone: name } });
    }
    expect(await read('stayer')).not.toEqual(before);
    await services.context.get(TenantsRepository).renameTimeZones();
    expect(await read('stayer')).toEqual(before);
  });

  it('has no move for an unchanged calendar', async () => {
    const before = await read('stayer');
    const input = { tenantKey: 'stayer', name: 'Stays', timeZone: 'UTC', billingAnchorDay: 31 };
    const outcome = await services.context
      .get(TenantsService)
      .update(CALLER, { ...input, expectedVersion: 4 });
    expect(outcome).toMatchObject({ ok: true });
    expect(await read('stayer')).toEqual(before);
  });

  it.each([
    [
      'a version that was never published',
      { tierKey: 'plain', pinnedVersion: 99 },
      'NOT_FOUND',
      'pinnedVersion',
    ],
    ['version 0', { tierKey: 'plain', pinnedVersion: 0 }, 'INVALID', 'pinnedVersion'],
  ])('cannot be pinned to %s', async (_name, target, code, field) => {
    const input = { tenantKey: 'stayer', expectedVersion: 5, ...target };
    expect(await services.context.get(TenantsService).changeTier(CALLER, input)).toMatchObject({
      ok: false,
      errors: [{ code, field: [field] }],
    });
  });
});

function limit(limitMax: number) {
  return {
    name: 'per-hour',
    apiKey: 'shop',
    operations: [],
    per: [],
    algorithm: 'FIXED_WINDOW' as const,
    limit: 100 + limitMax,
    windowMs: HOUR_MS,
  };
}

async function publish(tierKey: string, limitMax: number, carryOver?: CarryOver): Promise<void> {
  const tiers = services.context.get(TiersService);
  const expectedVersion = await versionOf(tierKey);
  const draft = { tierKey, expectedVersion, limits: [limit(limitMax)] };
  expect(await tiers.saveDraft(CALLER, draft)).toMatchObject({ ok: true });
  const next = { tierKey, expectedVersion: expectedVersion + 1, ...(carryOver && { carryOver }) };
  expect(await tiers.publish(CALLER, next)).toMatchObject({ ok: true });
}

async function versionOf(tierKey: string): Promise<number> {
  return (await services.context.get(TiersService).findByKey(tierKey))?.version ?? 0;
}

async function change(
  tenantKey: string,
  target: { tierKey: string; pinnedVersion?: number; carryOver?: CarryOver },
) {
  const tenants = services.context.get(TenantsService);
  const expectedVersion = (await tenants.findByKey(tenantKey))?.version ?? 0;
  const outcome = await tenants.changeTier(CALLER, { tenantKey, expectedVersion, ...target });
  expect(outcome).toMatchObject({ ok: true });
}

/** The catalogue as the relay compiles it, validated as nodes do. */
async function compile() {
  const policy = services.context.get(PolicyRepository, { strict: false });
  const rows = {
    apis: await policy.listApis(database.client),
    tiers: await policy.listTiers(database.client),
    serviceTokens: await policy.listServiceTokens(database.client),
  };
  return catalogueSchema.parse(compileCatalogue(1, rows));
}

async function versionsOf(tier: string) {
  return (await compile()).tiers.find(({ key }) => key === tier)?.versions ?? [];
}

async function numbersOf(tier: string): Promise<number[]> {
  return (await versionsOf(tier)).map(({ number }) => number);
}

async function read(tenant: string) {
  const policy = services.context.get(PolicyRepository, { strict: false });
  const [record] = await policy.listTenants(database.client, [tenant], 7);
  return record === undefined ? undefined : tenantRecordSchema.parse(record);
}
