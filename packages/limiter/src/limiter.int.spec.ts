import { createTestRedis } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Limit, Limiter, type LimiterOptions } from './limiter.js';
import { MemoryStore } from './memory/memory-store.js';
import { FakeClock } from './testing/fake-clock.js';

/** Refills too slowly to matter within a test. */
const PER_DAY: Limit = { name: 'per-day', algorithm: 'gcra', limit: 5, windowMs: 86_400_000, burst: 4 };
const PER_ADDRESS: Limit = { ...PER_DAY, name: 'per-address', limit: 3, burst: 2 };
const PERMITS: Limit = { name: 'at-once', algorithm: 'concurrency', limit: 1, leaseMs: 60_000 };

let server: Awaited<ReturnType<typeof createTestRedis>>;
let limiter: Limiter;

beforeAll(async () => {
  server = await createTestRedis();
  limiter = connected();
});
afterAll(async () => {
  await limiter?.close();
  await server?.stop();
});

const connected = () => new Limiter({ redis: server.url, deadlineMs: 5000 });

describe('a limiter', () => {
  it('charges all limits of a request, or none', async () => {
    const request = [
      { limit: PER_DAY, key: 'ann', cost: 2 },
      { limit: PER_ADDRESS, key: '192.0.2.1', cost: 2 },
    ];
    expect(await limiter.charge(request)).toMatchObject({
      allowed: true,
      outcomes: [
        { limit: 'per-day', allowed: true, remaining: 3 },
        { limit: 'per-address', allowed: true, remaining: 1 },
      ],
    });
    const denied = await limiter.charge(request);
    expect(denied).toMatchObject({
      allowed: false,
      outcomes: [{ allowed: true, remaining: 3 }, { allowed: false }],
    });
    expect(denied.waitMs).toBeGreaterThan(0);
    expect(await limiter.peek(request)).toMatchObject({ outcomes: [{ remaining: 3 }, { remaining: 1 }] });
  });

  it('admits exactly the limit through several limiters at once', async () => {
    const [one, two] = [connected(), connected()];
    const limiters = [limiter, one, two];
    const charges = Array.from({ length: 20 }, () =>
      limiters.map((each) => each.charge([{ limit: PER_DAY, key: 'race' }])),
    ).flat();
    const allowed = (await Promise.all(charges)).filter((charge) => charge.allowed);
    expect(allowed).toHaveLength(5);
    await Promise.all([one.close(), two.close()]);
  });

  it('charges an id once, and rejects it for another request', async () => {
    const check = { limit: PER_DAY, key: 'ben' };
    const first = await limiter.charge([check], { id: 'order-17' });
    const again = await limiter.charge([check], { id: 'order-17' });
    expect(again).toMatchObject({
      allowed: true,
      repeated: true,
      receipt: first.receipt,
      outcomes: [{ remaining: 4 }],
    });
    await expect(limiter.charge([{ ...check, cost: 2 }], { id: 'order-17' })).rejects.toThrow(
      /order-17.*use a new one/,
    );
    expect(await limiter.refund(first.receipt)).toEqual({ status: 'applied', units: 1 });
    expect(await limiter.refund(first.receipt)).toMatchObject({ status: 'done' });
    expect(await limiter.peek([check])).toMatchObject({ outcomes: [{ remaining: 5 }] });
  });

  it('settles a reservation by its real cost', async () => {
    const check = { limit: PER_DAY, key: 'cleo', cost: 4 };
    const { receipt } = await limiter.charge([check], { reserveForMs: 60_000 });
    expect(await limiter.settle(receipt, 9)).toMatchObject({ status: 'rejected' });
    expect(await limiter.settle(receipt, 1)).toEqual({ status: 'applied', units: 3 });
    expect(await limiter.peek([check])).toMatchObject({ allowed: true, outcomes: [{ remaining: 4 }] });
  });

  it('gives a permit back when its request is reported', async () => {
    const { receipt } = await limiter.charge([{ limit: PERMITS, key: 'dan' }]);
    expect(await limiter.charge([{ limit: PERMITS, key: 'dan' }])).toMatchObject({ allowed: false });
    expect(await limiter.report(receipt, 'released')).toMatchObject({ status: 'applied' });
    expect(await limiter.charge([{ limit: PERMITS, key: 'dan' }])).toMatchObject({ allowed: true });
  });

  it('counts keys of any characters apart', async () => {
    const keys = ['a b', 'a', '{a}', 'a|b', 'ü'.repeat(100), `${'ü'.repeat(100)}x`, '\ud800', '\ud801', '=a'];
    for (const key of keys) {
      expect(await limiter.charge([{ limit: PER_DAY, key }])).toMatchObject({ outcomes: [{ remaining: 4 }] });
    }
  });

  it.each<[string, Parameters<Limiter['charge']>, RegExp]>([
    ['no check', [[]], /1 to 16 checks, not 0/],
    ['an empty key', [[{ limit: PER_DAY, key: '' }]], /key must be a text/],
    [
      'a cost below zero',
      [[{ limit: PER_DAY, key: 'x', cost: -1 }]],
      /cost must be a whole number, 0 or more, not -1/,
    ],
    ['a fraction', [[{ limit: PER_DAY, key: 'x', cost: 0.5 }]], /not 0.5/],
    [
      'one counter twice',
      [
        [
          { limit: PER_DAY, key: 'x' },
          { limit: PER_DAY, key: 'x' },
        ],
      ],
      /add their costs/,
    ],
    [
      'a limit of 0',
      [[{ limit: { ...PER_DAY, name: 'none', limit: 0 }, key: 'x' }]],
      /The limit none is invalid\. limit: limit must be 1 or more/,
    ],
    [
      'an unknown algorithm',
      [[{ limit: { name: 'broken', algorithm: 'sliding' as never, limit: 5 }, key: 'x' }]],
      /The limit broken is invalid\. algorithm: /,
    ],
    [
      'a limit without its window',
      [[{ limit: { name: 'broken', algorithm: 'gcra', limit: 5 }, key: 'x' }]],
      /The limit broken is invalid\. windowMs: /,
    ],
  ])('rejects %s', async (_name, args, message) => {
    await expect(limiter.charge(...args)).rejects.toThrow(message);
  });

  it('denies, and says why, while Redis does not answer', async () => {
    const away = new Limiter({ redis: 'redis://127.0.0.1:1' });
    expect(await away.charge([{ limit: PER_DAY, key: 'x' }])).toEqual({
      allowed: false,
      outcomes: [],
      waitMs: 0,
      unavailable: expect.any(String),
    });
    await away.close();
  });
});

it('takes any store, such as one in memory for tests', async () => {
  const clock = new FakeClock();
  const options: LimiterOptions = { store: new MemoryStore({ clockUs: () => clock.nowUs() }) };
  const inMemory = new Limiter(options);
  const ask = () => inMemory.charge([{ limit: PERMITS, key: 'x' }]);
  expect([(await ask()).allowed, (await ask()).allowed]).toEqual([true, false]);
  clock.advanceMs(60_000);
  expect(await ask()).toMatchObject({ allowed: true });
});
