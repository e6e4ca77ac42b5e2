import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployDatabase } from '@tollgate/database';
import { startPostgres } from '@tollgate/embedded';
import type { TestProject } from 'vitest/node';
import { startPgBouncer } from './pgbouncer.js';
import { applicationUrl, TEST_SCOPE_SECRET, type TestServices } from './test-database.js';

interface Running {
  services: TestServices;
  stop(): Promise<void>;
}

/** `pnpm test:upgrade` of the next release runs these tests on its migrations. */
const MIGRATIONS =
  process.env.TEST_MIGRATIONS ?? fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
/** Settings of Postgres that log each statement after its user. */
export const STATEMENT_LOG_SETTINGS = [
  'log_statement=all',
  'log_parameter_max_length=0',
  'log_line_prefix=%u@',
];

const TEMPLATE = 'tollgate_template';

// Vitest loads this file once per project; all share one server.
const shared = globalThis as { tollgateTestServices?: { running: Promise<Running>; users: number } };

/**
 * One Postgres for the whole run, with a migrated template database. With TEST_PGBOUNCER=true, the application's
 * connections go through PgBouncer in transaction mode with six server connections.
 */
export default async function setUpServices(project: TestProject): Promise<() => Promise<void>> {
  shared.tollgateTestServices ??= { running: start(), users: 0 };
  const { tollgateTestServices: entry } = shared;
  entry.users += 1;
  const running = await entry.running;
  project.provide('testServices', running.services);
  return async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    delete shared.tollgateTestServices;
    await running.stop();
  };
}

async function start(): Promise<Running> {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const logFile = process.env.TEST_STATEMENT_LOG;
  const postgres = await startPostgres({
    dataDir: path.join(home, 'postgres'),
    durable: false,
    settings: ['max_connections=300', ...(logFile === undefined ? [] : STATEMENT_LOG_SETTINGS)],
    ...(logFile === undefined ? {} : { logFile }),
  });
  const template = postgres.databaseUrl(TEMPLATE);
  await deployDatabase({
    ownerUrl: template,
    appUrl: applicationUrl(template),
    migrationsDir: MIGRATIONS,
    scopeSecrets: [TEST_SCOPE_SECRET],
  });
  const pooler =
    process.env.TEST_PGBOUNCER === 'true'
      ? await startPgBouncer(postgres.url, [applicationUrl(template)], { poolSize: 6 })
      : undefined;
  return {
    services: {
      postgresUrl: postgres.url,
      templateDatabase: TEMPLATE,
      poolerUrl: pooler?.through(postgres.url),
    },
    stop: async () => {
      await pooler?.stop();
      await postgres.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
