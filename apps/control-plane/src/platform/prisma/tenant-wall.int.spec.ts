import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy } from '../../../test/support/policy-factory.js';
import { startTestApp, type TestApp } from '../../../test/support/test-app.js';
import { runInScope } from '../tenant-scope.js';
import { Database, type Tx } from './database.js';

/** Tables that no policy protects by tenant, each with the reason. Every other table needs a policy. */
const SHARED: Record<string, string> = {
  _prisma_migrations: 'no privilege of the application',
  scope_key: 'no privilege of the application',
  tenant_search: 'no privilege of the application',
  invoice_counter: 'one number, which the invoice of any tenant takes',
};

/** Tables that everybody may read, because all tenants share their rows; only the platform writes them. */
const CATALOGUE = [
  'api',
  'default_limit',
  'installation',
  'limit',
  'offer',
  'operation',
  'policy_revision',
  'pool',
  'tier',
  'tier_version',
  'usage_series',
];

let app: TestApp;
let database: Database;
let acme: string;
let other: string;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
  const ids = new Map((await app.database.tenant.findMany()).map(({ key, id }) => [key, id]));
  [acme = '', other = ''] = [ids.get('acme'), ids.get('other')];
  await app.signInMember(acme, 'OWNER');
  await app.signInMember(other, 'OWNER');
  database = app.app.get(Database, { strict: false });
});

afterAll(() => app.stop());

describe('row-level security', () => {
  it('covers every table, the owner included, except the listed ones', async () => {
    const open = await app.database.$queryRaw<{ name: string }[]>`
      SELECT c.relname::text AS name FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        AND NOT (c.relrowsecurity AND c.relforcerowsecurity
          AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))
      ORDER BY 1`;
    expect(open.map(({ name }) => name)).toEqual(Object.keys(SHARED).sort());
  });

  it('lets no policy decide without the scope, except reads of the catalogue', async () => {
    const policies = await app.database.$queryRaw<{ name: string }[]>`
      SELECT tablename || ' ' || cmd AS name FROM pg_policies
      WHERE schemaname = 'public' AND coalesce(with_check, qual) = 'true'
        AND (cmd IN ('SELECT', 'ALL') OR tablename <> 'offer') ORDER BY 1`;
    expect(policies.map(({ name }) => name)).toEqual(CATALOGUE.map((table) => `${table} SELECT`));
  });

  it('binds a login that owns nothing and has no role that bypasses it', async () => {
    expect(await database.checkLogin()).toEqual({
      login: 'tollgate_test_application',
      blockers: [],
      problems: [],
      knowsKey: true,
    });
    const [role] = await app.database.$queryRaw<{ granted: string[] }[]>`
      SELECT array_agg(privilege_type::text) AS granted FROM information_schema.role_table_grants
      WHERE grantee = 'tollgate_app' AND (table_name IN ('scope_key', 'tenant_search', '_prisma_migrations') OR privilege_type = 'TRUNCATE')`;
    expect(role?.granted).toBeNull();
  });

  it('shows a tenant its own rows, in single statements and in transactions', async () => {
    const keys = { orderBy: { key: 'asc' }, select: { key: true } } as const;
    expect(await runInScope([acme], () => database.client.tenant.findMany(keys))).toEqual([{ key: 'acme' }]);
    expect(await runInScope([acme], () => database.transaction((tx) => tx.subscription.count()))).toBe(1);
    expect(await runInScope('all', () => database.client.tenant.findMany(keys))).toHaveLength(2);
    expect(await runInScope([], () => database.client.tenant.count())).toBe(0);
  });

  it('shows a tenant its own people, and no session, password or token', async () => {
    const seen = await runInScope([acme], async () => ({
      users: await database.client.user.count(),
      sessions: await database.client.session.count(),
      accounts: await database.client.account.count(),
      tokens: await database.client.serviceToken.count(),
    }));
    expect(seen).toEqual({ users: 1, sessions: 0, accounts: 0, tokens: 0 });
  });

  it('shows sign-in users and credentials, but no data of tenants', async () => {
    expect(await database.accounts.user.count()).toBe(2);
    expect(await database.accounts.session.count()).toBe(2);
    const seen = await runInScope('accounts', async () => ({
      subscriptions: await database.client.subscription.count(),
      audit: await database.client.auditEntry.count(),
    }));
    expect(seen).toEqual({ subscriptions: 0, audit: 0 });
    const rename = () => database.client.tenant.updateMany({ data: { name: 'Renamed' } });
    expect(await runInScope('accounts', rename)).toEqual({ count: 0 });
  });

  it('keeps the scope to its transaction on the connections of the pool', async () => {
    const counts = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        if (index % 3 === 0) return (await runInScope([acme], () => database.client.tenant.count())) - 1;
        if (index % 3 === 1) return (await runInScope('all', () => database.client.tenant.count())) - 2;
        return runInScope([], () => database.client.tenant.count());
      }),
    );
    expect(counts.every((count) => count === 0)).toBe(true);
  });
});

