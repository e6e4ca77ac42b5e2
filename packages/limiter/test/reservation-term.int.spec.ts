import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendAmendment } from '../src/scripts/amend.js';
import { sendBatch } from '../src/scripts/decide.js';
import type { Amendment } from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { START_MS } from './script-clock.js';

/** Midnight: the day's window ends after the reservation. */
const T0_US = (START_MS + 60_000) * 1000;
const SECOND_US = 1_000_000;

let server: Awaited<ReturnType<typeof createTestRedis>>;
let redis: Redis;
beforeAll(async () => {
  server = await createTestRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

let reservations = 0;

/** A reservation of 4 units of 10 for a minute, at {@link T0_US}, with amendments a number of seconds later. */
async function reserved() {
  reservations++;
  const tag = `{reserved-${reservations}}`;
  const { policy } = compiled(fixedWindowPolicy({ limit: 10, windowMs: 86_400_000 }));
  const receipt = { key: `${tag}:r1=1`, holder: 1, fingerprint: 1, keepMs: 2 ** 40, expiresAfterMs: 60_000 };
  const check = { key: `${tag}:k`, policy, cost: 4 };
  const receiptKey = receipt.key;
  const reserve = (seconds: number) =>
    sendBatch(redis, [{ checks: [check], peek: false, receipt }], { nowUs: T0_US + seconds * SECOND_US });
  await reserve(0);
  const at = (seconds: number, amendment: Amendment) =>
    sendAmendment(redis, amendment, { nowUs: T0_US + seconds * SECOND_US });
  const amendments = {
    settle: { op: 'settle', receiptKey, cost: 3, overrun: 'cap' },
    renew: { op: 'renew', receiptKey },
    release: { op: 'refundReceipt', receiptKey, reason: 'released' },
    refund: { op: 'refundReceipt', receiptKey, reason: 'all' },
    report: { op: 'refundReceipt', receiptKey, reason: 'success' },
    sweep: { op: 'refundReceipt', receiptKey, reason: 'expired' },
  } as const satisfies Record<string, Amendment>;
  const left = async (seconds: number) => {
    const nowUs = T0_US + seconds * SECOND_US;
    const [decided] = await sendBatch(redis, [{ checks: [check], peek: true }], { nowUs });
    return decided?.checks[0]?.remaining;
  };
  return { reserve, at, amendments, left };
}

it('each renewal extends a reservation by one term', async () => {
  const { at, amendments } = await reserved();
  for (const seconds of [50, 100, 150]) {
    expect(await at(seconds, amendments.renew)).toMatchObject({ status: 'applied' });
  }
  expect(await at(209, amendments.sweep)).toMatchObject({ status: 'rejected', resetAfterUs: SECOND_US });
  expect(await at(210, amendments.sweep)).toMatchObject({ status: 'applied', units: 4 });
});

const VERBS = ['settle', 'renew', 'release', 'refund', 'report'] as const;

it.each(VERBS)(
  'finds no reservation to %s from its expiry on, before and after it is swept',
  async (verb) => {
    const late = await reserved();
    expect(await late.at(60, late.amendments[verb])).toMatchObject({ status: 'not_found', units: 0 });
    expect(await late.left(60)).toBe(10);
    expect(await late.at(60, late.amendments.sweep)).toMatchObject({ status: 'done' });
    const swept = await reserved();
    expect(await swept.at(60, swept.amendments.sweep)).toMatchObject({ status: 'applied', units: 4 });
    for (const seconds of [60, 90])
      expect(await swept.at(seconds, swept.amendments[verb])).toMatchObject({
        status: 'not_found',
        units: 0,
      });
    expect(await swept.left(90)).toBe(10);
  },
);

it.each(['settle', 'release', 'refund'] as const)(
  'a repeated %s is done, also after the expiry',
  async (verb) => {
    const { at, amendments } = await reserved();
    expect(await at(59, amendments[verb])).toMatchObject({ status: 'applied' });
    for (const seconds of [59, 60, 90])
      expect(await at(seconds, amendments[verb])).toMatchObject({ status: 'done', units: 0 });
    expect(await at(90, amendments.sweep)).toMatchObject({ status: 'done' });
  },
);

it('a repeated report is done, also after the expiry of its reservation', async () => {
  const { at, amendments } = await reserved();
  expect(await at(59, amendments.report)).toMatchObject({ status: 'applied' });
  for (const seconds of [59, 60])
    expect(await at(seconds, amendments.report)).toMatchObject({ status: 'done' });
  expect(await at(60, amendments.sweep)).toMatchObject({ status: 'applied' });
  expect(await at(60, amendments.report)).toMatchObject({ status: 'done' });
});

it('an id whose reservation expired can be reserved again', async () => {
  const { reserve, at, amendments, left } = await reserved();
  await at(60, amendments.sweep);
  expect(await reserve(60)).toMatchObject([{ allowed: true, replayed: false }]);
  expect(await at(61, amendments.settle)).toMatchObject({ status: 'applied', units: 1 });
  expect(await left(61)).toBe(7);
});
