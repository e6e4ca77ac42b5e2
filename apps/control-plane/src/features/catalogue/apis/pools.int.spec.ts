import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { Database } from '../../../platform/prisma/database.js';
import { CatalogueModule } from '../catalogue.module.js';
import { TiersService } from '../tiers/tiers.service.js';
import type { PoolCreateInput } from './apis.graphql.js';
import { poolFacts } from './apis.repository.js';
import { ApisService } from './apis.service.js';
import { PoolsService } from './pools.service.js';

let services: TestServices;
let apis: ApisService;
let pools: PoolsService;
let tiers: TiersService;
let database: Database;

beforeAll(async () => {
  services = await startTestServices([CatalogueModule]);
  apis = services.context.get(ApisService);
  pools = services.context.get(PoolsService);
  tiers = services.context.get(TiersService);
  database = services.context.get(Database);
  for (const key of ['shop', 'bank']) {
    await apis.create(CALLER, { key, name: key });
    await apis.createOperation(CALLER, { apiKey: key, name: 'buy', expectedVersion: 1 });
  }
});
afterAll(() => services.stop());

describe('a pool', () => {
  it('is created, updated and deleted, each with an audit entry and a publication', async () => {
    expect(await create({ name: 'main', operations: ['buy'] })).toMatchObject({
      ok: true,
      value: { version: 3 },
    });
    const update = { apiKey: 'shop', name: 'main', capacity: 50, expectedVersion: 3 };
    expect(await pools.update(CALLER, update)).toMatchObject({ ok: true, value: { version: 4 } });
    const shop = await database.client.api.findUniqueOrThrow({ where: { key: 'shop' } });
    expect((await pools.list([shop.id])).get(shop.id)).toMatchObject([
      { name: 'main', operations: ['buy'], capacity: 50, reclaimPercent: 80 },
    ]);
    const removal = { apiKey: 'shop', name: 'main', expectedVersion: 4 };
    expect(await pools.delete(CALLER, removal)).toMatchObject({ ok: true });
    expect(await database.client.pool.count()).toBe(0);
    const facts = { apiKey: 'shop', name: 'main', operations: ['buy'], reclaimPercent: 80 };
    expect(
      await database.client.auditEntry.findMany({ where: { entity: 'Pool' }, orderBy: { id: 'asc' } }),
    ).toMatchObject([
      { action: 'pool.create', before: null, after: { ...facts, capacity: 100 } },
      { action: 'pool.update', before: { ...facts, capacity: 100 }, after: { ...facts, capacity: 50 } },
      { action: 'pool.delete', before: { ...facts, capacity: 50 }, after: null },
    ]);
    const changes = await database.client.auditEntry.findMany({ where: { entity: 'Pool' } });
    for (const { changeId } of changes) {
      expect(await database.client.outboxEvent.findMany({ where: { changeId } })).toMatchObject([
        { kind: 'CATALOGUE', entityKey: 'api:shop' },
      ]);
    }
  });

  it('keeps its warm-up unless an update changes or removes it', async () => {
    const warmUp = { ms: 600_000, startPercent: 20 };
    const stored = async () => {
      const rows = await database.client.pool.findMany({ where: { name: 'ramp' } });
      return rows.map((row) => poolFacts(row));
    };
    const updated = async (more: object) => {
      const of = { apiKey: 'shop', name: 'ramp', expectedVersion: await versionOf('shop') };
      expect(await pools.update(CALLER, { ...of, ...more })).toMatchObject({ ok: true });
      return stored();
    };
    expect(await create({ name: 'ramp', warmUp })).toMatchObject({ ok: true });
    expect(await stored()).toMatchObject([{ warmUp }]);
    expect(await updated({ capacity: 50 })).toMatchObject([{ capacity: 50, warmUp }]);
    const longer = { ms: 3_600_000, startPercent: 99 };
    expect(await updated({ warmUp: longer })).toMatchObject([{ capacity: 50, warmUp: longer }]);
    expect(await updated({ warmUp: null })).toMatchObject([{ capacity: 50, warmUp: null }]);
    const audit = { where: { entity: 'Pool', entityName: 'ramp' }, orderBy: { id: 'desc' } } as const;
    expect(await database.client.auditEntry.findFirst(audit)).toMatchObject({
      before: { warmUp: longer },
      after: { warmUp: null },
    });
    expect(await remove('shop', 'ramp')).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<PoolCreateInput>, string, string]>([
    ['an unknown API', { apiKey: 'nowhere' }, 'NOT_FOUND', 'apiKey'],
    ['an operation that the API does not have', { operations: ['steal'] }, 'NOT_FOUND', 'operations.0'],
    ['an operation named twice', { operations: ['buy', 'buy'] }, 'INVALID', 'operations.1'],
    ['no capacity', { capacity: 0 }, 'INVALID', 'capacity'],
    ['more than a billion units per second', { capacity: 1_000_000_001 }, 'INVALID', 'capacity'],
    ['a reclaim percentage above 100', { reclaimPercent: 101 }, 'INVALID', 'reclaimPercent'],
    ['a warm-up below a second', { warmUp: { ms: 999, startPercent: 20 } }, 'INVALID', 'warmUp.ms'],
    [
      'a warm-up from 100 %',
      { warmUp: { ms: 1000, startPercent: 100 } },
      ...(['INVALID', 'warmUp.startPercent'] as const),
    ],
    ['a name with a colon', { name: 'a:b' }, 'INVALID', 'name'],
    ['an outdated version of the API', { expectedVersion: 1 }, 'CONFLICT', 'expectedVersion'],
  ])('with %s is rejected with the field', async (_name, more, code, field) => {
    const outcome = await create({ name: 'wrong', ...more });
    expect(outcome).toMatchObject({ ok: false, errors: [{ code, field: field.split('.') }] });
  });

  it('has a name that is unique within its API', async () => {
    expect(await create({ name: 'twin' })).toMatchObject({ ok: true });
    expect(await create({ name: 'twin' })).toMatchObject({
      ok: false,
      errors: [{ code: 'TAKEN', field: ['name'] }],
    });
    expect(await create({ name: 'twin', apiKey: 'bank' })).toMatchObject({ ok: true });
  });

  it('cannot be the seventeenth of an API', async () => {
    for (let i = 1; i < 16; i++)
      expect(await create({ name: `p${i}`, apiKey: 'bank' })).toMatchObject({ ok: true });
    expect(await create({ name: 'p16', apiKey: 'bank' })).toMatchObject({
      ok: false,
      errors: [{ code: 'INVALID', field: ['apiKey'] }],
    });
  });

  it('cannot be deleted while a limit of its API borrows from it; a pool of the same name elsewhere can', async () => {
    const limit = {
      name: 'elastic',
      apiKey: 'shop',
      operations: [],
      per: [],
      algorithm: 'FIXED_WINDOW' as const,
      limit: 10,
      windowMs: 1000,
      throttle: { mode: 'ELASTIC' as const, maxPercent: 50, pool: 'twin' },
    };
    await tiers.create(CALLER, { key: 'basic', name: 'Basic' });
    const draft = { tierKey: 'basic', expectedVersion: 1, limits: [limit] };
    expect(await tiers.saveDraft(CALLER, draft)).toMatchObject({ ok: true });
    expect(await remove('shop', 'twin')).toMatchObject({
      ok: false,
      errors: [{ code: 'IN_USE', field: ['name'], message: expect.stringContaining('basic') }],
    });
    expect(await remove('bank', 'twin')).toMatchObject({ ok: true });
    await tiers.discardDraft(CALLER, { tierKey: 'basic', expectedVersion: 2 });
    expect(await remove('shop', 'twin')).toMatchObject({ ok: true });
  });
});

async function create(more: Partial<PoolCreateInput> & { name: string }) {
  const input = { apiKey: 'shop', operations: [], capacity: 100, ...more };
  return pools.create(CALLER, { expectedVersion: await versionOf(input.apiKey), ...input });
}

async function remove(apiKey: string, name: string) {
  return pools.delete(CALLER, { apiKey, name, expectedVersion: await versionOf(apiKey) });
}

async function versionOf(apiKey: string): Promise<number> {
  return (await apis.findByKey(apiKey))?.version ?? 0;
}
