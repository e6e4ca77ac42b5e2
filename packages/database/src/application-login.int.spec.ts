import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLoginProblems, loginSql, prepareApplication, withLogin } from './application-login.js';
import { migrateDeploy } from './migrations.js';
import { runStatement } from './schema-engine/postgres-driver.js';
import { scopeKeyOf, signSetting } from './scope-signature.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const SIGNED_SCOPE = '20261122201500_signed_scope';
const SECRETS = ['a scope secret of this file only'];

let home: string;
let postgres: EmbeddedPostgres;
let superuser: string;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-login-'));
  postgres = await startPostgres({ dataDir: path.join(home, 'postgres'), durable: false });
  superuser = postgres.databaseUrl('prepared');
  await migrateDeploy(superuser, MIGRATIONS);
  await prepareApplication(superuser, withLogin(superuser, 'app', 'secret'), SECRETS);
});

afterAll(async () => {
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The address of a fresh database that a fresh login with these attributes owns. */
async function ownedDatabase(name: string, attributes: string): Promise<string> {
  await runStatement(postgres.url, `CREATE ROLE ${name} LOGIN PASSWORD 'secret' ${attributes}`);
  await runStatement(postgres.url, `CREATE DATABASE ${name} OWNER ${name}`);
  return withLogin(postgres.databaseUrl(name), name, 'secret');
}

const problemsOf = async (url: string) =>
  (await findLoginProblems(async (sql) => (await runStatement(url, sql)).rows)).problems;

describe('prepareApplication', () => {
  it('creates a login that row-level security restricts', async () => {
    expect(await problemsOf(withLogin(superuser, 'app', 'secret'))).toEqual([]);
  });

  it("sets the password of the application's address", async () => {
    const changed = withLogin(superuser, 'changing', "it's new");
    await prepareApplication(superuser, withLogin(superuser, 'changing', 'old'), SECRETS);
    await prepareApplication(superuser, changed, SECRETS);
    expect((await runStatement(changed, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('accepts the signatures of the given secrets and of no other', async () => {
    const url = withLogin(superuser, 'app', 'secret');
    const sees = async (secret: string) => {
      const scope = signSetting(scopeKeyOf(secret), 'tollgate.scope', 'all');
      const sql = `SELECT set_config('tollgate.scope', '${scope}', true); SELECT tollgate_sees_all() AS sees`;
      const results = (await runStatement(url, sql)) as unknown as { rows: { sees: boolean }[] }[];
      return results[1]?.rows[0]?.sees;
    };
    const [old, fresh] = ['the secret that is replaced', 'the secret that replaces it'];
    await prepareApplication(superuser, url, [fresh, old]);
    expect([await sees(fresh), await sees(old), await sees(SECRETS[0] ?? '')]).toEqual([true, true, false]);
    await prepareApplication(superuser, url, [fresh]);
    expect([await sees(fresh), await sees(old)]).toEqual([true, false]);
  });
});

describe('a database of the release before', () => {
  it('is upgraded, keeps its rows, and closes to the login it had', async () => {
    const owner = postgres.databaseUrl('upgraded');
    const before = path.join(home, 'migrations-before');
    const isOlder = (name: string) => !/^\d/.test(name) || name < SIGNED_SCOPE;
    cpSync(MIGRATIONS, before, { recursive: true, filter: (file) => isOlder(path.basename(file)) });
    // Its text has changed since it was applied there.
    appendFileSync(path.join(before, '20261121200000_tenant_wall/migration.sql'), '\n-- as released\n');
    await migrateDeploy(owner, before);
    await runStatement(owner, "INSERT INTO tenant (id, key, name) VALUES ('ten_1', 'acme', 'Acme')");
    expect(await migrateDeploy(owner, MIGRATIONS)).toContain(SIGNED_SCOPE);
    await prepareApplication(owner, withLogin(owner, 'app', 'secret'), SECRETS);
    expect((await runStatement(owner, 'SELECT key FROM tenant')).rows).toEqual([{ key: 'acme' }]);
    const unsigned = "SET ROLE tollgate_app; SET tollgate.scope = 'tenants:ten_1'; SELECT key FROM tenant";
    const results = (await runStatement(owner, unsigned)) as unknown as { rows: unknown[] }[];
    expect(results[2]?.rows).toEqual([]);
  });
});

describe('an owner without superuser', () => {
  it('with CREATEROLE migrates and creates the login', async () => {
    const owner = await ownedDatabase('owner_creates', 'CREATEROLE');
    const other = withLogin(owner, 'app_created', 'secret');
    // The role of another installation on this server was created by somebody else.
    await runStatement(postgres.url, 'GRANT tollgate_app TO owner_creates WITH ADMIN OPTION');
    await migrateDeploy(owner, MIGRATIONS);
    await prepareApplication(owner, other, SECRETS);
    expect(await problemsOf(other)).toEqual([]);
    expect((await runStatement(other, 'SELECT count(*)::int AS tenants FROM tenant')).rows).toEqual([
      { tenants: 0 },
    ]);
  });

  it('without CREATEROLE migrates with the roles that a DBA created', async () => {
    const owner = await ownedDatabase('owner_given', '');
    const [, create = '', grant = ''] = loginSql('app_given').split('\n');
    await runStatement(postgres.url, create.replace('…', 'secret') + grant);
    await migrateDeploy(owner, MIGRATIONS);
    const app = withLogin(owner, 'app_given', 'secret');
    await prepareApplication(owner, app, SECRETS);
    expect(await problemsOf(app)).toEqual([]);
  });

  it('without CREATEROLE and without the login gets the SQL for a DBA', async () => {
    const owner = await ownedDatabase('owner_alone', '');
    await migrateDeploy(owner, MIGRATIONS);
    await expect(
      prepareApplication(owner, withLogin(owner, 'app_missing', 'secret'), SECRETS),
    ).rejects.toThrow(
      /DBA run:[\s\S]*CREATE ROLE "app_missing" LOGIN[\s\S]*GRANT tollgate_app TO "app_missing"/,
    );
  });

  it('reads all rows with the unsigned scope `all`, as pg_dump does; the application does not', async () => {
    const owner = await ownedDatabase('owner_dumps', '');
    const app = withLogin(owner, 'app', 'secret');
    await migrateDeploy(owner, MIGRATIONS);
    await prepareApplication(owner, app, SECRETS);
    await runStatement(
      owner,
      "SET tollgate.scope = 'all'; INSERT INTO tenant (id, key, name) VALUES ('ten_1', 'acme', 'Acme')",
    );
    const count = async (url: string) => {
      const results = await runStatement(url, "SET tollgate.scope = 'all'; SELECT key FROM tenant");
      return (results as unknown as { rows: unknown[] }[])[1]?.rows.length;
    };
    expect([await count(owner), await count(app)]).toEqual([1, 0]);
  });
});

describe('findLoginProblems', () => {
  it.each([
    ['a superuser', 'SUPERUSER', '', /attribute SUPERUSER/],
    ['BYPASSRLS', 'BYPASSRLS', '', /attribute BYPASSRLS/],
    ['CREATEROLE', 'CREATEROLE', '', /attribute CREATEROLE/],
    ['REPLICATION', 'REPLICATION', '', /attribute REPLICATION/],
    ['a member of a superuser', 'NOINHERIT', 'GRANT postgres TO :login', /member of postgres/],
    [
      'a member of the owner',
      'NOINHERIT',
      'GRANT table_owner TO :login',
      /member of table_owner, which does/,
    ],
    ['a reader of the keys', '', 'GRANT SELECT ON scope_key TO :login', /scope_key/],
    ['a reader of all data', '', 'GRANT pg_read_all_data TO :login', /scope_key/],
    [
      'one that may run programs',
      '',
      'GRANT pg_execute_server_program TO :login',
      /pg_execute_server_program/,
    ],
    ['one with temporary tables', '', 'GRANT TEMPORARY ON DATABASE prepared TO :login', /temporary tables/],
  ])('reports %s', async (title, attributes, grant, problem) => {
    const login = `login_${title.toLowerCase().replaceAll(/\W/g, '_')}`;
    const setUp = [
      'DO $$ BEGIN CREATE ROLE table_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
      'CREATE TABLE IF NOT EXISTS owned (id int)',
      'ALTER TABLE owned OWNER TO table_owner',
      `CREATE ROLE ${login} LOGIN PASSWORD 'secret' ${attributes}`,
      grant.replace(':login', login),
    ];
    await runStatement(superuser, setUp.join('; '));
    expect((await problemsOf(withLogin(superuser, login, 'secret'))).join('\n')).toMatch(problem);
  });
});
