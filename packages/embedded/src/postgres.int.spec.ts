import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from './postgres.js';

let home: string;
let postgres: EmbeddedPostgres | undefined;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-postgres-'));
});

afterEach(async () => {
  await postgres?.stop();
  postgres = undefined;
  rmSync(home, { recursive: true, force: true });
});

const start = (options: { durable?: boolean; password?: string } = {}) =>
  startPostgres({ dataDir: path.join(home, 'data'), durable: options.durable ?? false, ...options });

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a killed server ends the session; the query itself reports it
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('answers queries as Postgres 18 with sessions in UTC', async () => {
  postgres = await start();
  const [row] = await query(postgres.url, "SELECT version(), current_setting('timezone') AS zone");
  expect(row?.version).toMatch(/^PostgreSQL 18\./);
  expect(row?.zone).toBe('UTC');
});

test('generates a password that only the owner can read, and rejects a wrong one', async () => {
  postgres = await start();
  const secretFile = path.join(home, 'data.secret');
  expect(statSync(secretFile).mode & 0o777).toBe(0o600);
  const password = readFileSync(secretFile, 'utf8').trim();
  expect(password.length).toBeGreaterThanOrEqual(32);
  const wrong = postgres.url.replace(password, 'postgres');
  await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
});

test('keeps committed rows when it is killed and started again', async () => {
  postgres = await start({ durable: true });
  await query(postgres.url, 'CREATE TABLE kept (id int)');
  await query(postgres.url, 'INSERT INTO kept VALUES (7)');
  postgres.kill('SIGKILL');
  await postgres.exited;
  postgres = await start({ durable: true });
  expect(await query(postgres.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
});

test('starts although a stale lock file names a live process that is not Postgres', async () => {
  postgres = await start();
  postgres.kill('SIGKILL');
  await postgres.exited;
  writeFileSync(path.join(home, 'data', 'postmaster.pid'), `${process.pid}\n`);
  postgres = await start();
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('rejects a directory that a live program uses and leaves that server running', async () => {
  postgres = await start();
  await expect(start()).rejects.toThrow(/is in use by process/);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('runs as the owner of the directory: another user when started by root', async () => {
  const isRoot = process.getuid?.() === 0;
  chmodSync(home, 0o711);
  mkdirSync(path.join(home, 'data'));
  if (isRoot) chownSync(path.join(home, 'data'), 65_534, 65_534);
  postgres = await start();
  expect(statSync(path.join(home, 'data', 'PG_VERSION')).uid).toBe(isRoot ? 65_534 : process.getuid?.());
});
