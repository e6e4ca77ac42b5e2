import { createTestRedis, eventually, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../test/policies.js';
import type {
  Amended,
  Amendment,
  ReceiptOrder,
  StoreRequest,
  Unavailable,
} from '../stores/decision-store.js';
import { startFaultProxy } from '../testing/fault-proxy.js';
import { RedisStore } from './redis-store.js';
import { Reservations, SERVER_LISTS } from './reservations.js';

const LIMIT = 2000;
const [LIST = ''] = SERVER_LISTS;
/** Sweeps find no reservation of this time due by the server's clock. */
const LATER_MS = Date.UTC(2040, 0, 1);
/** Sweeps find each reservation of this time due; the store refuses to refund it within its term. */
const EARLIER_MS = Date.UTC(2020, 0, 1);
const OWN_LIST = 'tg:own-reservations';
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);
const done: Amended = {
  available: true,
  nowUs: 1,
  status: 'done',
  units: 0,
  remaining: 0,
  resetAfterUs: 0,
};
const check = { key: `{acme}${keyStem}`, policy, cost: 1 };

describe('reservations', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let store: RedisStore;
  let client: Redis;
  /** Time of the store. */
  let nowMs: number;

  beforeAll(async () => {
    server = await createTestRedis();
    client = new Redis(server.url);
    nowMs = LATER_MS;
    store = await connectStore(server.url);
  });
  beforeEach(async () => {
    nowMs = LATER_MS;
    await client.flushdb();
  });
  afterAll(async () => {
    await store?.close();
    client?.disconnect();
    await server?.stop();
  });

  async function connectStore(url: string): Promise<RedisStore> {
    const made = new RedisStore({ url, deadlineMs: WAIT_LIMIT_MS, clockUs: () => nowMs * 1000 });
    await made.connected(WAIT_LIMIT_MS);
    return made;
  }

  const receiptOf = (id: string | number, expiresAfterMs: number): ReceiptOrder => ({
    key: `{acme}:r1=${id}`,
    holder: 7,
    fingerprint: 1,
    keepMs: 600_000,
    expiresAfterMs,
  });
  const reserve = (id: string | number, expiresAfterMs: number, over: Partial<StoreRequest> = {}) =>
    store.charge({ checks: [check], peek: false, receipt: receiptOf(id, expiresAfterMs), ...over });
  const reserveMany = async (count: number, expiresAfterMs: number) => {
    const replies = await Promise.all(Array.from({ length: count }, (_, i) => reserve(i, expiresAfterMs)));
    expect(replies.every((reply) => reply.available && reply.allowed)).toBe(true);
  };

  async function held(): Promise<number> {
    const reply = await store.charge({ checks: [check], peek: true });
    return reply.available ? LIMIT - (reply.checks[0]?.remaining ?? 0) : Number.NaN;
  }

  /** Sweeps a separate list, with a clock far behind. */
  function sweeper(amend: (amendment: Amendment) => Promise<Amended | Unavailable>): Reservations {
    return new Reservations({
      redis: client,
      lists: [OWN_LIST],
      serverOf: () => client,
      amend,
      nowUs: () => 0,
    });
  }

  it('refunds 500 reservations of a crashed node after their term, with a round trip of a millisecond', async () => {
    const dead = await connectStore(server.url);
    const proxy = await startFaultProxy(Number(new URL(server.url).port));
    proxy.setLatencyMs(1);
    await store.close();
    nowMs = EARLIER_MS;
    const requests = Array.from({ length: 500 }, (_, i) => ({
      checks: [check],
      peek: false,
      receipt: receiptOf(i, 60_000),
    }));
    await Promise.all(requests.map((request) => dead.charge(request)));
    await dead.close();
    expect(await client.zcard(LIST)).toBe(500);
    nowMs += 60_000;
    // With the production deadline: a sweep beyond it refunds nothing.
    store = new RedisStore({ url: `redis://127.0.0.1:${proxy.port}`, clockUs: () => nowMs * 1000 });
    await store.connected(WAIT_LIMIT_MS);
    await eventually(async () => (await held()) === 0);
    await eventually(async () => (await client.zcard(LIST)) === 0);
    await store.close();
    await proxy.close();
    store = await connectStore(server.url);
  });

  it.each([
    ['settled', { op: 'settle', cost: 1, overrun: 'cap' }],
    ['released', { op: 'refundReceipt', reason: 'released' }],
    ['refunded', { op: 'refundReceipt', reason: 'all' }],
  ] as const)('unlists a reservation that is %s on any node', async (_, change) => {
    await reserve('held', 60_000);
    expect(await client.zcard(LIST)).toBe(1);
    const other = await connectStore(server.url);
    await other.amend({ ...change, receiptKey: receiptOf('held', 0).key });
    await eventually(async () => (await client.zcard(LIST)) === 0);
    await other.close();
  });

  it('keeps a reservation listed when only its outcome is reported', async () => {
    await reserve('held', 60_000);
    await store.amend({ op: 'refundReceipt', reason: 'success', receiptKey: receiptOf('held', 0).key });
    expect(await client.zcard(LIST)).toBe(1);
  });

  it('unlists a reservation that was denied', async () => {
    await reserve('refused', 60_000, { checks: [{ ...check, cost: LIMIT + 1 }] });
    await eventually(async () => (await client.zcard(LIST)) === 0);
  });

  it('lists a reservation by its expiry, which a repeated request does not change', async () => {
    await reserve('held', 60_000);
    const score = Number(await client.zscore(LIST, receiptOf('held', 0).key));
    expect(await reserve('held', 60_000)).toMatchObject({ replayed: true });
    expect(Number(await client.zscore(LIST, receiptOf('held', 0).key))).toBe(score);
  });

  it('keeps a reservation listed when its id is reserved again during a release', async () => {
    const receipt = receiptOf('again', 60_000);
    const reservations = sweeper(() => Promise.reject(new Error('nothing is due')));
    await reservations.reserve(receipt, async () => {
      reservations.afterAmend({ op: 'refundReceipt', reason: 'released', receiptKey: receipt.key }, done);
      return await store.charge({ checks: [check], peek: false, receipt });
    });
    expect(await client.zcard(OWN_LIST)).toBe(1);
  });

  it('a thousand renewed reservations do not delay the refund of an expired one', async () => {
    await reserveMany(1000, 60_000);
    await reserve('dead', 1);
    const listed = await client.zrange(LIST, '0', '-1');
    expect(listed).toHaveLength(1001);
    nowMs++;
    await client.zadd(LIST, ...listed.flatMap((key) => ['1', key]));
    await eventually(async () => (await held()) === 1000);
    await eventually(async () => (await client.zcount(LIST, '-inf', '1')) === 0);
    expect(await client.zcard(LIST)).toBe(1000);
  });

  it('reservations on an unavailable shard do not delay the refunds of others', async () => {
    const isAway = (receiptKey: string) => Number(receiptKey.split('=')[1]) < 100;
    const keys = Array.from({ length: 200 }, (_, i) => receiptOf(i, 0).key);
    // Unavailable ones fail immediately; being listed first, they would block the batch.
    await client.zadd(OWN_LIST, ...keys.flatMap((key, i) => [String(i), key]));
    const returned = new Set<string>();
    await sweeper(async (amendment) => {
      if (!('receiptKey' in amendment) || isAway(amendment.receiptKey))
        return { available: false, reason: 'disconnected' };
      returned.add(amendment.receiptKey);
      return done;
    }).sweep();
    expect(returned).toEqual(new Set(keys.filter((key) => !isAway(key))));
  });

  it('refunds once when several nodes find the same reservation', async () => {
    await reserveMany(300, 60_000);
    const listed = await client.zrange(LIST, '0', '-1');
    const replies: (Amended | Unavailable)[] = [];
    await client.zadd(OWN_LIST, ...listed.flatMap((key) => ['1', key]));
    const sweepers = [1, 2, 3].map(() =>
      sweeper(async (amendment) => {
        const reply = await store.amend({ ...amendment, reason: 'released' } as Amendment);
        replies.push(reply);
        return reply;
      }),
    );
    await Promise.all(sweepers.map((one) => one.sweep()));
    expect(replies.filter((reply) => reply.available && reply.status === 'applied')).toHaveLength(300);
    expect(await held()).toBe(0);
  });

  it('expires an unused list, after every term', async () => {
    await reserve('held', 60_000);
    expect(await client.pttl(LIST)).toBeGreaterThan(86_400_000);
  });
});
