import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLogin, describeOldVersion } from './login-check.js';
import { migrateDeploy } from './migrations.js';
import { deployDatabase } from './preflight.js';
import { runStatement, withLogin } from './schema-engine/postgres-driver.js';
import { scopeKeyOf, signSetting } from './scope-signature.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const SIGNED_SCOPE = '20261122201500_signed_scope';
const TENANT_LISTS = '20261130100000_tenant_lists';
const SECRETS = ['a scope secret of this file only'];

const deploy = (
  ownerUrl: string,
  appUrl: string,
  more: {
    secrets?: string[];
    migrations?: string;
    resolve?: boolean;
    requiresRestrictedLogin?: boolean;
  } = {},
) =>
  deployDatabase({
    ownerUrl,
    appUrl,
    migrationsDir: more.migrations ?? MIGRATIONS,
    scopeSecrets: more.secrets ?? SECRETS,
    resolve: more.resolve ?? false,
    requiresRestrictedLogin: more.requiresRestrictedLogin ?? false,
  });

const problemsOf = async (url: string) => {
  const { blockers, problems } = await checkLogin(async (sql) => (await runStatement(url, sql)).rows);
  return [...blockers, ...problems];
};

describe('Postgres 18', () => describeServer('npm'));
describe('Postgres 15', { tags: 'postgresql-15' }, () => describeServer('PATH'));

