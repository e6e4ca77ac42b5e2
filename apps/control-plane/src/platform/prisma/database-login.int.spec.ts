import { runStatement, withLogin } from '@tollgate/database';
import { StartError } from '@tollgate/logging';
import { createTestDatabase, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testConfig } from '../../../test/support/test-app.js';
import type { Log } from '../log.js';
import { Database } from './database.js';
import { DatabaseLogin } from './database-login.js';

const PRODUCTION = { PUBLIC_URL: 'https://tollgate.example.com', ALLOW_INSECURE: 'unsigned-policy' };

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

/** Starts the check of a process that has these variables, and stops it. */
async function start(databaseUrl: string, more: Record<string, string> = {}) {
  const config = testConfig({ databaseUrl, redisUrl: 'redis://127.0.0.1:1' }, { ...PRODUCTION, ...more });
  const database = new Database(config);
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() } satisfies Log;
  try {
    await new DatabaseLogin(config, database, log).onApplicationBootstrap();
    return log;
  } finally {
    await database.onApplicationShutdown();
  }
}

describe('the check of the database login at start', () => {
  it('accepts the login that setup creates', async () => {
    expect((await start(testDatabase.url)).warn).not.toHaveBeenCalled();
  });

  it('refuses a superuser in production, in one line with the fix', async () => {
    await expect(start(testDatabase.ownerUrl)).rejects.toThrow(
      /^Invalid configuration:\n {2}DATABASE_URL: .* the login postgres: it has the attribute SUPERUSER\. .*setup creates it.*$/,
    );
  });

  it('refuses BYPASSRLS in production', async () => {
    await runStatement(
      testDatabase.ownerUrl,
      "CREATE ROLE bypassing LOGIN PASSWORD 'secret' BYPASSRLS IN ROLE tollgate_app",
    );
    const url = withLogin(testDatabase.ownerUrl, 'bypassing', 'secret');
    try {
      await expect(start(url)).rejects.toThrow(/attribute BYPASSRLS/);
    } finally {
      await runStatement(testDatabase.ownerUrl, 'DROP ROLE bypassing');
    }
  });

  it.each([
    ['on loopback', { PUBLIC_URL: 'http://127.0.0.1:4000' }],
    ['with ALLOW_INSECURE=database-login', { ALLOW_INSECURE: 'unsigned-policy,database-login' }],
  ])('warns of a superuser %s', async (_case, more) => {
    const { warn } = await start(testDatabase.ownerUrl, more);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ login: 'postgres' }),
      'unsafe database login',
    );
  });

  it('refuses a login that may not switch to the role of the application', async () => {
    await runStatement(testDatabase.ownerUrl, "CREATE ROLE unprepared LOGIN PASSWORD 'secret'");
    try {
      await expect(start(withLogin(testDatabase.ownerUrl, 'unprepared', 'secret'))).rejects.toThrow(
        'The login unprepared may not switch to the role tollgate_app. Run setup; it grants the role or prints the SQL.',
      );
    } finally {
      await runStatement(testDatabase.ownerUrl, 'DROP ROLE unprepared');
    }
  });

  it('refuses a login that Postgres refuses, with its address and without the password', async () => {
    const url = withLogin(testDatabase.ownerUrl, 'unknown_login', 'hunter2');
    const error: Error = await start(url).then(
      () => new Error('started'),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(StartError);
    const { host } = new URL(url);
    expect(error.message).toBe(
      `Postgres at ${host} refused the login of DATABASE_URL: wrong user or password. Correct DATABASE_URL, or run setup, which creates the login and the database.`,
    );
  });

  it('refuses a scope key that the database does not know', async () => {
    const other = { DATABASE_SCOPE_SECRETS: 'Rf4Jm8Xc2Vt6Ln9Kb1Wz5Hq7Pd3Ys0Ga' };
    await expect(start(testDatabase.url, other)).rejects.toThrow(/DATABASE_SCOPE_SECRETS.*\n?.*Run setup/s);
  });

  it('starts while Postgres is unavailable, and logs that it checks the login later', async () => {
    const { warn } = await start('postgresql://nobody:secret@127.0.0.1:1/none');
    expect(warn).toHaveBeenCalledWith(expect.anything(), 'database unavailable; its login is checked later');
  });
});
