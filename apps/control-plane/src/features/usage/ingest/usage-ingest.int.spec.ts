import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { randomFrom } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { createTenants, minuteAt, usageFrame, usageRow } from '../../../../test/support/usage-frames.js';
import { UsageWorkerModule } from '../usage.modules.js';
import { UsageCountsRepository } from './usage-counts.repository.js';
import { UsageIngest } from './usage-ingest.js';

let services: TestServices;
let database: PrismaClient;
let redis: Redis;
let ingest: UsageIngest;
let ids: Record<string, string>;

const TABLES = ['usage_minute', 'usage_hour', 'usage_day'] as const;

beforeAll(async () => {
  services = await startTestServices([UsageWorkerModule]);
  database = createPrismaClient(services.ownerUrl, { max: 2 });
  redis = new Redis(services.redisUrl);
  ingest = services.context.get(UsageIngest, { strict: false });
  ids = await createTenants(database, { acme: 'Europe/Berlin', globex: 'UTC', sirius: 'Asia/Kolkata' });
});
afterAll(async () => {
  redis?.disconnect();
  await database?.$disconnect();
  await services?.stop();
});
beforeEach(async () => {
  await redis.flushall();
  for (const table of [
    ...TABLES,
    'usage_peak',
    'usage_source',
    'stream_position',
    'stream_reject',
    'traffic_minute',
    'limit_crossing',
    'notice',
  ])
    await database.$executeRawUnsafe(`DELETE FROM ${table}`);
});

const write = (...frames: Parameters<typeof USAGE_STREAM.write>[1][]) =>
  Promise.all(frames.map((frame) => USAGE_STREAM.write(redis, frame)));

interface Sum {
  tenant: string;
  at: Date;
  operation: string;
  outcome: string;
  count: number;
  units: number;
}

function sums(table: (typeof TABLES)[number]): Promise<Sum[]> {
  return database.$queryRawUnsafe(`
    SELECT coalesce(t.key, tenant_id) AS tenant, at, operation, outcome::text, count::float8, units::float8
    FROM ${table} JOIN usage_series s ON s.id = series_id LEFT JOIN tenant t ON t.id = tenant_id
    ORDER BY tenant, at, operation, outcome`);
}

const totals = async () =>
  Promise.all(TABLES.map(async (table) => (await sums(table)).reduce((sum, { count }) => sum + count, 0)));

