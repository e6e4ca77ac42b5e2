import { createPrismaClient } from '@tollgate/database';
import { createTestDatabase, TEST_SCOPE_SECRET, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConfig } from '../../config/app-config.js';
import { newRequestScope, runInRequest, runInScope, setRequestOperation } from '../tenant-scope.js';
import { Database } from './database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({
    databaseUrl: testDatabase.url,
    databaseMaxConnections: 4,
    databaseScopeSecrets: [TEST_SCOPE_SECRET],
  } as unknown as AppConfig);
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await testDatabase.drop();
});

/** Locks the table of tenants. Returns the function that releases it. */
async function lockTenants(): Promise<() => Promise<unknown>> {
  const client = createPrismaClient(testDatabase.ownerUrl, { max: 1 });
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holder = client.$transaction(
    async (tx) => {
      await tx.$executeRaw`LOCK TABLE "tenant" IN ACCESS EXCLUSIVE MODE`;
      locked.resolve();
      await released.promise;
    },
    { timeout: 600_000 },
  );
  await Promise.race([locked.promise, holder]);
  return async () => {
    released.resolve();
    await holder;
    await client.$disconnect();
  };
}

/** Runs `work` as a request with this root field. */
function inRequest<T>(operation: string, work: () => PromiseLike<T>): Promise<T> {
  return runInRequest(newRequestScope({ requestId: `req_${operation}` }), () => {
    setRequestOperation(operation, false);
    return runInScope('all', work);
  });
}

const readTimeouts = (tx: Pick<Database['client'], '$queryRaw'> = database.client) =>
  tx.$queryRaw`SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`;

describe('while a table is locked', () => {
  it('other tables and readiness respond, however many requests wait for the table', async () => {
    const release = await lockTenants();
    const waiting = Array.from({ length: 8 }, () =>
      inRequest('tenants', () => database.client.tenant.count()).catch(() => undefined),
    );
    try {
      expect(await inRequest('apis', () => database.client.api.count())).toBe(0);
      expect(await inRequest('apiCreate', () => database.transaction((tx) => tx.api.count()))).toBe(0);
      await database.ping();
    } finally {
      await release();
      await Promise.all(waiting);
    }
  });

  it('a statement that waits too long for it is UNAVAILABLE', async () => {
    const release = await lockTenants();
    try {
      for (const setting of ['lock_timeout', 'statement_timeout']) {
        const waiting = database.transaction(async (tx) => {
          await tx.$executeRaw`SELECT set_config(${setting}, '1', true)`;
          await tx.tenant.count();
        });
        await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      }
    } finally {
      await release();
    }
  });
});

describe('timeouts of Postgres', () => {
  it('differ for statements and transactions of requests, and for jobs', async () => {
    const statement = await inRequest('apis', () => readTimeouts());
    const transaction = await inRequest('apis', () => database.transaction((tx) => readTimeouts(tx)));
    const job = await runInScope('all', () => readTimeouts(), { job: 'purchases' });
    expect([statement, transaction, job]).toEqual([
      [{ lock: '3s', statement: '15s' }],
      [{ lock: '10s', statement: '15s' }],
      [{ lock: '15s', statement: '10min' }],
    ]);
  });

  it('grow with the timeout of a longer transaction', async () => {
    const options = { timeout: 60_000 };
    const long = await inRequest('configApply', () =>
      database.transaction((tx) => readTimeouts(tx), options),
    );
    expect(long).toEqual([{ lock: '1min', statement: '1min' }]);
  });

  it('are those of the server outside of requests and jobs', async () => {
    expect(await readTimeouts()).toEqual([{ lock: '0', statement: '0' }]);
  });
});
