import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy } from '../../../test/support/policy-factory.js';
import { startTestApp, type TestApp } from '../../../test/support/test-app.js';
import { runInScope } from '../scope/tenant-scope.js';
import { Database } from './database.js';

let app: TestApp;
let database: Database;
const ids = new Map<string, string>();

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
  for (const { key, id } of await app.database.tenant.findMany()) ids.set(key, id);
  database = app.app.get(Database, { strict: false });
});

afterAll(() => app.stop());

describe('the wall between tenants in Postgres', () => {
  it('stands in front of every table that names a tenant', async () => {
    const open = await app.database.$queryRaw`
      SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped
        AND a.attname IN ('tenant_id', 'tenant_key') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`;
    expect(open).toEqual([]);
  });

  it('holds the application, which owns nothing and cannot step around it', async () => {
    const [role] = await database.unscoped.$queryRaw<
      { name: string; superuser: boolean; bypasses: boolean; owned: bigint }[]
    >`
      SELECT current_user::text AS name, rolsuper AS superuser, rolbypassrls AS bypasses,
        (SELECT count(*) FROM pg_class WHERE relowner = pg_roles.oid) AS owned
      FROM pg_roles WHERE rolname = current_user`;
    expect(role).toEqual({ name: 'tollgate_app', superuser: false, bypasses: false, owned: 0n });
  });

  it('shows nothing where it was not said whose rows', async () => {
    expect(await database.unscoped.tenant.count()).toBe(0);
    expect(await database.unscoped.auditEntry.count()).toBe(0);
  });

  it('shows a tenant its own rows, in single statements and in transactions', async () => {
    const acme = [ids.get('acme') ?? ''];
    const keys = { orderBy: { key: 'asc' }, select: { key: true } } as const;
    expect(await runInScope(acme, () => database.client.tenant.findMany(keys))).toEqual([{ key: 'acme' }]);
    expect(await runInScope(acme, () => database.transaction((tx) => tx.subscription.count()))).toBe(1);
    expect(await runInScope('all', () => database.client.tenant.findMany(keys))).toHaveLength(2);
  });

  it('lets a tenant write no row of another', async () => {
    const row = {
      id: 'mem_1',
      tenantId: ids.get('other') ?? '',
      email: 'a@example.com',
      name: 'A',
      role: 'OWNER' as const,
    };
    const write = () => database.client.member.create({ data: row });
    await expect(runInScope([ids.get('acme') ?? ''], write)).rejects.toThrow(/row-level security/);
  });

  it('leaves nothing behind on the connections of the pool', async () => {
    const acme = [ids.get('acme') ?? ''];
    const counts = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        if (index % 3 === 0) return (await runInScope(acme, () => database.client.tenant.count())) - 1;
        if (index % 3 === 1) return (await runInScope('all', () => database.client.tenant.count())) - 2;
        return database.unscoped.tenant.count();
      }),
    );
    expect(counts.every((count) => count === 0)).toBe(true);
  });
});
