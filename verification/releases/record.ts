// pnpm release:record: writes verification/releases/previous-release.json.gz, which the tests of the next release start from. Runs the product
// with its demo data, and the tests of the control plane for their statements. Needs a build; takes about ten minutes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { runStatement } from '@tollgate/database';
import { startPostgres, startRedis } from '@tollgate/embedded';
import { STATEMENT_LOG_SETTINGS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { findRejected, hashMigrations, RECORDING, type ReleaseRecording } from './recording.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APPLICATIONS = new Set(['tollgate_control_plane', 'tollgate_test_application']);
/** Rows recorded of each table that no other table references. */
const MAX_ROWS = 300;
const READY_WITHIN_MS = 300_000;

const home = mkdtempSync(path.join(tmpdir(), 'tollgate-record-'));
const logs = ['product', 'tests'].map((name) => path.join(home, `${name}.log`)) as [string, string];
const postgres = await startPostgres({
  dataDir: path.join(home, 'postgres'),
  durable: false,
  settings: STATEMENT_LOG_SETTINGS,
  logFile: logs[0],
});
const redis = await startRedis({ dir: path.join(home, 'redis'), durable: false });
const client = new Redis(redis.url);
const databaseUrl = postgres.databaseUrl('tollgate');
const productHome = path.join(home, 'product');
const product = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], {
  env: {
    ...process.env,
    TOLLGATE_HOME: productHome,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    DEMO_HISTORY_DAYS: '1',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
try {
  await until(() => existsSync(path.join(productHome, 'dev.json')), product);
  await until(
    async () => (await client.xlen('tg:usage')) > 5 && (await client.xlen('tg:journal')) > 5,
    product,
  );
  const rows = await readRows();
  const records = await readRecords();
  await stop(product);
  const tests = spawn(
    path.join(ROOT, 'node_modules/.bin/vitest'),
    ['run', '--project', 'control-plane', ...process.argv.slice(2)],
    {
      cwd: ROOT,
      env: { ...process.env, TEST_STATEMENT_LOG: logs[1] },
      stdio: 'inherit',
    },
  );
  const [code] = await once(tests, 'exit');
  if (code !== 0) console.error('Some tests failed: their statements may be missing.');
  const statements = await readStatements();
  const { version } = createRequire(import.meta.url)(path.join(ROOT, 'package.json'));
  const recording: ReleaseRecording = { version, migrations: hashMigrations(), rows, statements, ...records };
  const bytes = gzipSync(JSON.stringify(recording), { level: 9 });
  writeFileSync(RECORDING, bytes);
  console.log(
    `${version}: ${statements.length} statements, ${Object.values(rows).flat().length} rows, ${bytes.length} bytes`,
  );
} finally {
  await stop(product);
  client.disconnect();
  await redis.stop();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}

async function until(isTrue: () => boolean | Promise<boolean>, part: ChildProcess): Promise<void> {
  for (const endMs = performance.now() + READY_WITHIN_MS; !(await isTrue()); await delay(200))
    if (part.exitCode !== null || performance.now() > endMs) throw new Error('The product did not start.');
}

async function stop(part: ChildProcess): Promise<void> {
  if (part.exitCode !== null || part.signalCode !== null) return;
  part.kill('SIGINT');
  await once(part, 'exit');
}

async function readRows(): Promise<ReleaseRecording['rows']> {
  const tables = await runStatement(
    databaseUrl,
    `SELECT relname AS "name", EXISTS (SELECT FROM pg_constraint WHERE confrelid = c.oid) AS "isReferenced" FROM pg_class c
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('_prisma_migrations', 'scope_key')
     ORDER BY 1`,
  );
  const rows: ReleaseRecording['rows'] = {};
  for (const { name, isReferenced } of tables.rows) {
    const limit = isReferenced ? '' : `LIMIT ${MAX_ROWS}`;
    const found = await runStatement(
      databaseUrl,
      `SELECT row_to_json(t) AS "row" FROM (SELECT * FROM "${name}" ${limit}) t`,
    );
    rows[name] = found.rows.map(({ row }) => row);
  }
  return rows;
}

async function readRecords() {
  const keys = (await client.keys('tg:policy:*')).sort();
  const values = await client.mget(keys);
  const policy = Object.fromEntries(keys.map((key, i) => [key, values[i] ?? '']));
  const textsOf = async (stream: string) =>
    (await client.xrevrange(stream, '+', '-', 'COUNT', 20)).map(([, fields]) => fields[1] ?? '');
  const secrets = JSON.parse(readFileSync(path.join(productHome, 'secrets.json'), 'utf8'));
  return {
    policyKey: secrets.policyKey.public as string,
    policy,
    lastGoodPolicy: readFileSync(path.join(productHome, 'decision-api/last-good-policy.json'), 'utf8'),
    usageFrames: await textsOf('tg:usage'),
    journalEntries: await textsOf('tg:journal'),
    nodeReports: await client.hvals('tg:nodes'),
  };
}

/** Statements of the application in both logs that the schema accepts; of those that differ in values only, the shortest. */
async function readStatements(): Promise<string[]> {
  const byForm = new Map<string, string>();
  for (const log of logs)
    for await (const statement of statementsIn(log)) {
      const form = statement
        .replaceAll(/'(?:[^']|'')*'|\$?\b\d+\b/g, '?')
        .replaceAll(/\?(?:\s*,\s*\?)+/g, '?')
        .replaceAll(/\(\?\)(?:\s*,\s*\(\?\))+/g, '(?)');
      const known = byForm.get(form);
      if (known === undefined || statement.length < known.length) byForm.set(form, statement);
    }
  const statements = [...byForm.values()].sort();
  const rejections = await findRejected(databaseUrl, statements);
  for (const { statement, error } of rejections)
    console.error(`Left out: ${error}: ${statement.slice(0, 200)}`);
  const rejected = new Set(rejections.map(({ statement }) => statement));
  return statements.filter((statement) => !rejected.has(statement));
}

async function* statementsIn(log: string): AsyncGenerator<string> {
  let lines: string[] | undefined;
  for await (const line of createInterface({
    input: createReadStream(log),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (line.startsWith('\t')) {
      lines?.push(line.slice(1));
      continue;
    }
    const statement = lines?.join('\n').trim() ?? '';
    if (/^(?:SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i.test(statement)) yield statement;
    const [, user = '', text = ''] = /^(\w+)@LOG: {2}(?:execute [^:]+|statement): (.*)$/.exec(line) ?? [];
    lines = APPLICATIONS.has(user) ? [text] : undefined;
  }
}
