import { inspect } from 'node:util';
import { MemoryStore } from '@tollgate/limiter/stores';
import { describe, expect, it } from 'vitest';
import { ORIGIN, testConfig } from '../../../../test/support/test-app.js';
import { Log } from '../../../platform/log.js';
import { Database } from '../../../platform/prisma/database.js';
import type { RedisConnections } from '../../../platform/redis.js';
import { type AccountEvents, AccountHooks } from './account-events.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { AttemptLimits, KnownDevices } from './attempt-limits.js';
import { AUTH_PATH, createAuth } from './auth.js';

/** Records log entries. */
class RecordingLog extends Log {
  readonly entries: string[] = [];
  override debug(): void {}
  override info(): void {}
  override warn(facts: object): void {
    this.entries.push(inspect(facts));
  }
  override error(facts: object): void {
    this.entries.push(inspect(facts));
  }
}

describe('a sign-in while Postgres is unavailable', () => {
  it('returns an error whose cause is in the log and not in the response', async () => {
    const config = testConfig({
      databaseUrl: 'postgresql://nobody:hidden@127.0.0.1:1/none',
      redisUrl: 'redis://127.0.0.1:1',
    });
    const database = new Database(config);
    const log = new RecordingLog();
    const limiter = new AttemptLimiter({ counters: new MemoryStore() } as unknown as RedisConnections);
    const devices = new KnownDevices(config.sessionSecret, false);
    const limits = new AttemptLimits(limiter, devices);
    const hooks = new AccountHooks({ record: async () => {} } as unknown as AccountEvents, devices);
    const links = { signIn: () => {}, passwordReset: () => {} };
    const auth = createAuth({ config, database, log, limits, hooks, links });
    const request = new Request(`${ORIGIN}${AUTH_PATH}/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ email: 'admin@example.com', password: 'correct horse' }),
    });
    const response = await auth.handler(request);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/127\.0\.0\.1|hidden/);
    expect(log.entries).toContainEqual(expect.stringContaining('The database is unavailable'));
    expect(log.entries.join()).not.toContain('hidden');
    await database.onApplicationShutdown();
  });
});
