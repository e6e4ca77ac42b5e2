// Usage at the scale of 100 million decisions: latency of charts, summaries and rankings compared with an index scan of the
// same rows, and the time to count a batch of frames and to delete expired rows.
// Usage: pnpm bench usage [--tenants 2000] [--scale 1]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPrismaClient, type PrismaClient, scopeKeyOf, signSetting } from '@tollgate/database';
import { startPostgres } from '@tollgate/embedded';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';
import { readOptions } from '../measure.ts';

const SECRET = 'a secret of no use to anybody, long enough';
const ENTER_PLATFORM_SCOPE = `SELECT set_config('tollgate.scope', '${signSetting(scopeKeyOf(SECRET), 'tollgate.scope', 'all')}', true)`;
const RUNS = 40;
const { tenants: TENANTS, scale: SCALE } = readOptions({ tenants: 2000, scale: 1 });

/** Series of a tenant: five operations that passed, two of them also denied. */
const SERIES = 7;

/** Kept points of each series: a tenant is not busy all the time. */
const FILLS = {
  usage_minute: { step: '1 minute', points: Math.round(120 * SCALE) },
  usage_hour: { step: '1 hour', points: Math.round(24 * 14 * SCALE) },
  usage_day: { step: '1 day', points: Math.round(100 * SCALE) },
};

/** Decisions of a day of a series: 2,000 tenants × 7 series × 100 days × 72 are 100 million. */
const PER_DAY = 72;

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-usage-'));
const postgres = await startPostgres({
  dataDir: path.join(folder, 'postgres'),
  durable: false,
  settings: ['shared_buffers=512MB'],
});
try {
  const url = postgres.databaseUrl('tollgate');
  const applicationUrl = await migrateForApplication(url, SECRET);
  const owner = createPrismaClient(url, { max: 1 });
  await fill(owner);
  const app = createPrismaClient(applicationUrl, { max: 1 });
  await measureQueries(app);
  await measureWrites(app);
  await Promise.all([owner.$disconnect(), app.$disconnect()]);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(database: PrismaClient): Promise<void> {
  const startMs = performance.now();
  await database.$executeRawUnsafe(`
    INSERT INTO usage_series (api, operation, limit_name, outcome)
    SELECT 'shop', 'op' || (i % 5), 'per-minute', (CASE WHEN i < 5 THEN 'ALLOWED' ELSE 'DENIED' END)::"UsageOutcome"
    FROM generate_series(0, ${SERIES - 1}) i`);
  await database.$executeRawUnsafe(`
    INSERT INTO tenant (id, key, name, updated_at)
    SELECT 'ten_' || lpad(i::text, 32, '0'), 'tenant-' || i, 'Tenant ' || i, now() FROM generate_series(1, ${TENANTS}) i`);
  let rows = 0;
  for (const [table, { step, points }] of Object.entries(FILLS)) {
    rows += await database.$executeRawUnsafe(`
      INSERT INTO ${table} (tenant_id, at, series_id, count, units)
      SELECT 'ten_' || lpad(t::text, 32, '0'), date_trunc('${step.split(' ')[1]}', now()) - p * interval '${step}', s,
        ${table === 'usage_day' ? PER_DAY : 1 + (table === 'usage_hour' ? 1 : 0)}, 2
      FROM generate_series(0, ${points - 1}) p, generate_series(1, ${TENANTS}) t, generate_series(1, ${SERIES}) s`);
    await database.$executeRawUnsafe(`VACUUM ANALYZE ${table}`);
  }
  const [size] = await database.$queryRawUnsafe<{ size: string }[]>(
    `SELECT pg_size_pretty(pg_total_relation_size('usage_minute') + pg_total_relation_size('usage_hour')
      + pg_total_relation_size('usage_day')) AS size`,
  );
  const decisions = TENANTS * SERIES * FILLS.usage_day.points * PER_DAY;
  console.log(
    `${TENANTS} tenants, ${(decisions / 1e6).toFixed(0)} M decisions, ${(rows / 1e6).toFixed(1)} M rows, ${size?.size}, ` +
      `filled in ${((performance.now() - startMs) / 1000).toFixed(0)} s`,
  );
}

async function measureQueries(database: PrismaClient): Promise<void> {
  const chart = (table: string, since: string, columns: string) => (tenant: string) => ({
    text: `SELECT u.at, ${columns}, sum(u.count), sum(u.count) FILTER (WHERE s.outcome = 'DENIED'), sum(u.units)
      FROM ${table} u JOIN usage_series s ON s.id = u.series_id
      WHERE u.tenant_id = '${tenant}' AND u.at >= now() - interval '${since}' GROUP BY 1, 2 ORDER BY 1`,
    raw: `SELECT count(*) FROM ${table} WHERE tenant_id = '${tenant}' AND at >= now() - interval '${since}'`,
  });
  const top = (table: string, since: string) => () => ({
    text: `SELECT t.key, x.c FROM (
        SELECT u.tenant_id, sum(u.count) AS c, sum(u.count) FILTER (WHERE s.outcome = 'DENIED'), sum(u.units)
        FROM ${table} u JOIN usage_series s ON s.id = u.series_id WHERE u.at >= now() - interval '${since}' GROUP BY 1
      ) x JOIN tenant t ON t.id = x.tenant_id ORDER BY x.c DESC LIMIT 10`,
    raw: `SELECT count(count) FROM ${table} WHERE at >= now() - interval '${since}'`,
  });
  const questions = {
    'chart, 2 hours': chart('usage_minute', '2 hours', 's.operation'),
    'chart, 14 days by hour': chart('usage_hour', '14 days', 's.outcome'),
    'chart, 100 days': chart('usage_day', '100 days', 's.operation'),
    'sum of a period': chart('usage_day', '30 days', "''"),
    'top tenants, 24 hours': top('usage_hour', '24 hours'),
    'top tenants, 30 days': top('usage_day', '30 days'),
  };
  for (const [name, ask] of Object.entries(questions)) {
    const askedMs: number[] = [];
    const rawMs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const { text, raw } = ask(`ten_${`${1 + ((run * 379) % TENANTS)}`.padStart(32, '0')}`);
      rawMs.push(await timed(database, raw));
      askedMs.push(await timed(database, text));
    }
    const [p50, p99, least] = [percentile(askedMs, 0.5), percentile(askedMs, 0.99), percentile(rawMs, 0.5)];
    console.log(
      `${name.padEnd(24)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; scan of its rows alone p50 ${least.toFixed(1)} ms: ` +
        `${(p50 / least).toFixed(2)} times`,
    );
  }
}

