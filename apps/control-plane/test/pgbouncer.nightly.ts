// @module-tag pgbouncer
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployDatabase, runStatement, withLogin } from '@tollgate/database';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { eventually, startPgBouncer, TEST_SCOPE_SECRET, type TestPgBouncer } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../src/platform/prisma/database.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { createPolicy } from './support/policy-factory.js';
import { readTenant } from './support/published-policy.js';
import { startTestApp, type TestApp, testConfig } from './support/test-app.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

describe('PgBouncer in transaction mode with two connections to Postgres', () => {
  let home: string;
  let postgres: EmbeddedPostgres;
  let pooler: TestPgBouncer;
  let owner: string;
  let direct: string;
  let app: TestApp;

  const deploy = (ownerUrl: string, appUrl: string) =>
    deployDatabase({ ownerUrl, appUrl, migrationsDir: MIGRATIONS, scopeSecrets: [TEST_SCOPE_SECRET] });

  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'tollgate-pooled-'));
    postgres = await startPostgres({ dataDir: path.join(home, 'postgres'), durable: false });
    owner = withLogin(postgres.databaseUrl('tollgate'), 'tollgate', 'secret');
    direct = withLogin(owner, 'pooled', "it's secret");
    await runStatement(
      postgres.url,
      "CREATE ROLE tollgate LOGIN PASSWORD 'secret' CREATEROLE; ALTER ROLE tollgate SET TimeZone = 'America/New_York'",
    );
    await runStatement(postgres.url, 'CREATE DATABASE tollgate OWNER tollgate');
    pooler = await startPgBouncer(postgres.url, [direct, owner], { poolSize: 2 });
    await deploy(owner, pooler.through(direct));
    await runStatement(postgres.url, "ALTER ROLE pooled SET TimeZone = 'America/New_York'");
    app = await startTestApp({ DATABASE_MAX_CONNECTIONS: '20' }, undefined, {
      url: pooler.through(direct),
      ownerUrl: postgres.databaseUrl('tollgate'),
      drop: async () => undefined,
    });
    await createPolicy(app);
    await app.graphql(
      'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
    );
  });

  afterAll(async () => {
    await app?.stop();
    await pooler?.stop();
    await postgres?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('publishes changes, which hold a lock for one transaction', async () => {
    const redis = new Redis(app.redisUrl);
    const published = () => readTenant(redis, 'other').catch(() => undefined);
    try {
      expect(await eventually(published)).toMatchObject({ kind: 'tenant' });
    } finally {
      redis.disconnect();
    }
  });

  it('shows each of 90 interleaved requests only the rows of its tenant', async () => {
    const ids = new Map((await app.database.tenant.findMany()).map(({ key, id }) => [key, id]));
    const members = await Promise.all(
      ['acme', 'other'].map(async (key) => ({
        key,
        headers: await app.signInMember(ids.get(key) ?? '', 'OWNER'),
      })),
    );
    const sees = async (headers?: Record<string, string>) => {
      const { data } = await app.graphql('{ tenants { nodes { key } } }', {}, headers);
      return data?.tenants?.nodes.map(({ key }: { key: string }) => key).sort();
    };
    const callers = [...members, { key: 'acme,other', headers: undefined }];
    const requests = Array.from({ length: 90 }, (_, index) => callers[index % 3] as (typeof callers)[number]);
    const seen = await Promise.all(requests.map(({ headers }) => sees(headers)));
    expect(seen.map(String)).toEqual(requests.map(({ key }) => key));
  });

  it('reads times in UTC from a login with another time zone', async () => {
    const [tenant] = (
      await runStatement(postgres.databaseUrl('tollgate'), "SELECT created_at FROM tenant WHERE key = 'acme'")
    ).rows;
    const { data } = await app.graphql('{ tenant(key: "acme") { createdAt } }');
    expect(new Date(data.tenant.createdAt)).toEqual(tenant.created_at);
  });

  it('is refused for migrations, and for a login that it does not know', async () => {
    await expect(deploy(pooler.through(owner), pooler.through(direct))).rejects.toThrow(
      /^DATABASE_MIGRATION_URL: 127\.0\.0\.1:\d+ is a connection pooler\. Migrations need the address of Postgres itself\.$/,
    );
    const unknown = pooler.through(withLogin(direct, 'unknown_to_pooler', 'secret'));
    await expect(deploy(owner, unknown)).rejects.toThrow(
      /Postgres accepts the login unknown_to_pooler, but 127\.0\.0\.1:\d+ does not/,
    );
  });

  it('is refused at start in statement mode', async () => {
    const statements = await startPgBouncer(postgres.url, [direct], { poolSize: 2, mode: 'statement' });
    const database = new Database(
      testConfig({ databaseUrl: statements.through(direct), redisUrl: app.redisUrl }),
    );
    const { blockers } = await database.checkLogin().finally(async () => {
      await database.onApplicationShutdown();
      await statements.stop();
    });
    expect(blockers).toEqual([expect.stringContaining('Use transaction mode: pool_mode = transaction.')]);
  });

  it('reports a stopped Postgres as unavailable, though PgBouncer accepts connections', async () => {
    const config = testConfig({ databaseUrl: pooler.through(direct), redisUrl: app.redisUrl });
    const database = new Database(config);
    const count = () => runInScope('all', () => database.client.tenant.count());
    expect(await count()).toBe(2);
    await postgres.stop();
    const answer = () => count().catch((error: Error) => error.message);
    await expect.poll(answer).toContain('The database is unavailable.');
    await database.onApplicationShutdown();
  });
});
