import { type ByPriority, compilePool, type Pool } from '@tollgate/policy';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_MS } from '../../limiter/test/script-clock.js';
import { EMPTY_POOL, exchangeReport, type PoolReport, type PoolState } from '../src/pools/exchange.js';
import { exchangePool, readPool } from '../src/scripts/pools.js';

const RUNS = Number(process.env.PARITY_RUNS ?? 100);

const units = fc.oneof(fc.nat(5), fc.nat(1500), fc.constantFrom(0, 0, 1_000_000_000));
const ranks = fc.tuple(units, units, units);
const borrower = (tenant: fc.Arbitrary<string>) =>
  fc.record({ tenant, weight: fc.integer({ min: 1, max: 1000 }), borrowed: units, demand: ranks });

const utilization = fc.oneof(fc.nat(10_000), fc.constantFrom(899, 900, 901, 1000, 1001));

const command = fc.record({
  node: fc.constantFrom('n1', 'n2', 'n3', 'n4'),
  // Mostly one interval; sometimes until reports fade or expire, or the clock steps back.
  moveMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(150) },
    { weight: 2, arbitrary: fc.constantFrom(499, 500, 501, 999, 1000, 1499, 1500, 5000, 9000) },
    { weight: 1, arbitrary: fc.integer({ min: -2000, max: 12_000 }) },
  ),
  own: ranks,
  demand: ranks,
  borrowers: fc.uniqueArray(borrower(fc.constantFrom('a', 'b', 'c', 'd-e', 'd', '*')), {
    selector: ({ tenant }) => tenant,
    maxLength: 6,
  }),
  coldStartAgeMs: fc.option(fc.oneof(fc.nat(200), fc.nat(12_000)), { nil: undefined, freq: 3 }),
  services: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(
        fc.record({ service: fc.constantFrom('x', 'y', 'n1'), utilizationPermille: utilization }),
        { selector: ({ service }) => service, maxLength: 3 },
      ),
    },
  ),
});

const sequence = fc.record({
  capacity: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000_000 })),
  reclaimPercent: fc.integer({ min: 1, max: 100 }),
  warmUp: fc.option(
    fc.record({
      ms: fc.oneof(fc.integer({ min: 1000, max: 10_000 }), fc.constantFrom(60_000, 3_599_999, 3_600_000)),
      startPercent: fc.integer({ min: 1, max: 99 }),
    }),
    { nil: undefined, freq: 4 },
  ),
  commands: fc.array(command, { minLength: 1, maxLength: 25 }),
});

/** Stored state of a pool, decoded by the server: field, then its integers and names. */
const READ_STORED = `local out = {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local parts = {}
  for j, part in ipairs(cmsgpack.unpack(fields[i + 1])) do
    parts[j] = type(part) == 'number' and string.format('%.0f', part) or part
  end
  out[#out + 1] = { fields[i], parts }
end
return out`;

describe('pool model and script agree', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let run = 0;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it('on every reply and the stored state, with nodes that join and leave and a clock that steps back', {
    timeout: 300_000 + RUNS * 100,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async ({ commands, ...numbers }) => {
        const pool = compilePool('api', { name: `run-${run++}`, operations: [], ...numbers });
        let nowMs = START_MS + 59_900;
        let state: PoolState = EMPTY_POOL;
        for (const { moveMs, ...report } of commands) {
          nowMs += moveMs;
          const expected = exchangeReport(state, pool, report, nowMs);
          state = expected.state;
          expect(await exchangePool(redis, pool, report, nowMs)).toEqual(expected.answer);
          expect(await storedFields(pool.key)).toEqual(fieldsOf(state));
          const { capacity, warmUpLeftMs } = await readPool(redis, pool, nowMs);
          expect(capacity).toBe(expected.answer.capacity);
          expect(warmUpLeftMs).toBe(leftOf(state, pool, nowMs));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('the server stamps reports with its own clock, and stored data expires', async () => {
    const pool = compilePool('api', { name: 'clock', operations: [], capacity: 10, reclaimPercent: 80 });
    const none: ByPriority = [0, 0, 0];
    const report: PoolReport = { node: 'n', own: none, demand: none, borrowers: [], services: [] };
    const serverMs = async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    };
    // Loads the script, so that the server runs what follows at once.
    await exchangePool(redis, pool, report);
    const [beforeMs, , fields, expiresAtMs, afterMs] = await Promise.all([
      serverMs(),
      exchangePool(redis, pool, report),
      storedFields(pool.key),
      redis.pexpiretime(pool.key),
      serverMs(),
    ]);
    const stampMs = Number(fields.get('n:n')?.[1]);
    expect(stampMs).toBeGreaterThanOrEqual(beforeMs);
    expect(stampMs).toBeLessThanOrEqual(afterMs);
    expect(expiresAtMs).toBe(stampMs + 20_000);
  });

  it('the stored start outlives the reports, until the warm-up ends', async () => {
    const warmUp = { ms: 600_000, startPercent: 20 };
    const record = { name: 'ramp', operations: [], capacity: 1000, reclaimPercent: 80, warmUp };
    const pool = compilePool('api', record);
    const none: ByPriority = [0, 0, 0];
    const report: PoolReport = { node: 'n', own: none, demand: none, borrowers: [], services: [] };
    expect(await exchangePool(redis, pool, report, START_MS)).toMatchObject({ capacity: 1000 });
    expect(await redis.pexpiretime(pool.key)).toBe(START_MS + 20_000);
    const started = { ...report, coldStartAgeMs: 300_000 };
    expect(await exchangePool(redis, pool, started, START_MS)).toMatchObject({ capacity: 600 });
    expect(await redis.pexpiretime(pool.key)).toBe(START_MS + 300_000);
  });

  async function storedFields(key: string): Promise<Map<string, string[]>> {
    return new Map((await redis.eval(READ_STORED, 1, key)) as [string, string[]][]);
  }
});

function leftOf({ startedAtMs }: PoolState, { warmUp }: Pool, nowMs: number): number {
  return startedAtMs === undefined ? 0 : (warmUp?.ms ?? 0) - Math.abs(nowMs - startedAtMs);
}

function fieldsOf({ nodes, services, correction, startedAtMs }: PoolState): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const { node, order, atMs, held, own, demand, borrowers } of nodes) {
    const loans = borrowers.flatMap((one) => [one.tenant, one.weight, one.borrowed, ...one.demand]);
    fields.set(`n:${node}`, [order, atMs, held, ...own, ...demand, ...loans].map(String));
  }
  for (const [service, { atMs, utilizationPermille }] of services) {
    fields.set(`s:${service}`, [atMs, utilizationPermille].map(String));
  }
  if (startedAtMs !== undefined) fields.set('w', [String(startedAtMs)]);
  if (correction.reportedAtMs > 0) {
    const { permille, steppedAtMs, reportedAtMs } = correction;
    fields.set('c', [permille, steppedAtMs, reportedAtMs].map(String));
  }
  return fields;
}