/** As the application asks: in a transaction that says whose rows it may see. */
async function timed(database: PrismaClient, text: string): Promise<number> {
  const startMs = performance.now();
  await database.$transaction([
    database.$executeRawUnsafe(ENTER_PLATFORM_SCOPE),
    database.$queryRawUnsafe(text),
  ]);
  return performance.now() - startMs;
}

async function measureWrites(database: PrismaClient): Promise<void> {
  const addMs: number[] = [];
  for (let batch = 0; batch < 10; batch++) {
    const startMs = performance.now();
    await database.$transaction(
      [
        ENTER_PLATFORM_SCOPE,
        ...['usage_minute', 'usage_hour', 'usage_day'].map(
          (
            table,
          ) => `INSERT INTO ${table} AS kept SELECT tenant_id, at + interval '1 year', series_id, 1, 1 FROM ${table}
            WHERE tenant_id < 'ten_${`${Math.min(TENANTS, 700)}`.padStart(32, '0')}'
              AND at = (SELECT max(at) FROM ${table} WHERE at <= now()) LIMIT 5000
            ON CONFLICT (tenant_id, at, series_id) DO UPDATE SET count = kept.count + excluded.count, units = kept.units + excluded.units`,
        ),
      ].map((text) => database.$executeRawUnsafe(text)),
    );
    addMs.push(performance.now() - startMs);
  }
  console.log(
    `adding a batch of 5,000 series to minute, hour and day: p50 ${percentile(addMs, 0.5).toFixed(0)} ms`,
  );
  const startMs = performance.now();
  let removed = 0;
  for (let chunk = 0; chunk < 20; chunk++) {
    const [, count] = await database.$transaction([
      database.$executeRawUnsafe(ENTER_PLATFORM_SCOPE),
      database.$executeRawUnsafe(`DELETE FROM usage_minute WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM usage_minute WHERE at < now() - interval '40 minutes' LIMIT 10000))`),
    ]);
    removed += count;
  }
  const perSecond = removed / ((performance.now() - startMs) / 1000);
  console.log(
    `retention: ${removed} rows in chunks of 10,000, ${Math.round(perSecond).toLocaleString('en')} rows/s`,
  );
}

function percentile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
