import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { UsageWorkerModule } from '../usage.modules.js';
import { UsageRetention } from './retention.job.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();

let services: TestServices;
let database: PrismaClient;

beforeAll(async () => {
  services = await startTestServices([UsageWorkerModule]);
  database = createPrismaClient(services.ownerUrl, { max: 2 });
});
afterAll(async () => {
  await database?.$disconnect();
  await services?.stop();
});

const run = () => services.context.get(UsageRetention, { strict: false }).run();
const ago = (ms: number) => new Date(NOW - ms);

it('keeps minutes for two days, hours for 90 days and days for three years', async () => {
  const fill = (table: string, from: Date, stepMs: number, count: number) =>
    database.$executeRawUnsafe(
      `INSERT INTO ${table} SELECT 'ten', to_timestamp($1::float8 - i * $2::float8), 1, 1, 1 FROM generate_series(0, $3) i`,
      from.getTime() / 1000,
      stepMs / 1000,
      count - 1,
    );
  // 100 of each are recent; more minutes are expired than one chunk deletes.
  await fill('usage_minute', ago(2 * DAY_MS - 100 * 60_000 - 30_000), -60_000, 100);
  await fill('usage_minute', ago(2 * DAY_MS + 60_000), 60_000, 25_000);
  await fill('usage_hour', ago(90 * DAY_MS - 100 * HOUR_MS - 60_000), -HOUR_MS, 100);
  await fill('usage_hour', ago(90 * DAY_MS + HOUR_MS), HOUR_MS, 50);
  await fill('usage_day', ago(1096 * DAY_MS - 100 * DAY_MS - 60_000), -DAY_MS, 100);
  await fill('usage_day', ago(1096 * DAY_MS + DAY_MS), DAY_MS, 50);
  await run();
  expect([
    await database.usageMinute.count(),
    await database.usageHour.count(),
    await database.usageDay.count(),
  ]).toEqual([100, 100, 100]);
});

it('keeps the newest sampled decisions by age and number', async () => {
  await database.$executeRaw`
    INSERT INTO decision_sample (tenant_id, request_id, at, node_id, api, operation, outcome, reason, cost, revision, delay_ms, subject, policies)
    SELECT 'ten', 'req_' || i, to_timestamp(${NOW / 1000}::float8 - CASE WHEN i <= 5 THEN ${(8 * DAY_MS) / 1000}::float8 ELSE 60 END),
      'n', 'shop', 'buy', 'ALLOWED', 'WITHIN_LIMIT', 1, 1, 0, '{}', '[]' FROM generate_series(1, 10) i`;
  await run();
  const kept = async () =>
    (await database.decisionSample.findMany({ orderBy: { id: 'asc' } })).map(({ requestId }) => requestId);
  expect(await kept()).toEqual(['req_6', 'req_7', 'req_8', 'req_9', 'req_10']);
});

describe('the size of sampled decisions', () => {
  const MAX_ROWS = 2000;
  /** As documented for DECISION_SAMPLE_MAX_ROWS. */
  const BYTES_PER_ROW = 1200;
  const MAX_BYTES = 240_000_000;
  let bounded: TestServices;
  let client: PrismaClient;
  beforeAll(async () => {
    bounded = await startTestServices([UsageWorkerModule], { DECISION_SAMPLE_MAX_ROWS: String(MAX_ROWS) });
    client = createPrismaClient(bounded.ownerUrl, { max: 2 });
  });
  afterAll(async () => {
    await client?.$disconnect();
    await bounded?.stop();
  });

  /** Rows as nodes sample them: two limits, two identifiers. */
  const add = (rows: number) => client.$executeRaw`
    INSERT INTO decision_sample (tenant_id, request_id, at, node_id, api, operation, limit_name, outcome, reason, cost, revision, delay_ms, retry_after, subject, policies)
    SELECT 'ten_' || gen_random_uuid(), gen_random_uuid(), now(), 'decision-api-7d9f8c6b5-x2x7k', 'url-shortener', 'createURL', 'create-minute',
      'DENIED', 'RATE_EXCEEDED', 1, 120345, 0, 42,
      jsonb_build_object('user', md5(i::text) || md5(i::text), 'ip', md5(i::text) || md5(i::text)),
      jsonb_build_array(
        jsonb_build_object('name', 'create-minute', 'limit', 100, 'remaining', 0, 'reset', 1790000000000, 'mode', 'enforce', 'success', false),
        jsonb_build_object('name', 'create-day', 'limit', 10000, 'remaining', 9876, 'reset', 1790000000000, 'mode', 'enforce', 'success', true))
    FROM generate_series(1, ${rows}) i`;
  const count = () => client.decisionSample.count();

  it('stays within DECISION_SAMPLE_MAX_ROWS for any number of rows between two runs', async () => {
    const retention = bounded.context.get(UsageRetention, { strict: false });
    for (const arriving of [500, 4000, 25_000, 4000]) {
      await add(arriving);
      await retention.run();
      expect(await count()).toBeLessThanOrEqual(MAX_ROWS);
    }
    expect(await count()).toBe(MAX_ROWS);
  });

  it('keeps the table below 240 MB by default', async () => {
    await client.$executeRaw`TRUNCATE decision_sample`;
    await add(20_000);
    const [{ bytes } = { bytes: 0 }] = await client.$queryRaw<{ bytes: number }[]>`
      SELECT pg_total_relation_size('decision_sample')::float8 AS bytes`;
    expect(bytes / 20_000).toBeLessThan(BYTES_PER_ROW);
    expect(services.config.retention.sampleRows * BYTES_PER_ROW).toBeLessThanOrEqual(MAX_BYTES);
  });
});

it('keeps the worst offenders of past hours and all of the current hour', async () => {
  const hour = new Date(NOW - (NOW % HOUR_MS));
  for (const at of [new Date(hour.getTime() - HOUR_MS), hour]) {
    await database.$executeRaw`
      INSERT INTO limit_offender (tenant_id, at, counter, api, limit_name, units, error)
      SELECT 'ten', ${at}, 'k' || i, 'shop', 'l', i, 0 FROM generate_series(1, 150) i`;
  }
  await run();
  const least = await database.limitOffender.groupBy({
    by: ['at'],
    _min: { units: true },
    _count: true,
    orderBy: { at: 'asc' },
  });
  expect(least.map(({ _count, _min }) => [_count, _min.units])).toEqual([
    [100, 51n],
    [150, 1n],
  ]);
});

it('deletes expired checkpoints, node processes and unusable entries', async () => {
  const checkpoint = { tenantId: 'ten', counter: 'k', used: 1, atUs: 1, loweredAtUs: 0 };
  const source = { nodeId: 'n', sequence: 1, frames: 1, missed: 0, repeated: 0, crossingsDropped: 0 };
  await database.quotaCheckpoint.createMany({
    data: [ago(2 * DAY_MS), ago(HOUR_MS)].map((periodEnd) => ({ ...checkpoint, periodEnd })),
  });
  await database.usageSource.createMany({
    data: [
      { ...source, epoch: 'old', lastAt: ago(31 * DAY_MS) },
      { ...source, epoch: 'new', lastAt: ago(DAY_MS) },
    ],
  });
  await database.streamReject.createMany({
    data: Array.from({ length: 1010 }, (_, i) => ({
      stream: 'usage',
      entryId: `${i}-0`,
      text: '',
      at: ago(i * 1000),
    })),
  });
  await run();
  expect(await database.quotaCheckpoint.count()).toBe(1);
  expect((await database.usageSource.findMany()).map(({ epoch }) => epoch)).toEqual(['new']);
  expect(await database.streamReject.count()).toBe(1000);
});
