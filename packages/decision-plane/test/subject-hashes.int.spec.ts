import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompiledLimit } from '../src/policy/compile.js';
import { amend } from '../src/scripts/amend.js';
import { decideBatch } from '../src/scripts/decide.js';
import { decideRun, splitRuns } from '../src/scripts/runs.js';
import type { Check } from '../src/store/decision-store.js';
import { addressOf, counterKey } from '../src/store/keys.js';
import { MemoryStore } from '../src/store/memory/memory-store.js';
import { TimedHashes } from './packed-hashes.js';
import { compiled, fixedWindowPolicy, gcraPolicy, policyBy } from './policies.js';

const SEED = Number(process.env.SUBJECT_SEED ?? Date.now() % 2 ** 31);
const START_US = Date.UTC(2026, 0, 31, 12) * 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ofUser = { storage: 'subject' as const, per: ['user'] };

const LIMITS = [
  compiled(fixedWindowPolicy({ ...ofUser, name: 'second', limit: 2, windowMs: 1000 })),
  compiled(gcraPolicy({ ...ofUser, name: 'minute', limit: 3, windowMs: MINUTE_MS, burst: 2 })),
  compiled(
    policyBy(
      { algorithm: 'token_bucket', limit: 10, windowMs: MINUTE_MS, capacity: 20, refill: 'continuous' },
      { ...ofUser, name: 'bucket' },
    ),
  ),
  compiled(
    fixedWindowPolicy({
      ...ofUser,
      ...{ name: 'hour', limit: 40, windowMs: HOUR_MS, alignment: 'first_request' },
      throttle: { mode: 'soft', percent: 10 },
    }),
  ),
];

describe(`one hash per subject (seed ${SEED}; repeat with SUBJECT_SEED)`, () => {
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

  /** Counters of an unused tenant's user. */
  function subject() {
    const tenant = `subject-${unique++}`;
    const checkOf = ({ policy, keyStem }: CompiledLimit, cost = 1): Check => ({
      key: counterKey(tenant, keyStem, ['=u1']),
      policy,
      cost,
    });
    const { key } = addressOf(checkOf(LIMITS[0] as CompiledLimit).key);
    return { tenant, key, checkOf };
  }

  const decide = async (checks: readonly Check[], nowUs = START_US) =>
    (await decideBatch(redis, [{ checks, peek: false }], { nowUs }))[0];

  it('stores a field per limit and charges all of them or none', async () => {
    const { key, checkOf } = subject();
    const checks = LIMITS.map((limit) => checkOf(limit));
    expect(await decide(checks)).toMatchObject({ allowed: true });
    const stored = await redis.hgetall(key);
    expect(Object.keys(stored).sort()).toEqual(['f1:hour', 'f1:second', 'g1:minute', 't1:bucket']);
    expect(await redis.keys(`${key.slice(0, key.indexOf('}'))}*`)).toEqual([key]);
    expect(await decide(LIMITS.map((limit) => checkOf(limit, 3)))).toMatchObject({ allowed: false });
    expect(await redis.hgetall(key)).toEqual(stored);
  });

  it('is charged by requests with one of its limits and with all of them', async () => {
    const { key, checkOf } = subject();
    const checks = LIMITS.map((limit) => checkOf(limit));
    const requests = [checks.slice(0, 1), checks, checks.slice(0, 1)].map((some) => ({
      checks: some,
      peek: false,
    }));
    const decided = [];
    for (const request of requests)
      for (const run of splitRuns([request]))
        decided.push(...(await decideRun(redis, run, { nowUs: START_US })));
    expect(decided).toMatchObject([{ allowed: true }, { allowed: true }, { allowed: false }]);
    expect(await redis.keys(`${key}*`)).toEqual([key]);
  });

  it('never expires before a limit that it counts, at any order of charges', async () => {
    const step = fc.record({
      moveMs: fc.oneof(fc.nat(3000), fc.nat(90_000), fc.nat(2 * HOUR_MS)),
      limits: fc.uniqueArray(fc.nat(LIMITS.length - 1), { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const { key, checkOf } = subject();
        let nowUs = START_US;
        const model = new MemoryStore({ clockUs: () => nowUs });
        const time = new TimedHashes(redis, [key], nowUs);
        for (const { moveMs, limits } of steps) {
          nowUs += moveMs * 1000;
          await time.advance(nowUs);
          const checks = limits.map((limit) => checkOf(LIMITS[limit] as CompiledLimit));
          expect(await decide(checks, nowUs)).toEqual(model.decideNow({ checks, peek: false }));
        }
      }),
      { seed: SEED, numRuns: 5 },
    );
  });

  it('expires with the longest of its limits', async () => {
    const { key, checkOf } = subject();
    const [second, , , hour] = LIMITS.map((limit) => checkOf(limit));
    await decide([second as Check]);
    expect(await redis.pttl(key)).toBeLessThan(10_000);
    await decide([hour as Check]);
    const leftMs = await redis.pttl(key);
    expect(leftMs).toBeGreaterThan(HOUR_MS);
    expect(leftMs).toBeLessThan(2 * HOUR_MS);
    await decide([second as Check]);
    expect(await redis.pttl(key)).toBeGreaterThan(leftMs - MINUTE_MS);
  });

  it('sets an expiry although the mark of the last charge is current again', async () => {
    const { key, checkOf } = subject();
    const check = checkOf(LIMITS[1] as CompiledLimit);
    const periodsUs = 18 * 2 ** (check.policy.wire[4] ?? 0) * 1000;
    await decide([check]);
    await redis.pexpire(key, 1000);
    await decide([check], START_US + periodsUs);
    expect(await redis.pttl(key)).toBeGreaterThan(MINUTE_MS);
  });

  it('keeps the counters of limits that leave, and admits limits that join', async () => {
    const { key, checkOf } = subject();
    const [second, minute, bucket] = LIMITS.map((limit) => checkOf(limit)) as [Check, Check, Check];
    await decide([second, minute]);
    await decide([minute, bucket]);
    expect(await decide([second, minute, bucket])).toMatchObject({
      checks: [{ remaining: 0 }, { remaining: 0 }, { remaining: 18 }],
    });
    await amend(redis, { op: 'reset', keys: [minute.key] }, { nowUs: START_US });
    expect((await redis.hkeys(key)).sort()).toEqual(['f1:second', 't1:bucket']);
    expect(await decide([minute])).toMatchObject({ checks: [{ remaining: 2 }] });
  });

  it('refunds a receipt on all limits', async () => {
    const { tenant, checkOf } = subject();
    const checks = LIMITS.map((limit) => checkOf(limit));
    const receiptKey = `{${tenant}}:r1=x`;
    const receipt = { key: receiptKey, holder: 1, fingerprint: 1, keepMs: MINUTE_MS, expiresAfterMs: 0 };
    const options = { nowUs: START_US };
    await decideBatch(redis, [{ checks, peek: false, receipt }], options);
    const refunded = await amend(redis, { op: 'refundReceipt', receiptKey, reason: 'all' }, options);
    expect(refunded).toMatchObject({ status: 'applied', units: 1 });
    const again = await decide(checks);
    expect(again?.checks.map(({ remaining }) => remaining)).toEqual([1, 2, 19, 39]);
  });

  it('replaces a value of another type', async () => {
    const { key, checkOf } = subject();
    await redis.set(key, 'text');
    expect(await decide(LIMITS.map((limit) => checkOf(limit)))).toMatchObject({ allowed: true });
    expect(await redis.hlen(key)).toBe(LIMITS.length);
  });
});
