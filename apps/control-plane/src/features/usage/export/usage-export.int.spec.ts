// @module-tag clickhouse-server
import { Module } from '@nestjs/common';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { codeBlocksOf, startClickHouse, type TestClickHouse } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { minuteAt, usageFrame, usageRow } from '../../../../test/support/usage-frames.js';
import { Clock } from '../../../platform/clock.js';
import { JobsQueueModule, PolicyQueue } from '../../../platform/jobs/queues.js';
import { BacklogMetrics } from '../../../platform/metrics/backlog.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { StreamPositionsRepository } from '../ingest/usage-counts.repository.js';
import { EXPORT_POSITION, UsageIngest } from '../ingest/usage-ingest.js';
import { UsageWorkerModule } from '../usage.modules.js';
import { UsageExport } from './usage-export.js';

const [createTable = '', byHour = '', denials = '', missingFrames = ''] = codeBlocksOf(
  new URL('../../../../../../docs/operate/usage-export.md', import.meta.url),
  'sql',
);

let clickhouse: TestClickHouse;
let services: TestServices;
let database: PrismaClient;
let redis: Redis;
let exporter: UsageExport;
let ingest: UsageIngest;
let metrics: Metrics;

/** Gauges of the installation, without the jobs that would change them. */
@Module({ imports: [JobsQueueModule], providers: [BacklogMetrics, PolicyQueue] })
class BacklogModule {}

beforeAll(async () => {
  clickhouse = await startClickHouse();
  services = await startTestServices([UsageWorkerModule, BacklogModule], {
    USAGE_EXPORT_URL: clickhouse.url,
  });
  database = createPrismaClient(services.ownerUrl, { max: 1 });
  redis = new Redis(services.redisUrl);
  exporter = services.context.get(UsageExport, { strict: false });
  ingest = services.context.get(UsageIngest, { strict: false });
  metrics = services.context.get(Metrics, { strict: false });
});
afterAll(async () => {
  redis?.disconnect();
  await database?.$disconnect();
  await services?.stop();
  await clickhouse?.remove();
});
beforeEach(async () => {
  await Promise.all([redis.del('tg:usage'), database.streamPosition.deleteMany()]);
  await clickhouse.query('DROP TABLE IF EXISTS usage_frames');
  await clickhouse.query(createTable);
});
afterEach(() => vi.restoreAllMocks());

/** The frames of the node `n1` with these sequences, each with one decision of `acme` and two of `globex`. */
async function writeFrames(...sequences: number[]): Promise<void> {
  const rows = [usageRow({ units: 5 }), usageRow({ tenant: 'globex', count: 2, limit: null })];
  for (const sequence of sequences) await USAGE_STREAM.write(redis, usageFrame(sequence, rows));
}

const sumOf = (modifier: '' | 'FINAL') => clickhouse.query(`SELECT sum(count) FROM usage_frames ${modifier}`);
const position = async () =>
  (await database.streamPosition.findFirst({ where: { stream: EXPORT_POSITION } }))?.lastId;
const newestId = () => USAGE_STREAM.newestId(redis);

