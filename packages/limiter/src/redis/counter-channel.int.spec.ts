import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLEARED_CHANNEL } from '../scripts/amend.js';
import { parseRedisUrl } from '../stores/redis-address.js';
import { type Exhaustion, listenToCounters, publishExhaustions } from './counter-channel.js';

const NOW_US = 1_800_000_000_123_456;

describe('counter channel', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  const stops: (() => void)[] = [];

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
    redis.on('error', () => undefined);
  });
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  /** A subscribed listener. */
  async function listener(url = server.url) {
    const heard = { cleared: [] as string[], exhausted: [] as Exhaustion[], missed: 0 };
    stops.push(
      listenToCounters(parseRedisUrl(url), {
        onCleared: (key) => heard.cleared.push(key),
        onExhausted: (exhaustion) => heard.exhausted.push(exhaustion),
        onSubscribed: () => heard.missed++,
      }),
    );
    await eventually(() => heard.missed === 1);
    return heard;
  }

  it('delivers cleared counters to every node', async () => {
    const nodes = [await listener(), await listener()];
    for (const key of ['{acme}:f1:api:a', '{acme}:f1:api:b=u1#~']) await redis.publish(CLEARED_CHANNEL, key);
    for (const heard of nodes) {
      await eventually(() => heard.cleared.length === 2);
      expect(heard.cleared).toEqual(['{acme}:f1:api:a', '{acme}:f1:api:b=u1#~']);
      expect(heard.missed).toBe(1);
    }
  });

  it('delivers exhausted counters to every node, to the microsecond, many in one message', async () => {
    const heard = await listener();
    const exhaustions = Array.from({ length: 1000 }, (_, i) => ({
      key: `{acme}:g1:api:limit=u${i}`,
      remaining: 3 * i,
      nowUs: NOW_US + i,
      resetAtUs: NOW_US + 2_000_000 + 7 * i,
    }));
    await publishExhaustions(redis, exhaustions);
    await eventually(() => heard.exhausted.length === 1000);
    expect(heard.exhausted).toEqual(exhaustions);
  });

  it('skips invalid messages', async () => {
    const heard = await listener();
    await redis.publish(
      'tg:exhausted',
      'x\n\n1 k\n- - 0 k\nzzzzzzzzzzzzzz 1 0 k\n5 2 {acme}:k\n5 2 1 {acme}:k',
    );
    await eventually(() => heard.exhausted.length > 0);
    expect(heard.exhausted).toEqual([{ key: '{acme}:k', remaining: 1, nowUs: 5, resetAtUs: 7 }]);
  });

  it('reports each new subscription', async () => {
    const heard = await listener();
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually(() => heard.missed === 2);
    await redis.publish(CLEARED_CHANNEL, '{acme}:after');
    await eventually(() => heard.cleared.length === 1);
  });

  it('keeps an idle connection', async () => {
    const heard = await listener();
    const pings = async () =>
      Number(/cmdstat_ping:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await pings();
    await eventually(async () => (await pings()) >= before + 2);
    expect(heard.missed).toBe(1);
    await redis.publish(CLEARED_CHANNEL, '{acme}:after');
    await eventually(() => heard.cleared.length === 1);
  });

  it('replaces a connection that stops responding', async () => {
    let opened = 0;
    let swallows = false;
    const line = createServer((client) => {
      opened++;
      const target = connect(Number(new URL(server.url).port), '127.0.0.1');
      client.on('data', (chunk) => {
        if (!swallows) target.write(chunk);
      });
      client.on('error', () => undefined).on('close', () => target.destroy());
      target.on('error', () => undefined).pipe(client);
    }).listen(0, '127.0.0.1');
    stops.push(() => line.close());
    await once(line, 'listening');
    const heard = await listener(`redis://127.0.0.1:${(line.address() as AddressInfo).port}`);
    swallows = true;
    await eventually(() => opened === 2);
    swallows = false;
    await eventually(() => heard.missed === 2);
    await redis.publish(CLEARED_CHANNEL, '{acme}:after');
    await eventually(() => heard.cleared.length === 1);
  });
});
