import { Prisma, runStatement, type TenantStatus } from '@tollgate/database';
import { createTestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageInterval } from '../src/features/usage/query/usage.graphql.js';
import { UsageRepository } from '../src/features/usage/query/usage.repository.js';
import { UtilizationRepository } from '../src/features/usage/utilization/utilization.repository.js';
import { Database, type Tx } from '../src/platform/prisma/database.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { createPolicy, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

/** Tenants whose number begins with 59. */
const FIFTY_NINE = ['shop-59', ...Array.from({ length: 10 }, (_, i) => `shop-59${i}`)];

/** More than a search reads by id. */
const TENANTS = 600;
const FILTER = {
  search: undefined,
  tierKey: undefined,
  status: undefined,
  minPercent: undefined,
  denied: false,
  keys: undefined,
};

let app: TestApp;
let real: Tx;

beforeAll(async () => {
  const database = await createTestDatabase();
  // In a small table, Postgres reads all rows although it could use an index.
  await runStatement(
    database.ownerUrl,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$`,
  );
  app = await startTestApp({}, undefined, database);
  await createPolicy(app);
  real = app.app.get(Database, { strict: false }).client;
  await app.database.$executeRaw`
    INSERT INTO "tenant" ("id", "key", "name", "status", "updated_at")
    SELECT 'ten_' || lpad(i::text, 32, '0'), 'shop-' || i, 'Größe 50%_' || i || '\\',
      (CASE i % 3 WHEN 0 THEN 'SUSPENDED' WHEN 1 THEN 'ARCHIVED' ELSE 'ACTIVE' END)::"TenantStatus", now()
    FROM generate_series(1, ${TENANTS}::int) i`;
  await app.database.$executeRaw`
    INSERT INTO "subscription" ("id", "tenant_id", "tier_id")
    SELECT 'sub_' || substr("id", 5), "id", (SELECT "id" FROM "tier") FROM "tenant" WHERE "key" LIKE 'shop-%'`;
  await app.database.usageSeries.create({
    data: { api: 'shop', operation: 'buy', limitName: 'per-minute', outcome: 'DENIED' },
  });
  await app.database.$executeRaw`VACUUM ANALYZE "tenant"`;
});
afterAll(() => app.stop());

/** Runs `work` on a database that explains each statement. @returns the plans */
async function plansOf(work: (database: Database) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const $queryRaw = async (texts: TemplateStringsArray, ...values: unknown[]) => {
    const statement = Prisma.sql(texts, ...values);
    const lines = await real.$queryRaw<Record<string, string>[]>`EXPLAIN ${statement}`;
    plans.push(...lines.flatMap((line) => Object.values(line)));
    return real.$queryRaw(statement);
  };
  await runInScope('all', () => work({ client: { $queryRaw } } as unknown as Database));
  return plans.join('\n');
}

describe('the plan', () => {
  it.each<[TenantStatus | undefined, string]>([
    [undefined, 'tenant_unarchived_idx'],
    ['ACTIVE', 'tenant_unarchived_idx'],
    ['SUSPENDED', 'tenant_suspended_idx'],
    ['ARCHIVED', 'tenant_archived_idx'],
  ])('of a count of tenants of status %s uses %s', async (status, index) => {
    const count = (database: Database) => new UtilizationRepository(database).count({ ...FILTER, status });
    expect(await plansOf(count)).toMatch(new RegExp(`Index (Only )?Scan using ${index}`));
  });

  it('of the tenants with the most denials reads only denials', async () => {
    const range = { from: new Date('2032-05-12T00:00Z'), to: new Date('2032-05-13T00:00Z') };
    const top = (database: Database) =>
      new UsageRepository(database).listTop(UsageInterval.HOUR, range, {}, 'denied', 1);
    expect(await plansOf(top)).toContain('usage_hour_series_id_at_idx');
  });

  it('of a search uses the trigrams', async () => {
    const lines = await app.database.$queryRaw<Record<string, string>[]>`
      EXPLAIN SELECT "tenant_id" FROM "tenant_search" WHERE "text" LIKE '%shop-123%'`;
    expect(JSON.stringify(lines)).toContain('tenant_search_text_idx');
  });
});

describe('the board by tier', () => {
  const ORDER = { order: 'TIER', descending: false } as const;
  const list = (descending: boolean, after?: string[]) => {
    const rows = new UtilizationRepository({ client: real } as unknown as Database);
    return runInScope('all', () => rows.list(FILTER, { ...ORDER, descending }, { first: 60, after }));
  };

  beforeAll(async () => {
    // Two of the three have the same name.
    const { name } = await app.database.tier.findFirstOrThrow();
    const tiers = [name, 'Zeta'].map((name, i) => ({ id: `tie_${i}`, key: `other-${i}`, name }));
    await app.database.tier.createMany({ data: tiers });
    for (const [i, { id: tierId }] of tiers.entries()) {
      const tenant = { key: { startsWith: 'shop-', endsWith: `${i}` } };
      await app.database.subscription.updateMany({ where: { tenant }, data: { tierId } });
    }
  });

  it.each([false, true])('lists each tenant once over all pages, descending: %s', async (descending) => {
    const places: string[][] = [];
    for (;;) {
      const rows = await list(descending, places.at(-1));
      places.push(...rows.slice(0, 60).map(({ place }) => place));
      if (rows.length <= 60) break;
    }
    const expected = await app.database.$queryRaw<{ place: string[] }[]>`
      SELECT ARRAY[r."name", t."id"] AS "place" FROM "tenant" t
      JOIN "subscription" b ON b."tenant_id" = t."id" JOIN "tier" r ON r."id" = b."tier_id"
      WHERE t."status" <> 'ARCHIVED' ORDER BY r."name", t."id"`;
    const inOrder = expected.map(({ place }) => place);
    expect(places).toEqual(descending ? inOrder.toReversed() : inOrder);
  });
});

describe('a search', () => {
  const find = async (search: string, headers?: Record<string, string>) => {
    const query = `query($search: String) {
      tenants(first: 100, search: $search) { totalCount nodes { key } }
    }`;
    const { data } = await app.graphql(query, { search }, headers);
    return {
      count: data.tenants.totalCount,
      keys: data.tenants.nodes.map(({ key }: { key: string }) => key),
    };
  };
  const findOnBoard = async (search: string) => {
    const query = `query($search: String) {
      tenantUtilization(first: 100, search: $search, orderBy: NAME) { totalCount nodes { tenant { key } } }
    }`;
    const { totalCount, nodes } = (await app.graphql(query, { search })).data.tenantUtilization;
    return { count: totalCount, keys: nodes.map(({ tenant }: { tenant: { key: string } }) => tenant.key) };
  };

  it.each([
    ['a part of a key', 'hop-59', FIFTY_NINE],
    ['another case', 'SHOP-59', FIFTY_NINE],
    ['a part of a name', 'e 50%_59', FIFTY_NINE],
    ['percent signs and underscores as they are', '0_%', []],
    ['a backslash', '_590\\', ['shop-590']],
    [
      'fewer than three characters',
      '97',
      ['shop-197', 'shop-297', 'shop-397', 'shop-497', 'shop-597', 'shop-97'],
    ],
    ['quotation marks', `' OR true --`, []],
  ])('finds %s', async (_case, search, expected) => {
    expect(await find(search)).toEqual({ count: expected.length, keys: expected });
  });

  it('lists the first of more tenants than are read by id, and counts all', async () => {
    expect((await find('shop-')).count).toBe(TENANTS);
    expect((await find('shop-')).keys.slice(0, 3)).toEqual(['shop-1', 'shop-10', 'shop-100']);
    const { count, keys } = await findOnBoard('shop-');
    expect([count, keys.length]).toEqual([(TENANTS * 2) / 3, 100]);
  });

  it('finds tenants on the board that are not archived', async () => {
    expect(await findOnBoard('shop-15')).toMatchObject({ count: 8 });
    expect((await findOnBoard('shop-15')).keys).toContain('shop-15');
  });

  it('finds a tenant by its new name only', async () => {
    const rename = 'mutation($input: TenantUpdateInput!) { tenantUpdate(input: $input) { changeId } }';
    const expectedVersion = await versionOf(app, 'tenant', 'acme');
    await app.graphql(rename, { input: { tenantKey: 'acme', expectedVersion, name: 'Zebra' } });
    expect((await find('zebr')).keys).toEqual(['acme']);
    expect((await find('Acme Inc')).keys).toEqual([]);
  });

  it('finds nothing of other tenants for a member', async () => {
    const headers = await app.signInMember('ten_00000000000000000000000000000002', 'OWNER');
    expect(await find('shop-', headers)).toEqual({ count: 1, keys: ['shop-2'] });
    const [found] = await runInScope(
      ['ten_00000000000000000000000000000002'],
      () => real.$queryRaw<{ ids: unknown }[]>`SELECT tollgate_find_tenants('shop', 500) AS "ids"`,
    );
    expect(found).toEqual({ ids: null });
  });
});
