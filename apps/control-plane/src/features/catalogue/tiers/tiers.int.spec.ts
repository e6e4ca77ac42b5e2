import { createPrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { Database } from '../../../platform/prisma/database.js';
import { ApisService } from '../apis/apis.service.js';
import { CatalogueModule } from '../catalogue.module.js';
import { TiersService } from './tiers.service.js';

const LIMIT = {
  name: 'per-minute',
  apiKey: 'shop',
  operations: [],
  per: [],
  algorithm: 'FIXED_WINDOW' as const,
  limit: 10,
  windowMs: 60_000,
};

let services: TestServices;
let database: Database;
let tiers: TiersService;

beforeAll(async () => {
  services = await startTestServices([CatalogueModule]);
  database = services.context.get(Database);
  tiers = services.context.get(TiersService);
  await services.context.get(ApisService).create(CALLER, { key: 'shop', name: 'Shop' });
  await tiers.create(CALLER, { key: 'basic', name: 'Basic' });
  await publish(1, 10);
});
afterAll(() => services.stop());

describe('a published tier version', () => {
  it.each([
    ['its limits cannot change', () => database.client.limit.updateMany({ data: { limitMax: 99 } })],
    ['its limits cannot be deleted', () => database.client.limit.deleteMany()],
    ['limits cannot be added', () => addLimit()],
    ['it cannot change', () => database.client.tierVersion.updateMany({ data: { note: 'rewritten' } })],
    [
      'it cannot be a draft again',
      () => database.client.tierVersion.updateMany({ data: { status: 'DRAFT' } }),
    ],
    [
      'it cannot be archived and changed in one step',
      () => database.client.tierVersion.updateMany({ data: { status: 'ARCHIVED', number: 9 } }),
    ],
    ['it cannot be deleted', () => database.client.tierVersion.deleteMany()],
    ['it cannot be deleted with its tier', () => database.client.tier.deleteMany()],
  ])('is immutable for the application: %s', async (_name, change) => {
    await expect(change()).rejects.toThrow(/cannot change/);
    const [limit] = await database.client.limit.findMany();
    expect(limit?.limitMax).toBe(10n);
  });

  it('is archived by the next version, which is a new row', async () => {
    await publish(3, 20);
    const versions = await database.client.tierVersion.findMany({
      orderBy: { number: 'asc' },
      include: { limits: true },
    });
    expect(versions.map(({ number, status }) => [number, status])).toEqual([
      [1, 'ARCHIVED'],
      [2, 'PUBLISHED'],
    ]);
    expect(versions.map(({ limits }) => limits[0]?.limitMax)).toEqual([10n, 20n]);
  });
});

describe('a draft', () => {
  it('can be saved repeatedly and deleted with its limits', async () => {
    for (const expectedVersion of [5, 6]) {
      const saved = await tiers.saveDraft(CALLER, { tierKey: 'basic', expectedVersion, limits: [LIMIT] });
      expect(saved.ok).toBe(true);
    }
    const dropped = await tiers.discardDraft(CALLER, { tierKey: 'basic', expectedVersion: 7 });
    expect(dropped).toMatchObject({ ok: true, value: { version: 8 } });
    expect(await database.client.tierVersion.count({ where: { status: 'DRAFT' } })).toBe(0);
  });

  it('exists at most once per tier', async () => {
    const tier = await database.client.tier.findFirstOrThrow();
    const draft = (number: number) =>
      database.client.tierVersion.create({ data: { id: `tver_${number}`, tierId: tier.id, number } });
    await draft(50);
    await expect(draft(51)).rejects.toThrow();
  });
});

describe('an audit entry', () => {
  it('cannot be changed or deleted: the application lacks the permission, and a trigger blocks other users', async () => {
    await expect(database.client.auditEntry.updateMany({ data: { actor: 'nobody' } })).rejects.toThrow(
      /permission denied/,
    );
    await expect(database.client.auditEntry.deleteMany()).rejects.toThrow(/permission denied/);
    const owner = createPrismaClient(services.ownerUrl, { max: 1 });
    try {
      await expect(owner.auditEntry.updateMany({ data: { actor: 'nobody' } })).rejects.toThrow(
        /cannot change/,
      );
      await expect(owner.auditEntry.deleteMany()).rejects.toThrow(/cannot change/);
    } finally {
      await owner.$disconnect();
    }
  });
});

async function publish(expectedVersion: number, limit: number): Promise<void> {
  const draft = { tierKey: 'basic', expectedVersion, limits: [{ ...LIMIT, limit }] };
  expect(await tiers.saveDraft(CALLER, draft)).toMatchObject({ ok: true });
  const next = { tierKey: 'basic', expectedVersion: expectedVersion + 1 };
  expect(await tiers.publish(CALLER, next)).toMatchObject({ ok: true });
}

async function addLimit(): Promise<void> {
  const { id, terms: _terms, ...limit } = await database.client.limit.findFirstOrThrow();
  await database.client.limit.create({ data: { ...limit, id: `${id}x`, name: 'another' } });
}
