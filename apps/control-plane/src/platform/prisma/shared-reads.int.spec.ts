import { createTestDatabase, TEST_SCOPE_SECRET, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConfig } from '../../config/app-config.js';
import {
  newRequestScope,
  runInRequest,
  type Scope,
  setRequestOperation,
  setRequestScope,
} from '../tenant-scope.js';
import { Database } from './database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({
    databaseUrl: testDatabase.url,
    databaseMaxConnections: 6,
    databaseScopeSecrets: [TEST_SCOPE_SECRET],
  } as unknown as AppConfig);
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await testDatabase.drop();
});

function inRequest<T>(kind: 'query' | 'mutation', work: () => Promise<T>): Promise<T> {
  return runInRequest(newRequestScope({ requestId: 'req_1' }), () => {
    setRequestOperation('tenants', kind === 'query');
    setRequestScope('all');
    return work();
  });
}

interface Transaction {
  begunAt: string;
  connection: number;
  scope: string;
}

/** The transaction that a read runs in. */
async function readTransaction(): Promise<Transaction> {
  const [row] = await database.client.$queryRaw<[Transaction]>`
    SELECT now()::text AS "begunAt", pg_backend_pid() AS "connection", current_setting('tollgate.scope') AS "scope"`;
  return row;
}

describe('reads of a GraphQL query', () => {
  it('share a transaction if they follow each other immediately', async () => {
    const [first, second] = await inRequest('query', async () => {
      const before = await readTransaction();
      await database.client.tenant.count();
      return [before, await readTransaction()];
    });
    expect(second).toEqual(first);
  });

  it('run one after the other in it if they begin together', async () => {
    const all = await inRequest('query', () => Promise.all([1, 2, 3].map(() => readTransaction())));
    expect(new Set(all.map(({ begunAt }) => begunAt)).size).toBe(1);
  });

  it('use another transaction after other work, which holds no connection', async () => {
    const [first, second] = await inRequest('query', async () => {
      const before = await readTransaction();
      await expect.poll(() => database.countConnections().used).toBe(0);
      return [before, await readTransaction()];
    });
    expect(second?.begunAt).not.toBe(first?.begunAt);
  });

  it('succeed after a read that failed, and while it waits', async () => {
    await inRequest('query', async () => {
      const failing = database.client.$queryRaw`SELECT 1 / 0`;
      const waiting = readTransaction();
      await expect(failing).rejects.toThrow(/division by zero/);
      await waiting;
      expect(await database.client.tenant.count()).toBe(0);
    });
  });

  it('run in the scope of their root field', async () => {
    const scopes: Scope[] = ['all', ['ten_1'], 'all'];
    const read = await inRequest('query', async () => {
      const found: string[] = [];
      for (const scope of scopes) {
        setRequestScope(scope as 'all');
        found.push((await readTransaction()).scope);
      }
      return found;
    });
    expect(read[1]).not.toBe(read[0]);
    expect(read[2]).toBe(read[0]);
  });

  it('cannot write', async () => {
    const write = async () => await database.client.$queryRaw`UPDATE "tier" SET "name" = '' RETURNING 1`;
    await expect(inRequest('query', write)).rejects.toThrow(/read-only transaction/);
    expect(await inRequest('mutation', write)).toEqual([]);
  });
});

it('reads of a mutation do not share a transaction', async () => {
  const [first, second] = await inRequest('mutation', async () => [
    await readTransaction(),
    await readTransaction(),
  ]);
  expect(second?.begunAt).not.toBe(first?.begunAt);
});