function describeServer(programs: 'npm' | 'PATH'): void {
  let home: string;
  let postgres: EmbeddedPostgres;

  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'tollgate-preflight-'));
    postgres = await startPostgres({ dataDir: path.join(home, 'postgres'), durable: false, programs });
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** The URL of a new database that a new login with these attributes owns. */
  async function ownedDatabase(name: string, attributes = ''): Promise<string> {
    await runStatement(postgres.url, `CREATE ROLE ${name} LOGIN PASSWORD 'secret' ${attributes}`);
    await runStatement(postgres.url, `CREATE DATABASE ${name} OWNER ${name}`);
    return withLogin(postgres.databaseUrl(name), name, 'secret');
  }
  const application = (ownerUrl: string, name = 'app') => withLogin(ownerUrl, name, "it's secret");
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => '',
      (error: Error) => error.message,
    );
  const state = async (url: string) =>
    (
      await runStatement(
        url,
        `SELECT (SELECT array_agg(rolname::text ORDER BY 1) FROM pg_roles) AS roles,
          (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables, (SELECT datacl::text FROM pg_database WHERE
          datname = current_database()) AS privileges`,
      )
    ).rows;

  it('prints the SQL for a DBA and changes nothing where the owner has no CREATEROLE', async () => {
    const owner = await ownedDatabase('without_createrole');
    const before = await state(owner);
    const message = await errorOf(deploy(owner, application(owner, 'given')));
    expect(message).toMatch(
      /DBA run this[\s\S]*\nCREATE ROLE tollgate_app NOLOGIN;\nCREATE ROLE "given" LOGIN PASSWORD '…';\nGRANT tollgate_app TO "given"/,
    );
    expect(message).not.toContain('secret');
    expect(await state(owner)).toEqual(before);
  });

  it('creates role and login with CREATEROLE, and migrates', async () => {
    const owner = await ownedDatabase('with_createrole', 'CREATEROLE');
    expect(await deploy(owner, application(owner))).toContain(SIGNED_SCOPE);
    expect(await problemsOf(application(owner))).toEqual([]);
    expect(await deploy(owner, application(owner))).toEqual([]);
    const work = 'BEGIN; SET LOCAL ROLE tollgate_app; SELECT count(*)::int AS tenants FROM tenant';
    const results = (await runStatement(application(owner), work)) as unknown as { rows: unknown[] }[];
    expect(results[2]?.rows).toEqual([{ tenants: 0 }]);
  });

  it('migrates with the roles that a DBA created from the printed SQL', async () => {
    const owner = withLogin(postgres.databaseUrl('without_createrole'), 'without_createrole', 'secret');
    const app = application(owner, 'given');
    const [, ...sql] = (await errorOf(deploy(owner, app))).split('\n');
    await runStatement(postgres.url, sql.join('\n').replace("'…'", "'it''s secret'"));
    expect(await deploy(owner, app)).toContain(SIGNED_SCOPE);
    expect(await problemsOf(app)).toEqual([]);
  });

  it('names the login to use where the tables belong to another one', async () => {
    await runStatement(postgres.url, "CREATE ROLE newcomer LOGIN PASSWORD 'secret' CREATEROLE");
    const url = withLogin(postgres.databaseUrl('with_createrole'), 'newcomer', 'secret');
    expect(await errorOf(deploy(url, application(url)))).toBe(
      'The tables belong to with_createrole, not to newcomer. Use that login in DATABASE_MIGRATION_URL.',
    );
  });

  it('refuses the owner and a superuser as the login of the application before it changes anything', async () => {
    const owner = await ownedDatabase('restricting', 'CREATEROLE');
    const before = await state(owner);
    const refused = (appUrl: string) => errorOf(deploy(owner, appUrl, { requiresRestrictedLogin: true }));
    expect(await refused(owner)).toMatch(
      /^DATABASE_URL: .* restrict restricting, which owns the tables\. Name another/,
    );
    expect(await refused(postgres.databaseUrl('restricting'))).toMatch(
      /restrict postgres, which has SUPERUSER\./,
    );
    expect(await state(owner)).toEqual(before);
  });

  it.each([
    ['is not installed', 'SET search_path = public, pg_catalog'],
    ['is not in the setting of Azure', "SET azure.extensions = 'hstore,pg_trgm_other'"],
  ])('refuses a server whose extension pg_trgm %s, before it changes anything', async (title, setting) => {
    const name = `trigrams_${title.replaceAll(' ', '_').toLowerCase()}`;
    const owner = await ownedDatabase(name, 'CREATEROLE');
    // Hides the catalogue's view from sessions whose search_path names this schema first.
    await runStatement(
      owner,
      "CREATE VIEW public.pg_available_extensions AS SELECT * FROM pg_catalog.pg_available_extensions WHERE name <> 'pg_trgm'",
    );
    await runStatement(postgres.url, `ALTER DATABASE ${name} ${setting}`);
    const before = await state(owner);
    expect(await errorOf(deploy(owner, application(owner)))).toMatch(
      /^Postgres does not offer the extension pg_trgm\. Install it .* run setup again\.$/,
    );
    expect(await state(owner)).toEqual(before);
  });

  it('asks for the database and its ownership where the login may not create it', async () => {
    const url = withLogin(postgres.databaseUrl('missing'), 'newcomer', 'secret');
    expect(await errorOf(deploy(url, application(url)))).toContain(
      'CREATE DATABASE "missing" OWNER "newcomer";',
    );
    await runStatement(postgres.url, 'CREATE DATABASE missing');
    expect(await errorOf(deploy(url, application(url)))).toContain(
      'ALTER DATABASE "missing" OWNER TO "newcomer";',
    );
  });

  it('indexes the tenants that exist before the lists of tenants', async () => {
    const owner = await ownedDatabase('listed', 'CREATEROLE');
    const before = path.join(home, 'migrations-before-lists');
    const isOlder = (name: string) => !/^\d/.test(name) || name < TENANT_LISTS;
    cpSync(MIGRATIONS, before, { recursive: true, filter: (file) => isOlder(path.basename(file)) });
    await deploy(owner, application(owner), { migrations: before });
    await runStatement(
      owner,
      "SET tollgate.scope = 'all'; INSERT INTO tenant (id, key, name, updated_at) VALUES ('ten_1', 'acme', 'Größe', now())",
    );
    expect(await deploy(owner, application(owner))).toContain(TENANT_LISTS);
    expect((await runStatement(owner, 'SELECT tenant_id, text FROM tenant_search')).rows).toEqual([
      { tenant_id: 'ten_1', text: 'acme\ngröße' },
    ]);
  });

  it('refuses after a failed migration until it is resolved', async () => {
    const owner = withLogin(postgres.databaseUrl('with_createrole'), 'with_createrole', 'secret');
    const migrations = path.join(home, 'failing');
    cpSync(MIGRATIONS, migrations, { recursive: true });
    const broken = path.join(migrations, '29990101000000_broken');
    mkdirSync(broken);
    writeFileSync(path.join(broken, 'migration.sql'), 'CREATE TABLE half (id int); SELECT 1 / 0;');
    const retry = (resolve = false) => deploy(owner, application(owner), { migrations, resolve });
    const failed =
      'The migration 29990101000000_broken failed and was rolled back. Fix the cause, then run setup --resolve.';
    expect(await errorOf(retry())).toMatch(new RegExp(`^${failed}\n[\\s\\S]*division by zero`));
    expect(await errorOf(retry())).toBe(failed);
    expect((await runStatement(owner, "SELECT to_regclass('half') AS half")).rows).toEqual([{ half: null }]);
    writeFileSync(path.join(broken, 'migration.sql'), 'CREATE TABLE half (id int);');
    expect(await retry(true)).toEqual(['29990101000000_broken']);
  });

  // The same on both versions.
  if (programs === 'npm') describeSuperuser(() => ({ postgres, home }));
}