/** Value of a series without labels. */
async function metric(name: string): Promise<number> {
  const line = (await metrics.read()).split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

describe('usage export', () => {
  it('inserts each row of each frame once, for the documented queries', async () => {
    const minute = minuteAt(Date.now()) - 1;
    const denied = { outcome: 'denied', operation: `b"u\\y'` } as const;
    const tried = { candidateCount: 7, candidateDenied: 2, candidateDeniedUnits: 20 };
    await USAGE_STREAM.write(
      redis,
      usageFrame(1, [
        usageRow({ minute, count: 3, units: Number.MAX_SAFE_INTEGER, ...tried }),
        usageRow({ minute, count: 4, units: 9, ...denied }),
        usageRow({ minute: Number.MAX_SAFE_INTEGER, tenant: '*', limit: null }),
      ]),
    );
    await writeFrames(2);
    await USAGE_STREAM.write(redis, usageFrame(5, [usageRow({ minute, ...denied })]));
    await redis.xadd('tg:usage', '*', 'frame', 'unreadable');
    expect(await exporter.run()).toBe(3);
    expect(await exporter.run()).toBe(0);
    expect(await clickhouse.query('SELECT * FROM usage_frames WHERE sequence = 1 ORDER BY row_number')).toBe(
      [
        [
          utcMinute(minute * 60),
          'acme',
          'shop',
          'buy',
          'per-minute',
          'allowed',
          3,
          Number.MAX_SAFE_INTEGER,
          ...[7, 2, 20],
          'n1',
          'e1',
          1,
          0,
        ],
        [
          utcMinute(minute * 60),
          'acme',
          'shop',
          `b"u\\\\y\\'`,
          'per-minute',
          'denied',
          4,
          9,
          ...[0, 0, 0],
          'n1',
          'e1',
          1,
          1,
        ],
        ['2105-01-01 00:00:00', '*', 'shop', 'buy', '', 'allowed', 1, 1, 0, 0, 0, 'n1', 'e1', 1, 2],
      ]
        .map((row) => row.join('\t'))
        .join('\n'),
    );
    expect((await clickhouse.query(byHour)).split('\n').map((line) => line.split('\t')[0])).toContain('acme');
    expect(await clickhouse.query(denials)).toBe(`shop\tb"u\\\\y\\'\t10`);
    expect(await clickhouse.query(missingFrames)).toBe('n1\te1\t2');
    expect(await position()).toBe(await newestId());
  });

  it('fills a table of an earlier release, and new columns as soon as they exist', async () => {
    const columns = ['candidate_count', 'candidate_denied', 'candidate_denied_units'];
    const earlier = createTable.split('\n').filter((line) => !columns.some((name) => line.includes(name)));
    await clickhouse.query('DROP TABLE usage_frames');
    await clickhouse.query(earlier.join('\n'));
    const workers = await startTestServices([UsageWorkerModule], { USAGE_EXPORT_URL: clickhouse.url });
    const worker = workers.context.get(UsageExport, { strict: false });
    const other = new Redis(workers.redisUrl);
    const write = (sequence: number) =>
      USAGE_STREAM.write(other, usageFrame(sequence, [usageRow({ candidateCount: 5, candidateDenied: 1 })]));
    await write(1);
    expect(await worker.run()).toBe(1);
    for (const name of columns) await clickhouse.query(`ALTER TABLE usage_frames ADD COLUMN ${name} UInt64`);
    await write(2);
    expect(await worker.run()).toBe(1);
    const sums = 'SELECT sum(count), sum(candidate_count), sum(candidate_denied) FROM usage_frames FINAL';
    expect(await clickhouse.query(sums)).toBe('2\t5\t1');
    other.disconnect();
    await workers.stop();
  });

  it('counts a row once if the worker ends between the insert and its position', async () => {
    await writeFrames(1, 2);
    const positions = services.context.get(StreamPositionsRepository, { strict: false });
    vi.spyOn(positions, 'move').mockRejectedValueOnce(new Error('killed'));
    await expect(exporter.run()).rejects.toThrow('killed');
    await writeFrames(3);
    expect(await exporter.run()).toBe(3);
    expect(await sumOf('')).toBe('15');
    expect(await sumOf('FINAL')).toBe('9');
  });

  it('counts a row once if a node repeats its frame, or two workers export', async () => {
    await writeFrames(1, 2, 2);
    await Promise.all([exporter.run(), exporter.run()]);
    expect(await sumOf('FINAL')).toBe('6');
    expect(await position()).toBe(await newestId());
  });

  it('keeps frames while ClickHouse is down, and Postgres counts them meanwhile', async () => {
    await writeFrames(1);
    await exporter.run();
    await clickhouse.kill();
    await writeFrames(2, 3);
    await expect(exporter.run()).rejects.toThrow('ECONNREFUSED');
    vi.spyOn(services.context.get(Clock, { strict: false }), 'now').mockReturnValue(
      new Date(Date.now() + 600_000),
    );
    expect(await ingest.run()).toBe(3);
    expect(await metric('tollgate_usage_lag_seconds')).toBe(0);
    expect(await metric('tollgate_usage_export_lag_seconds')).toBeGreaterThan(0);
    await clickhouse.start();
    expect(await exporter.run()).toBe(2);
    expect(await sumOf('')).toBe('9');
    expect(await metric('tollgate_usage_export_lag_seconds')).toBe(0);
  });

  it('names a missing table, and exports everything when it is there', async () => {
    await clickhouse.query('DROP TABLE usage_frames');
    await writeFrames(1, 2);
    await expect(exporter.run()).rejects.toThrow(/usage_frames doesn't exist/);
    expect(await position()).toBeUndefined();
    await clickhouse.query(createTable);
    expect(await exporter.run()).toBe(2);
    expect(await sumOf('')).toBe('6');
  });

  it('counts frames that left the stream before their export', async () => {
    const before = await metric('tollgate_usage_export_missing_frames_total');
    const write = (sequence: number) =>
      USAGE_STREAM.write(redis, usageFrame(sequence, [usageRow()], { epoch: 'gaps' }));
    await write(10);
    await exporter.run();
    for (const sequence of [14, 15, 15]) await write(sequence);
    await exporter.run();
    expect(await metric('tollgate_usage_export_missing_frames_total')).toBe(before + 3);
  });

  it('reads a backlog in pages', async () => {
    await writeFrames(...Array.from({ length: 50 }, (_, index) => index + 1));
    expect(await exporter.run()).toBe(50);
    expect(await sumOf('')).toBe('150');
  });
});

/** As ClickHouse writes a `DateTime`. */
function utcMinute(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