describe('usage', () => {
  it("counts by minute, and by hour and day in the tenant's time zone", async () => {
    // 00:30 of the next day in Berlin, 04:50 in Kolkata.
    const minute = minuteAt('2024-11-19T23:20:00Z');
    await write(
      usageFrame(1, [
        usageRow({ minute, count: 2, units: 20 }),
        usageRow({ minute: minute + 1, count: 3, units: 30 }),
        usageRow({ minute, tenant: 'sirius', count: 4 }),
      ]),
      usageFrame(2, [usageRow({ minute, count: 5, units: 50 }), usageRow({ minute, outcome: 'denied' })]),
    );
    expect(await ingest.run()).toBe(2);
    const row = { tenant: 'acme', operation: 'buy', outcome: 'ALLOWED' };
    const at = (text: string) => new Date(text);
    expect(await sums('usage_minute')).toMatchObject([
      { ...row, at: at('2024-11-19T23:20:00Z'), count: 7, units: 70 },
      { ...row, at: at('2024-11-19T23:20:00Z'), outcome: 'DENIED', count: 1 },
      { ...row, at: at('2024-11-19T23:21:00Z'), count: 3, units: 30 },
      { ...row, tenant: 'sirius', count: 4 },
    ]);
    expect(await sums('usage_hour')).toMatchObject([
      { ...row, at: at('2024-11-19T23:00:00Z'), count: 10, units: 100 },
      { ...row, at: at('2024-11-19T23:00:00Z'), outcome: 'DENIED', count: 1 },
      { ...row, tenant: 'sirius', at: at('2024-11-19T22:30:00Z'), count: 4 },
    ]);
    expect(await sums('usage_day')).toMatchObject([
      { ...row, at: at('2024-11-19T23:00:00Z'), count: 10, units: 100 },
      { ...row, outcome: 'DENIED', count: 1 },
      { ...row, tenant: 'sirius', at: at('2024-11-19T18:30:00Z'), count: 4 },
    ]);
  });

  it('counts candidates beside decisions, in every table, and frames of older nodes without them', async () => {
    const minute = minuteAt('2024-11-19T10:00:00Z');
    const tried = { candidateCount: 4, candidateDenied: 1, candidateDeniedUnits: 3 };
    await write(
      usageFrame(1, [usageRow({ minute, count: 2, units: 20, ...tried })]),
      usageFrame(2, [
        usageRow({ minute, count: 0, units: 0, ...tried }),
        usageRow({ minute, tenant: 'globex' }),
      ]),
    );
    expect(await ingest.run()).toBe(2);
    for (const table of [...TABLES, 'traffic_minute']) {
      const [row] = await database.$queryRawUnsafe<object[]>(
        `SELECT sum(count)::int AS count, sum(candidate_count)::int AS tried, sum(candidate_denied)::int AS denied,
          sum(candidate_denied_units)::int AS units FROM ${table}`,
      );
      expect(row, table).toEqual({ count: 3, tried: 8, denied: 2, units: 6 });
    }
  });

  it('counts all tenants by minute, with degraded decisions and durations of requests', async () => {
    const at = new Date('2024-11-20T10:00:00Z');
    const minute = minuteAt(at);
    const durations = (first: number, last: number) => [first, ...Array<number>(11).fill(0), last];
    await write(
      usageFrame(1, [
        usageRow({ minute, count: 2 }),
        usageRow({ minute, tenant: 'globex', outcome: 'pool_denied' }),
      ]),
      usageFrame(2, [usageRow({ minute, outcome: 'degraded_allowed', count: 4 })], {
        ...{ atMs: at.getTime(), durations: durations(3, 1) },
      }),
    );
    await ingest.run();
    await write(
      usageFrame(3, [usageRow({ minute, outcome: 'degraded_denied' })], {
        ...{ atMs: at.getTime() + 1, durations: durations(2, 2) },
      }),
    );
    await ingest.run();
    expect(await database.trafficMinute.findMany()).toEqual([
      {
        ...{ at, count: 8n, denied: 2n, degraded: 4n, units: 4n },
        ...{ candidateCount: 0n, candidateDenied: 0n, candidateDeniedUnits: 0n },
        durations: durations(5, 3).map(BigInt),
      },
    ]);
  });

  it("keeps the busiest minute of each day in the tenant's time zone, per operation and API", async () => {
    // 23:59 and 00:01 in Berlin.
    const last = minuteAt('2024-11-20T22:59:00Z');
    await write(
      usageFrame(1, [usageRow({ minute: last, units: 4 }), usageRow({ minute: last + 2, units: 3 })]),
    );
    await ingest.run();
    await write(
      usageFrame(2, [
        usageRow({ minute: last, units: 2, outcome: 'denied' }),
        usageRow({ minute: last - 1, operation: 'list', units: 5 }),
      ]),
    );
    await ingest.run();
    const peaks = await database.usagePeak.findMany({ orderBy: [{ at: 'asc' }, { operation: 'asc' }] });
    expect(peaks.map(({ at, operation, units }) => [at.toISOString(), operation, Number(units)])).toEqual([
      ['2024-11-19T23:00:00.000Z', '', 6],
      ['2024-11-19T23:00:00.000Z', 'buy', 6],
      ['2024-11-19T23:00:00.000Z', 'list', 5],
      ['2024-11-20T23:00:00.000Z', '', 3],
      ['2024-11-20T23:00:00.000Z', 'buy', 3],
    ]);
  });

  it('keeps the busiest minute of days whose minutes are no longer stored', async () => {
    const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    const minute = minuteAt(`${day}T10:00:00Z`);
    await ingest.add([
      usageFrame(1, [
        usageRow({ minute, units: 4 }),
        usageRow({ minute, units: 3, outcome: 'denied' }),
        usageRow({ minute, operation: 'list', units: 2 }),
        usageRow({ minute: minute + 1, units: 5 }),
      ]),
    ]);
    expect(await sums('usage_minute')).toEqual([]);
    const peaks = await database.usagePeak.findMany({ orderBy: { operation: 'asc' } });
    expect(peaks.map(({ operation, units }) => [operation, Number(units)])).toEqual([
      ['', 9],
      ['buy', 7],
      ['list', 2],
    ]);
  });

  it('adds to existing counts, including late rows', async () => {
    const minute = minuteAt('2024-11-20T10:00:00Z');
    for (const sequence of [1, 2, 3]) {
      await write(
        usageFrame(sequence, [usageRow({ minute: minute - 120 * (sequence % 2), count: sequence })]),
      );
      await ingest.run();
    }
    expect((await sums('usage_minute')).map(({ count }) => count)).toEqual([4, 2]);
    expect((await sums('usage_hour')).map(({ count }) => count)).toEqual([4, 2]);
    expect((await sums('usage_day')).map(({ count }) => count)).toEqual([6]);
  });

  it('counts each frame once across repeats and runs, and reports missing frames', async () => {
    await write(
      usageFrame(1, [usageRow()]),
      usageFrame(2, [usageRow({ count: 10 })]),
      usageFrame(2, [usageRow({ count: 10 })]),
    );
    await ingest.run();
    await write(
      usageFrame(2, [usageRow({ count: 10 })]),
      usageFrame(1, [usageRow()]),
      usageFrame(6, [usageRow({ count: 100 })]),
    );
    await ingest.run();
    expect(await totals()).toEqual([111, 111, 111]);
    expect(await database.usageSource.findMany()).toMatchObject([
      { nodeId: 'n1', epoch: 'e1', sequence: 6n, frames: 3n, missed: 3n, repeated: 3n },
    ]);
    await write(usageFrame(1, [usageRow({ count: 1000 })], { epoch: 'e2' }));
    await ingest.run();
    expect(await totals()).toEqual([1111, 1111, 1111]);
  });

  it('leaves nothing of a failed run, and the next run counts it completely', async () => {
    const counts = services.context.get(UsageCountsRepository, { strict: false });
    const { add } = counts;
    await write(usageFrame(1, [usageRow({ count: 7 })]));
    counts.add = (tx, resolution, rows) => {
      if (resolution === 'day') throw new Error('the worker dies here');
      return add.call(counts, tx, resolution, rows);
    };
    await expect(ingest.run()).rejects.toThrow('the worker dies here');
    expect(await totals()).toEqual([0, 0, 0]);
    counts.add = add;
    await ingest.run();
    expect(await totals()).toEqual([7, 7, 7]);
  });

  it('counts each frame once with two concurrent workers', async () => {
    const below = randomFrom(inject('testSeed')).below;
    let expected = 0;
    for (let sequence = 1; sequence <= 1500; sequence++) {
      const count = 1 + below(9);
      expected += count;
      await write(usageFrame(sequence, [usageRow({ count, operation: `op${below(5)}` })]));
      if (below(10) === 0) await write(usageFrame(sequence, [usageRow({ count, operation: 'again' })]));
    }
    for (let round = 0; round < 3; round++) await Promise.all([ingest.run(), ingest.run(), ingest.run()]);
    expect(await totals()).toEqual([expected, expected, expected]);
  });

  it('continues after Redis was emptied, and does not count frames of a restored Redis again', async () => {
    await write(usageFrame(1, [usageRow()]), usageFrame(2, [usageRow()]));
    await ingest.run();
    await redis.flushall();
    // A Redis with a slow clock assigns ids below the position.
    const old = (id: string, sequence: number) =>
      redis.xadd('tg:usage', id, 'frame', JSON.stringify(usageFrame(sequence, [usageRow({ count: 10 })])));
    await old('1-1', 2);
    await old('1-2', 3);
    await ingest.run();
    expect((await totals())[0]).toBe(12);
  });

  it('stores invalid frames separately, counts them and continues', async () => {
    await redis.xadd('tg:usage', '*', 'frame', '{"nodeId":"n1"}');
    await redis.xadd('tg:usage', '*', 'frame', JSON.stringify(usageFrame(1, [usageRow({ api: 'sh\0op' })])));
    await redis.xadd(
      'tg:usage',
      '*',
      'frame',
      JSON.stringify({ ...usageFrame(1, []), atMs: Number.MAX_SAFE_INTEGER }),
    );
    await write(
      usageFrame(1, [usageRow({ count: 3, units: Number.MAX_SAFE_INTEGER }), usageRow({ units: 5 })]),
    );
    await ingest.run();
    expect((await totals())[0]).toBe(4);
    expect(await database.streamPosition.findMany()).toMatchObject([{ stream: 'usage', setAside: 3n }]);
    expect((await database.streamReject.findMany()).map(({ text }) => text)).toContain('{"nodeId":"n1"}');
    const [{ units } = { units: 0n }] = await database.usageDay.findMany();
    expect(units).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('combines deleted tenants, names beyond the maximum and future times', async () => {
    const minute = minuteAt(Date.now());
    const many = Array.from({ length: 2100 }, (_, i) =>
      usageRow({ operation: `random${i}`, minute, tenant: 'globex' }),
    );
    await write(
      usageFrame(1, [usageRow({ tenant: 'nobody', minute }), usageRow({ tenant: '*', minute, count: 2 })]),
      usageFrame(2, many),
      usageFrame(3, [usageRow({ minute: minute + 60 * 24, count: 5 })]),
    );
    await ingest.run();
    expect((await totals())[0]).toBe(3 + 2100 + 5);
    const rows = await sums('usage_minute');
    expect(rows.filter(({ tenant }) => tenant === '*').reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const others = rows.filter(({ tenant, operation }) => tenant === 'globex' && operation === '*');
    expect(others.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(100);
    for (const { at } of rows) expect(at.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('trims stored entries older than two minutes, and no unstored ones', async () => {
    const add = (atMs: number, sequence: number) =>
      redis.xadd(
        'tg:usage',
        `${atMs}-${sequence}`,
        'frame',
        JSON.stringify(usageFrame(sequence, [usageRow()])),
      );
    const nowMs = Date.now();
    for (let sequence = 1; sequence <= 300; sequence++) await add(nowMs - 600_000 + sequence, sequence);
    await ingest.run();
    expect(await redis.xlen('tg:usage')).toBeLessThan(150);
    for (let sequence = 301; sequence <= 600; sequence++) await add(nowMs - 60_000 + sequence, sequence);
    await ingest.run();
    expect(await redis.xlen('tg:usage')).toBeGreaterThanOrEqual(300);
  });
});

describe('crossed thresholds', () => {
  const crossing = (id: string, more: object = {}) => ({
    id,
    tenant: 'acme',
    api: 'shop',
    limit: 'per-month',
    counter: '{acme}:q1:shop:per-month',
    percent: 80,
    used: 80,
    capacity: 100,
    atMs: Date.now(),
    ...more,
  });

  it('are stored once each, and notify once a day for limits on the tenant as a whole', async () => {
    const user = { counter: '{acme}:q1:shop:per-user=u1' };
    await write(
      usageFrame(1, [], { crossings: [crossing('a'), crossing('a'), crossing('u', user)] }),
      usageFrame(1, [], {
        nodeId: 'n2',
        crossings: [crossing('a'), crossing('b', { percent: 100, used: 100 })],
      }),
    );
    await ingest.run();
    await write(
      usageFrame(2, [], { crossings: [crossing('a'), crossing('c'), crossing('d', { tenant: 'nobody' })] }),
    );
    await ingest.run();
    expect(await database.limitCrossing.count()).toBe(4);
    const notices = await database.notice.findMany({ orderBy: { kind: 'asc' } });
    expect(notices).toMatchObject([
      {
        kind: 'limit.near',
        tenantKey: 'acme',
        tenantId: ids.acme,
        data: { limit: 'per-month', percent: 80 },
      },
      { kind: 'limit.reached', data: { percent: 100, used: 100, capacity: 100 } },
    ]);
  });

  it('and offenders are summed by counter and hour', async () => {
    const atMs = Date.parse('2024-11-20T10:59:00Z');
    const offender = (counter: string, units: number, error = 0) => ({
      tenant: 'acme',
      api: 'shop',
      limit: 'l',
      counter,
      units,
      error,
    });
    await write(
      usageFrame(1, [], { atMs, offenders: [offender('a', 5, 1), offender('b', 2)] }),
      usageFrame(2, [], { atMs: atMs + 30_000, offenders: [offender('a', 7)] }),
      usageFrame(3, [], { atMs: atMs + 90_000, offenders: [offender('a', 1)] }),
    );
    await ingest.run();
    const rows = await database.limitOffender.findMany({ orderBy: [{ at: 'asc' }, { counter: 'asc' }] });
    expect(rows.map(({ at, counter, units, error }) => [at.getUTCHours(), counter, units, error])).toEqual([
      [10, 'a', 12n, 1n],
      [10, 'b', 2n, 0n],
      [11, 'a', 1n, 0n],
    ]);
  });
});
