import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { amend } from '../src/scripts/amend.js';
import { decideBatch } from '../src/scripts/decide.js';
import type { Amendment } from '../src/store/decision-store.js';
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

it('each renewal extends a reservation by one term', async () => {
  const { policy } = compiled(fixedWindowPolicy({ limit: 10, windowMs: 86_400_000 }));
  const receipt = { key: '{a}:r1=1', holder: 1, fingerprint: 1, keepMs: 2 ** 40, expiresAfterMs: 60_000 };
  const checks = [{ key: '{a}:k', policy, cost: 4 }];
  await decideBatch(redis, [{ checks, peek: false, receipt }], { nowUs: T0_US });
  const at = (seconds: number, amendment: Amendment) =>
    amend(redis, amendment, { nowUs: T0_US + seconds * SECOND_US });
  for (const seconds of [50, 100, 150]) {
    expect(await at(seconds, { op: 'renew', receiptKey: receipt.key })).toMatchObject({ status: 'applied' });
  }
  const expired = { op: 'refundReceipt', receiptKey: receipt.key, reason: 'expired' } as const;
  expect(await at(209, expired)).toMatchObject({ status: 'rejected', resetAfterUs: SECOND_US });
  expect(await at(210, expired)).toMatchObject({ status: 'applied', units: 4 });
});
