import { createTestRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisStore } from '../src/redis/redis-store.js';
import type { CompileOptions } from '../src/rules/compile.js';
import { addressOf, counterKey, overflowKey } from '../src/rules/keys.js';
import { sendAmendment } from '../src/scripts/amend.js';
import { BatchExpired, type CallTiming, sendBatch } from '../src/scripts/decide.js';
import { sendRun, splitRuns } from '../src/scripts/runs.js';
import type { Check, Decided } from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { START_MS } from './script-clock.js';

const MINUTE_MS = 60_000;
const START_US = START_MS * 1000;
const MINUTE_US = MINUTE_MS * 1000;

const limitOf = (limit: number, windowMs = MINUTE_MS, options: CompileOptions = {}) =>
  compiled(
    fixedWindowPolicy({ limit, windowMs, storage: 'packed', expectedSubjects: 1, per: ['user'] }),
    options,
  );

describe('packed windows', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let unique = 0;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  /** Counters of an unused tenant. */
  function hashOf({ policy, keyStem } = limitOf(5)) {
    const tenant = `packed-${unique++}`;
    const nameOf = (user: string) => counterKey(tenant, keyStem, [`=${user}`]);
    return {
      key: addressOf(nameOf('u')).key,
      nameOf,
      checkOf: (user: string, cost = 1): Check => ({ key: nameOf(user), policy, cost }),
    };
  }

  const byRun = async (check: Check, options: CallTiming = {}) => {
    const [run, ...others] = splitRuns([{ checks: [check], peek: false }]);
    if (run?.family === undefined || others.length > 0) throw new Error('not a request of a run script');
    return (await sendRun(redis, run, options))[0];
  };
  const byDecide = async (check: Check, options: CallTiming = {}) =>
    (await sendBatch(redis, [{ checks: [check], peek: false }], options))[0];
  const SCRIPTS = { 'run script': byRun, 'general script': byDecide };

  it('stores a counter as a field that one command increments', async () => {
    const { key, nameOf, checkOf } = hashOf();
    expect(key).toMatch(/^\{packed-0\}p[\w-]{10}:0$/);
    await byRun(checkOf('u1'), { nowUs: START_US });
    await byRun(checkOf('u1'), { nowUs: START_US });
    // 633,830,340 s since 2020; 64 for policy 0.
    expect(await redis.hgetall(key)).toEqual({ '=u1': '2633830340064' });
    expect(addressOf(nameOf('a-value-of-more-than-14-characters')).field).toMatch(/^[\w-]{14}$/);
    expect(addressOf(overflowKey('acme', limitOf(1).keyStem)).field).toBe('^');
  });

  describe.each(Object.entries(SCRIPTS))('%s', (_name, decide) => {
    it('deletes subjects of past windows with the first write of a window, and keeps the hash for another', async () => {
      const { key, checkOf } = hashOf();
      const usersAfter = async (minutes: number, user: string) => {
        await decide(checkOf(user), { nowUs: START_US + minutes * MINUTE_US });
        expect(await redis.pexpiretime(key)).toBe(START_MS + (Math.floor(minutes) + 2) * MINUTE_MS);
        return (await redis.hkeys(key)).sort();
      };
      expect(await usersAfter(0, 'a')).toEqual(['=a']);
      expect(await usersAfter(0.5, 'b')).toEqual(['=a', '=b']);
      expect(await usersAfter(1, 'c')).toEqual(['=a', '=b', '=c']);
      expect(await usersAfter(1.9, 'a')).toEqual(['=a', '=b', '=c']);
      expect(await usersAfter(2, 'd')).toEqual(['=a', '=c', '=d']);
    });

    it('keeps counters of policies that this node does not know yet', async () => {
      const hash = hashOf();
      const { policy } = limitOf(5, MINUTE_MS, { id: 3 });
      await decide({ ...hash.checkOf('newer'), policy }, { nowUs: START_US });
      await decide(hash.checkOf('own'), { nowUs: START_US + 9 * MINUTE_US });
      expect(await redis.hkeys(hash.key)).toEqual(['=newer', '=own']);
    });

    it('sweeps a hash that is too large to be compact in parts', async () => {
      const { key, checkOf } = hashOf();
      const past = Array.from({ length: 2000 }, (_, n) => [`=past${n}`, '1192000000064']);
      await redis.hset(key, ...past.flat());
      for (let n = 0; n < 50; n++) await decide(checkOf(`u${n}`), { nowUs: START_US + n * 7 });
      expect(await redis.hlen(key)).toBeLessThan(300);
      expect(await redis.pexpiretime(key)).toBeGreaterThanOrEqual(START_MS + 1.5 * MINUTE_MS - 1);
    });

    it('charges nothing after the deadline', async () => {
      const { key, checkOf } = hashOf();
      const late = decide(checkOf('u'), { nowUs: START_US, expiresAtUs: START_US - 1 });
      await expect(late).rejects.toEqual(new BatchExpired(START_US));
      expect(await redis.exists(key)).toBe(0);
    });

    it('replaces a value of another type', async () => {
      const { key, checkOf } = hashOf();
      await redis.set(key, 'text');
      const decided = (await decide(checkOf('u'))) ?? (await byDecide(checkOf('u')));
      expect(decided).toMatchObject({ allowed: true, checks: [{ remaining: 4 }] });
      expect(await redis.hlen(key)).toBe(1);
    });
  });

  it('keeps a counter of a newer policy until the next window of an older one ends', async () => {
    const hash = hashOf();
    const windowMs = 3_600_000;
    const [older, newer] = [limitOf(5, windowMs), limitOf(5, MINUTE_MS, { id: 3 })];
    await byDecide({ ...hash.checkOf('u'), policy: newer.policy }, { nowUs: START_US });
    expect(await redis.pexpiretime(hash.key)).toBe(START_MS + 2 * MINUTE_MS);
    // The last minute of an hour begins at START_MS.
    await byDecide({ ...hash.checkOf('u'), policy: older.policy }, { nowUs: START_US + 1 });
    expect(await redis.pexpiretime(hash.key)).toBe(START_MS + MINUTE_MS + windowMs);
    expect(await redis.hget(hash.key, '=u')).toMatch(/118$/);
  });

  it('leaves no field behind after a denial', async () => {
    const { key, checkOf } = hashOf();
    expect(await byRun(checkOf('u', 6))).toMatchObject({ allowed: false, checks: [{ waitUs: -1 }] });
    expect(await redis.exists(key)).toBe(0);
  });

  it('refunds and settles a receipt, and deletes only the counter on reset', async () => {
    const { key, nameOf, checkOf } = hashOf();
    const receiptKey = `${key.slice(0, key.indexOf('}') + 1)}:r1=x`;
    const receipt = { key: receiptKey, holder: 1, fingerprint: 1, keepMs: MINUTE_MS, expiresAfterMs: 0 };
    const options = { nowUs: START_US };
    const used = async () => {
      const fields = Object.entries(await redis.hgetall(key));
      return Object.fromEntries(fields.map(([field, text]) => [field, Number(text.slice(0, -12))]));
    };
    for (const user of ['u', 'v']) await byRun(checkOf(user), options);
    await sendBatch(redis, [{ checks: [checkOf('u', 3)], peek: false, receipt }], options);
    expect(await used()).toEqual({ '=u': 4, '=v': 1 });
    const settled = await sendAmendment(
      redis,
      { op: 'settle', receiptKey, cost: 1, overrun: 'reject' },
      options,
    );
    expect(settled).toMatchObject({ status: 'applied', units: 2 });
    expect(await used()).toEqual({ '=u': 2, '=v': 1 });
    await sendAmendment(redis, { op: 'reset', keys: [nameOf('u')] }, options);
    expect(await used()).toEqual({ '=v': 1 });
  });

  it('admits the limit of each user in each window, and keeps the hash for another', async () => {
    let nowUs = START_US;
    const store = new RedisStore({
      url: server.url,
      deadlineMs: 60_000,
      clockUs: () => {
        nowUs += 10_000;
        return nowUs;
      },
    });
    await store.connected(WAIT_LIMIT_MS);
    const { key, checkOf } = hashOf(limitOf(3, 1000));
    const users = Array.from({ length: 20 }, (_, n) => `u${n}`);
    const admitted = new Map<string, number>();
    while (nowUs < START_US + 2_000_000) {
      const replies = await Promise.all(
        users.map((user) => store.charge({ checks: [checkOf(user)], peek: false })),
      );
      for (const [i, reply] of replies.entries()) {
        const { nowUs: decidedUs, allowed } = reply as Decided;
        const window = `${users[i]} ${Math.floor(decidedUs / 1_000_000)}`;
        admitted.set(window, (admitted.get(window) ?? 0) + (allowed ? 1 : 0));
      }
    }
    await store.close();
    const counts = [...admitted.values()];
    expect(Math.max(...counts)).toBe(3);
    expect(counts.filter((count) => count === 3).length).toBeGreaterThanOrEqual(40);
    expect(await redis.pexpiretime(key)).toBe(Math.floor(nowUs / 1_000_000) * 1000 + 2000);
  });
});
