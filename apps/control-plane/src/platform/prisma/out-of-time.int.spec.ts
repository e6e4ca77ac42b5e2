import { createTestDatabase, TEST_SCOPE_SECRET, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConfig } from '../../config/app-config.js';
import { Database } from './database.js';

const UNAVAILABLE = { code: 'UNAVAILABLE', extensions: { http: { status: 503 } } };

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({
    databaseUrl: testDatabase.url,
    databaseMaxConnections: 1,
    databaseScopeSecrets: [TEST_SCOPE_SECRET],
  } as unknown as AppConfig);
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await testDatabase.drop();
});

describe('a statement of the client within a transaction', () => {
  it('joins the transaction instead of waiting for a second connection', async () => {
    const count = await database.transaction(async (tx) => {
      await tx.api.create({ data: { id: 'api_joined', key: 'joined', name: 'Joined' } });
      const [row] = await database.client.$queryRaw<
        { n: number }[]
      >`SELECT count(*)::int AS n FROM "api" WHERE "key" = ${'joined'}`;
      expect(await database.client.$queryRawUnsafe('SELECT $1::int AS n', 7)).toEqual([{ n: 7 }]);
      expect(await database.client.api.count({ where: { key: 'joined' } })).toBe(1);
      return row?.n;
    });
    expect(count).toBe(1);
  });

  it('is rolled back with it', async () => {
    const failed = database.transaction(async () => {
      await database.client.api.create({ data: { id: 'api_gone', key: 'gone', name: 'Gone' } });
      throw new Error('fails');
    });
    await expect(failed).rejects.toThrow('fails');
    expect(await database.client.api.count({ where: { key: 'gone' } })).toBe(0);
  });

  it('takes a connection of the pool again after the end of the transaction', async () => {
    const after = await database.transaction(
      async () => () => database.client.api.count({ where: { key: 'none' } }),
    );
    expect(await after()).toBe(0);
  });

  it('cannot open a second transaction', async () => {
    const nested = database.transaction(async () => database.transaction(async () => undefined));
    await expect(nested).rejects.toThrow('A transaction is open already');
  });
});

describe('a transaction that Postgres does not finish in time', () => {
  it('is UNAVAILABLE where every connection is in use', async () => {
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const holder = database.transaction(async () => {
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const late = database.transaction(async (tx) => tx.tenant.count(), { maxWait: 50 });
    await expect(late).rejects.toMatchObject(UNAVAILABLE);
    ended.resolve();
    await holder;
  });

  it('is UNAVAILABLE where it takes too long, and changes nothing', async () => {
    const apis = () => database.transaction((tx) => tx.api.count());
    const before = await apis();
    const slow = database.transaction(
      async (tx) => {
        await tx.api.create({ data: { id: 'api_slow', key: 'slow', name: 'Slow' } });
        await tx.$queryRaw`SELECT 1 AS n FROM pg_sleep(0.3)`;
        await tx.api.count();
      },
      { timeout: 200 },
    );
    await expect(slow).rejects.toMatchObject(UNAVAILABLE);
    expect(await apis()).toBe(before);
  });

  it('is an internal error when a transaction is used after its end', async () => {
    let kept: Parameters<Parameters<typeof database.transaction>[0]>[0] | undefined;
    await database.transaction(async (tx) => {
      kept = tx;
    });
    await expect(kept?.api.count()).rejects.not.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