/** Runs SQL as if injected into a transaction of tenant acme, then reads the rows visible to the transaction. */
function inject<T>(statement: string, read: (tx: Tx) => Promise<T>): Promise<T | 'refused'> {
  return runInScope([acme], () =>
    database.transaction(async (tx) => {
      // A refused statement ends its transaction unless a savepoint is before it.
      await tx.$executeRawUnsafe('SAVEPOINT attack');
      await tx.$executeRawUnsafe(statement).catch(() => tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT attack'));
      return read(tx);
    }),
  ).catch(() => 'refused');
}

const tenantKeys = (tx: Tx) => tx.$queryRaw<{ key: string }[]>`SELECT key FROM tenant`;

describe('SQL injected into a transaction of one tenant', () => {
  it.each([
    'RESET ROLE',
    'SET ROLE NONE',
    'RESET SESSION AUTHORIZATION',
    'RESET ALL',
    'DISCARD ALL',
    "SELECT set_config('role', 'none', true)",
    "SELECT set_config('row_security', 'off', true)",
    "SELECT set_config('tollgate.scope', 'all', true)",
    "SELECT set_config('tollgate.scope', 'tenants:OTHER', true)",
    "SELECT set_config('tollgate.scope', 'accounts', true)",
    "SELECT set_config('tollgate.scope', replace(current_setting('tollgate.scope'), 'ACME', 'OTHER'), true)",
    "SELECT set_config('tollgate.scope', 'all#' || split_part(current_setting('tollgate.scope'), '#', 2) || '#00', true)",
    "SELECT set_config('tollgate.scope', current_setting('tollgate.request', true), true)",
    'ALTER TABLE tenant NO FORCE ROW LEVEL SECURITY',
    'DROP POLICY tenant_wall ON tenant',
    "CREATE OR REPLACE FUNCTION tollgate_sees_all() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    'CREATE TEMPORARY TABLE tenant (key text)',
    'GRANT pg_read_all_data TO CURRENT_USER',
    "INSERT INTO scope_key VALUES ('x', '', '')",
  ])('sees its own tenant at most after %s', async (statement) => {
    const seen = await inject(statement.replaceAll('ACME', acme).replaceAll('OTHER', other), tenantKeys);
    expect([[{ key: 'acme' }], [], 'refused']).toContainEqual(seen);
  });

  it('sees its own tenant at most after SET ROLE or SET SESSION AUTHORIZATION to any role', async () => {
    const roles = await app.database.$queryRaw<
      { name: string }[]
    >`SELECT rolname::text AS name FROM pg_roles`;
    for (const { name } of roles) {
      for (const verb of ['SET LOCAL ROLE', 'SET SESSION AUTHORIZATION']) {
        const seen = await inject(`${verb} "${name}"`, tenantKeys);
        expect([[{ key: 'acme' }], [], 'refused'], `${verb} ${name}`).toContainEqual(seen);
      }
    }
  });

  it.each([
    ['UPDATE tenant SET name = name', 1],
    ['UPDATE subscription SET tenant_id = tenant_id', 1],
    ['UPDATE service_token SET scopes = scopes', 0],
    ['DELETE FROM session', 0],
    ['UPDATE account SET password = NULL', 0],
    ['UPDATE "user" SET role = \'OWNER\'', 0],
    ['DELETE FROM idempotency_key', 0],
    ['DELETE FROM tier', 0],
  ])('changes its own rows at most by %s', async (statement, changed) => {
    expect(
      await runInScope([acme], () => database.transaction((tx) => tx.$executeRawUnsafe(statement))),
    ).toBe(changed);
  });

  it.each([
    'UPDATE tier SET name = name',
    'UPDATE api SET name = name',
    "INSERT INTO outbox_event (change_id, kind, entity_key) VALUES ('x', 'CATALOGUE', 'tier:basic')",
    "INSERT INTO outbox_event (change_id, kind, entity_key) VALUES ('x', 'TENANT', 'other')",
    'TRUNCATE tenant CASCADE',
    'SELECT * FROM scope_key',
  ])('is refused for %s', async (statement) => {
    const run = () => database.transaction((tx) => tx.$executeRawUnsafe(statement));
    await expect(runInScope([acme], run)).rejects.toThrow(/42501|row-level security|permission denied/);
  });

  it.each([
    'LOCK TABLE tenant IN ACCESS EXCLUSIVE MODE',
    'LOCK TABLE tenant IN SHARE ROW EXCLUSIVE MODE',
    'SET ROLE NONE',
    'SET statement_timeout = 0',
    'COMMIT',
  ])('cannot append %s to a statement', async (appended) => {
    const run = (text: string) =>
      runInScope([acme], () => database.transaction((tx) => tx.$queryRawUnsafe(text)));
    const text = "SELECT key FROM tenant WHERE key = 'acme'";
    expect(await run(text)).toEqual([{ key: 'acme' }]);
    for (const client of ['transaction', 'single statement'])
      await expect(
        client === 'transaction'
          ? run(`${text}; ${appended}`)
          : runInScope([acme], () => database.client.$queryRawUnsafe(`${text}; ${appended}`)),
        client,
      ).rejects.toThrow(/multiple commands/);
  });

  it('leaves no scope behind on the connection', async () => {
    const kept = "SELECT set_config('tollgate.scope', current_setting('tollgate.scope'), false)";
    await Promise.all(Array.from({ length: 20 }, () => inject(kept, tenantKeys)));
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => runInScope([], () => database.client.tenant.count())),
    );
    expect(seen.every((count) => count === 0)).toBe(true);
  });

  it('writes no row of another tenant', async () => {
    const row = {
      id: 'mem_1',
      tenantId: other,
      email: 'a@example.com',
      name: 'A',
      role: 'OWNER' as const,
    };
    const write = () => database.client.member.create({ data: row });
    await expect(runInScope([acme], write)).rejects.toThrow(/row-level security/);
  });
});
