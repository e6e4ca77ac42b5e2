import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QuotaCheckpoint, type QuotaCounter, QuotaStore } from './quota-store.js';

/** End of a period in the near future. */
const SOON = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
const LATER = SOON + 86_400_000;

const NOW_US = Date.now() * 1000;

const read = (counter: QuotaCounter, used: number, atUs = NOW_US): QuotaCheckpoint => ({
  ...counter,
  used,
  atUs,
  loweredAtUs: 0,
});

describe('QuotaStore', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let store: QuotaStore;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
    store = new QuotaStore(redis);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  const usedOf = async (counter: QuotaCounter) => (await store.read(counter)).reading.used;

  it('keeps the highest reading, in any order of writes and repetitions', async () => {
    const counter = { tenant: 'order', key: '{order}:q1:api:day', periodEndMs: SOON };
    for (const used of [5, 12, 9, 12, 3, 10]) await store.write([read(counter, used)]);
    expect(await usedOf(counter)).toBe(12);
    const largest = Number.MAX_SAFE_INTEGER;
    await store.write([read(counter, largest)]);
    await store.write([read(counter, largest - 1)]);
    expect(await usedOf(counter)).toBe(largest);
  });

  it('a reading after a refund replaces earlier ones, which are ignored from then on', async () => {
    const counter = { tenant: 'give', key: 'k', periodEndMs: SOON };
    const at = (seconds: number) => NOW_US + seconds * 1_000_000;
    const lowered = { ...read(counter, 700, at(2)), loweredAtUs: at(2) };
    const readings = [
      read(counter, 900, at(1)),
      lowered,
      read(counter, 901, at(1)),
      read(counter, 710, at(3)),
    ];
    for (const reading of readings) await store.write([reading]);
    expect(await usedOf(counter)).toBe(710);
    // The reading after the refund is written again, with usage since.
    await store.write([{ ...lowered, used: 705, atUs: at(2.5) }, lowered]);
    expect(await usedOf(counter)).toBe(710);
    await store.write([{ ...read(counter, 0, at(4)), loweredAtUs: at(4) }]);
    expect(await usedOf(counter)).toBe(0);
  });

  it('concurrent writers end at the highest reading', async () => {
    const counter = { tenant: 'race', key: 'k', periodEndMs: SOON };
    await Promise.all(Array.from({ length: 200 }, (_, i) => store.write([read(counter, (i * 73) % 200)])));
    expect(await usedOf(counter)).toBe(199);
  });

  it('separates tenants, counters and periods', async () => {
    const counters = ['a', 'b'].flatMap((tenant) =>
      ['k1', 'k2'].flatMap((key) => [SOON, LATER].map((periodEndMs) => ({ tenant, key, periodEndMs }))),
    );
    await store.write(counters.map((counter, i) => read(counter, i + 1)));
    const kept = await Promise.all(counters.map(usedOf));
    expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('writes more counters than fit one script run', async () => {
    const counters = Array.from({ length: 1201 }, (_, i) => ({
      tenant: 'many',
      key: `k${i}`,
      periodEndMs: SOON,
    }));
    await store.write(counters.map((counter, i) => read(counter, i + 1)));
    expect(await Promise.all(counters.map(usedOf))).toEqual(counters.map((_, i) => i + 1));
  });

  it('expires a period a day after its end, and stores nothing for older ones', async () => {
    const counter = { tenant: 'expiry', key: 'k', periodEndMs: SOON };
    await store.write([read(counter, 1)]);
    expect(await redis.pexpiretime(`tg:quota:expiry:${SOON}`)).toBe(SOON + 86_400_000);
    const past = { ...counter, periodEndMs: Date.now() - 2 * 86_400_000 };
    await store.write([read(past, 1)]);
    expect((await store.read(past)).reading.used).toBe(0);
  });

  it('reads an invalid field as unknown', async () => {
    await redis.hset(`tg:quota:odd:${SOON}`, 'k', 'x');
    expect((await store.read({ tenant: 'odd', key: 'k', periodEndMs: SOON })).reading.used).toBe(0);
  });

  it('lists checkpoints of all tenants and periods, and skips foreign keys', async () => {
    await redis.flushall();
    const counters = Array.from({ length: 1300 }, (_, i) => ({
      tenant: `t${i % 3}`,
      key: `k${i}`,
      periodEndMs: SOON,
    }));
    const written = counters.map((counter, i) => ({
      ...read(counter, i),
      atUs: NOW_US + i,
      loweredAtUs: NOW_US - 1,
    }));
    await store.write(written);
    await store.markRestored('mark');
    await redis.hset(`tg:quota:t0:${SOON}`, 'odd', 'x');
    const listed: QuotaCheckpoint[] = [];
    for await (const some of store.list()) listed.push(...some);
    const byKey = new Map(listed.map((one) => [one.key, one]));
    expect(byKey.size).toBe(1300);
    expect(written.map(({ key }) => byKey.get(key))).toEqual(written);
  });

  it('keeps the restore mark until the store is emptied', async () => {
    await store.markRestored('first');
    expect(await store.readRestoreMark()).toBe('first');
    await redis.flushall();
    expect(await store.readRestoreMark()).toBeNull();
  });
});
