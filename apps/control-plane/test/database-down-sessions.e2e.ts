import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { runStatement } from '@tollgate/database';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { createTestRedis, TEST_SCOPE_SECRET } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.js';
import { AuthService } from '../src/features/identity/index.js';
import { Database } from '../src/platform/prisma/database.js';
import { migrateForApplication } from './support/migrated-database.js';
import { cookieOf, ORIGIN, PASSWORD, testConfig } from './support/test-app.js';

const EMAIL = 'owner@example.com';
const UNAVAILABLE = { status: 503, retryAfter: '1', code: 'UNAVAILABLE' };

const home = mkdtempSync(path.join(tmpdir(), 'tollgate-database-down-'));
const dataDir = path.join(home, 'postgres');
let postgres: EmbeddedPostgres;
let redis: Awaited<ReturnType<typeof createTestRedis>>;
let app: NestFastifyApplication;
let url: string;
let headers: Record<string, string>;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres({ dataDir, durable: true }), createTestRedis()]);
  const databaseUrl = await migrateForApplication(postgres.databaseUrl('tollgate'), TEST_SCOPE_SECRET);
  const config = testConfig({ databaseUrl, redisUrl: redis.url }, { WORKER: 'separate' });
  app = await createApp(config);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
  const operator = { email: EMAIL, name: 'Owner', role: 'OWNER' as const, password: PASSWORD };
  await app.get(AuthService, { strict: false }).ensureOperator(operator);
  headers = { origin: ORIGIN, 'content-type': 'application/json' };
  headers.cookie = cookieOf(await signIn());
});

afterAll(async () => {
  await app.close();
  await Promise.all([postgres.stop(), redis.stop()]);
  rmSync(home, { recursive: true, force: true });
});

const post = (route: string, body: object) =>
  fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
const get = (route: string) => fetch(`${url}${route}`, { headers });
const signIn = () => post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD });

const requests: Record<string, () => Promise<Response>> = {
  'a query': () => post('/graphql', { query: '{ viewer { id } }' }),
  'a mutation': () =>
    post('/graphql', {
      query: 'mutation { tenantCreate(input: { key: "a", name: "A", tierKey: "basic" }) { changeId } }',
    }),
  'a subscription': () => post('/graphql/stream', { query: 'subscription { noticeAdded { id } }' }),
  'an audit export': () => get('/api/audit/export'),
  'the session': () => get('/api/auth/get-session'),
  'a sign-in': signIn,
  'a sign-out': () => post('/api/auth/sign-out', {}),
  'a sign-in link': () => get('/api/auth/magic-link/verify?token=abcdefghijklmnopqrstuvwxyzABCDEF'),
};

/** Status, `Retry-After` and code of a response with any body. */
async function shapeOf(response: Response) {
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    code: /"code":"([A-Z_]+)"/.exec(text)?.[1],
  };
}

async function crash(): Promise<void> {
  postgres.kill('SIGKILL');
  await postgres.exited;
}

async function restart(): Promise<void> {
  postgres = await startPostgres({ dataDir, durable: true, port: postgres.port });
}

describe('Postgres is killed under a signed-in session', () => {
  it('returns UNAVAILABLE with Retry-After everywhere, and the session stays valid', async () => {
    await crash();
    try {
      for (const [what, send] of Object.entries(requests)) {
        expect({ what, ...(await shapeOf(await send())) }).toEqual({ what, ...UNAVAILABLE });
      }
    } finally {
      await restart();
    }
    const query = requests['a query'] as () => Promise<Response>;
    await expect.poll(async () => (await query()).status).toBe(200);
    expect(await (await query()).json()).toMatchObject({ data: { viewer: { id: expect.any(String) } } });
  });

  it('cuts an open subscription, so that its client reconnects', async () => {
    const subscribe = requests['a subscription'] as () => Promise<Response>;
    const response = await subscribe();
    expect(response.status).toBe(200);
    const read = response.text();
    await crash();
    try {
      // Clients do not reopen a stream that ended with `complete`.
      await expect(read).rejects.toThrow(/terminated/);
    } finally {
      await restart();
    }
  });

  it.each([
    ['is killed', () => crash().then(restart)],
    ['terminates the connection', terminateConnections],
  ])('fails a transaction with UNAVAILABLE if Postgres %s in the middle', async (_how, interrupt) => {
    const database = app.get(Database, { strict: false });
    const begun = Promise.withResolvers<void>();
    const interrupted = Promise.withResolvers<void>();
    const transaction = database.transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS one`;
      begun.resolve();
      await interrupted.promise;
      await tx.$queryRaw`SELECT 2 AS two`;
    });
    const outcome = transaction.then(
      () => 'committed',
      (error: unknown) => error,
    );
    await begun.promise;
    await interrupt();
    interrupted.resolve();
    expect(await outcome).toMatchObject({ code: 'UNAVAILABLE' });
    const query = requests['a query'] as () => Promise<Response>;
    await expect.poll(async () => (await query()).status).toBe(200);
  });
});

/** Like an administrator or a failover of a managed Postgres. */
async function terminateConnections(): Promise<void> {
  await runStatement(
    postgres.databaseUrl('tollgate'),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
}