/** On a server whose roles exist. */
function describeSuperuser(server: () => { postgres: EmbeddedPostgres; home: string }): void {
  describe('with a superuser as the owner', () => {
    let home: string;
    let postgres: EmbeddedPostgres;
    let superuser: string;

    beforeAll(async () => {
      ({ postgres, home } = server());
      superuser = postgres.databaseUrl('prepared');
      await deploy(superuser, withLogin(superuser, 'app', 'secret'));
    });

    it("sets the password of the application's address", async () => {
      const changed = withLogin(superuser, 'changing', "it's new");
      await deploy(superuser, withLogin(superuser, 'changing', 'old'));
      await deploy(superuser, changed);
      expect((await runStatement(changed, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    it('grants a login the switch to the role that Postgres 16 separates from membership', async () => {
      const url = withLogin(superuser, 'inheriting', 'secret');
      await runStatement(superuser, "CREATE ROLE inheriting LOGIN PASSWORD 'secret'");
      await runStatement(superuser, 'GRANT tollgate_app TO inheriting WITH SET FALSE');
      expect((await problemsOf(url)).join()).toMatch(/may not switch to the role tollgate_app\. Run setup/);
      await deploy(superuser, url);
      expect(await problemsOf(url)).toEqual([]);
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
      await deploy(superuser, url, { secrets: [fresh, old] });
      expect([await sees(fresh), await sees(old), await sees(SECRETS[0] ?? '')]).toEqual([true, true, false]);
      await deploy(superuser, url, { secrets: [fresh] });
      expect([await sees(fresh), await sees(old)]).toEqual([true, false]);
    });

    it('upgrades a database of the release before, keeps its rows, and closes to the login it had', async () => {
      const owner = postgres.databaseUrl('upgraded');
      const before = path.join(home, 'migrations-before');
      const isOlder = (name: string) => !/^\d/.test(name) || name < SIGNED_SCOPE;
      cpSync(MIGRATIONS, before, { recursive: true, filter: (file) => isOlder(path.basename(file)) });
      // Its text has changed since it was applied there.
      appendFileSync(path.join(before, '20261121200000_tenant_wall/migration.sql'), '\n-- as released\n');
      await migrateDeploy(owner, before);
      await runStatement(owner, "INSERT INTO tenant (id, key, name) VALUES ('ten_1', 'acme', 'Acme')");
      expect(await deploy(owner, withLogin(owner, 'app', 'secret'))).toContain(SIGNED_SCOPE);
      expect((await runStatement(owner, 'SELECT key FROM tenant')).rows).toEqual([{ key: 'acme' }]);
      const unsigned = "SET ROLE tollgate_app; SET tollgate.scope = 'tenants:ten_1'; SELECT key FROM tenant";
      const results = (await runStatement(owner, unsigned)) as unknown as { rows: unknown[] }[];
      expect(results[2]?.rows).toEqual([]);
    });

    it('reports why migrations cannot be applied, on a database without any', async () => {
      const migrations = path.join(home, 'incomplete');
      mkdirSync(path.join(migrations, '20000101000000_empty'), { recursive: true });
      const owner = postgres.databaseUrl('unmigrated');
      await expect(deploy(owner, withLogin(owner, 'app', 'secret'), { migrations })).rejects.toThrow(
        'migration.sql',
      );
    });

    it('names the address that does not answer', async () => {
      const away = superuser.replace(/:\d+\//, ':1/');
      await expect(deploy(away, away)).rejects.toThrow(
        'DATABASE_MIGRATION_URL: no connection to 127.0.0.1:1 (ECONNREFUSED).',
      );
    });

    describe('checkLogin', () => {
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
        [
          'one with temporary tables',
          '',
          'GRANT TEMPORARY ON DATABASE prepared TO :login',
          /temporary tables/,
        ],
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

    it('refuses versions before 15', () => {
      expect([140_012, 150_000, 180_004].map((version) => describeOldVersion('x', version))).toEqual([
        'Postgres x is not supported. Upgrade to 15 or newer.',
        undefined,
        undefined,
      ]);
    });
  });
}
