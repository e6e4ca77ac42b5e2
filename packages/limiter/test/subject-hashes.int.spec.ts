import type { LimitPolicy } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/memory/memory-store.js';
import type { CompiledLimit } from '../src/rules/compile.js';
import { addressOf, counterKey } from '../src/rules/keys.js';
import { sendAmendment } from '../src/scripts/amend.js';
import { BatchExpired, type CallTiming, sendBatch, splitByPolicyId } from '../src/scripts/decide.js';
import { sendRun, splitRuns } from '../src/scripts/runs.js';
import type { Check, Decided, StoreRequest } from '../src/stores/decision-store.js';
import { CARRY_OVERS, Lineage } from './lineage.js';
import { compiled, fixedWindowPolicy, gcraPolicy, policyBy } from './policies.js';
import { deleteExpired, START_MS } from './script-clock.js';

const START_US = START_MS * 1000;
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

/** Decides a batch by the general script alone. */
async function byGeneralScript(redis: Redis, requests: readonly StoreRequest[], options: CallTiming) {
  const replies: Decided[] = [];
  if (requests.length === 0) return replies;
  for (const part of splitByPolicyId(requests)) replies.push(...(await sendBatch(redis, part, options)));
  return replies;
}

/** Decides a batch as a lane does: by run scripts, and by the general script what those leave. */
async function byRunScripts(redis: Redis, requests: readonly StoreRequest[], options: CallTiming) {
  const replies = new Map<StoreRequest, Decided>();
  const counts = { run: 0, left: 0 };
  for (const run of splitRuns(requests)) {
    const decided = await sendRun(redis, run, options);
    const left = run.requests.filter((request, i) => {
      const reply = decided[i] as Decided | undefined;
      if (reply !== undefined) replies.set(request, reply);
      return reply === undefined;
    });
    if (run.family !== undefined) counts.run += run.requests.length;
    counts.left += left.length;
    for (const [i, reply] of (await byGeneralScript(redis, left, options)).entries())
      replies.set(left[i] as StoreRequest, reply);
  }
  return { replies: requests.map((request) => replies.get(request) as Decided), ...counts };
}

const SCRIPTS = {
  'the general script': byGeneralScript,
  'run scripts': async (...args: Parameters<typeof byRunScripts>) => (await byRunScripts(...args)).replies,
};

describe.each(Object.entries(SCRIPTS))('one hash per subject by %s', (_, send) => {
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
    (await send(redis, [{ checks, peek: false }], { nowUs }))[0];

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
        for (const { moveMs, limits } of steps) {
          nowUs += moveMs * 1000;
          await deleteExpired(redis, [key], nowUs);
          const checks = limits.map((limit) => checkOf(LIMITS[limit] as CompiledLimit));
          expect(await decide(checks, nowUs)).toEqual(model.chargeNow({ checks, peek: false }));
        }
      }),
      { numRuns: 5 },
    );
  });

  it('expires with the longest of its limits', async () => {
    const { key, checkOf } = subject();
    const [second, , , hour] = LIMITS.map((limit) => checkOf(limit));
    await decide([second as Check]);
    expect(await redis.pexpiretime(key)).toBeLessThan(START_MS + 10_000);
    await decide([hour as Check]);
    const expiresAtMs = await redis.pexpiretime(key);
    expect(expiresAtMs).toBeGreaterThan(START_MS + HOUR_MS);
    expect(expiresAtMs).toBeLessThan(START_MS + 2 * HOUR_MS);
    await decide([second as Check]);
    expect(await redis.pexpiretime(key)).toBe(expiresAtMs);
  });

  it('sets an expiry although the mark of the last charge is current again', async () => {
    const { key, checkOf } = subject();
    const check = checkOf(LIMITS[1] as CompiledLimit);
    const periodsUs = 18 * 2 ** (check.policy.wire[4] ?? 0) * 1000;
    await decide([check]);
    await decide([check], START_US + periodsUs);
    expect(await redis.pexpiretime(key)).toBeGreaterThan((START_US + periodsUs) / 1000 + MINUTE_MS);
  });

  it('keeps the counters of limits that leave, and admits limits that join', async () => {
    const { key, checkOf } = subject();
    const [second, minute, bucket] = LIMITS.map((limit) => checkOf(limit)) as [Check, Check, Check];
    await decide([second, minute]);
    await decide([minute, bucket]);
    expect(await decide([second, minute, bucket])).toMatchObject({
      checks: [{ remaining: 0 }, { remaining: 0 }, { remaining: 18 }],
    });
    await sendAmendment(redis, { op: 'reset', keys: [minute.key] }, { nowUs: START_US });
    expect((await redis.hkeys(key)).sort()).toEqual(['f1:second', 't1:bucket']);
    expect(await decide([minute])).toMatchObject({ checks: [{ remaining: 2 }] });
  });

  it('refunds a receipt on all limits', async () => {
    const { tenant, checkOf } = subject();
    const checks = LIMITS.map((limit) => checkOf(limit));
    const receiptKey = `{${tenant}}:r1=x`;
    const receipt = { key: receiptKey, holder: 1, fingerprint: 1, keepMs: MINUTE_MS, expiresAfterMs: 0 };
    const options = { nowUs: START_US };
    await send(redis, [{ checks, peek: false, receipt }], options);
    const refunded = await sendAmendment(redis, { op: 'refundReceipt', receiptKey, reason: 'all' }, options);
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

/** Fields of one hash: each limit's policies differ in the limit. */
const RULES: readonly LimitPolicy[] = [
  gcraPolicy({ limit: 10, windowMs: MINUTE_MS, burst: 3 }),
  gcraPolicy({ limit: 10, windowMs: MINUTE_MS, burst: 5, throttle: { mode: 'soft', percent: 50 } }),
  gcraPolicy({ limit: 10, windowMs: MINUTE_MS, burst: 2, throttle: { mode: 'queue', maxDelayMs: 3000 } }),
  policyBy({ algorithm: 'leaky_bucket', limit: 10, windowMs: MINUTE_MS, queue: 4 }),
  fixedWindowPolicy({ limit: 6, windowMs: MINUTE_MS }),
  fixedWindowPolicy({
    limit: 6,
    windowMs: HOUR_MS,
    alignment: 'first_request',
    throttle: { mode: 'soft', percent: 50 },
  }),
  fixedWindowPolicy({ limit: 2 ** 40, windowMs: 24 * HOUR_MS }),
  fixedWindowPolicy({ limit: 2 ** 40, windowMs: 24 * HOUR_MS, alignment: 'first_request' }),
];

/** Texts that no script writes. */
const ODD_TEXTS = ['', '7', '064', 'text', '12.064', '-5000000000000064', '0x12345678901234064'];

const place = fc.nat(RULES.length - 1);
const SUBJECTS = 30;
const subject = fc.nat(SUBJECTS - 1);
const request = fc.record({
  subject,
  places: fc.uniqueArray(place, { minLength: 1, maxLength: 3 }),
  cost: fc.oneof(
    { weight: 6, arbitrary: fc.constant(1) },
    { weight: 2, arbitrary: fc.nat(4) },
    { weight: 1, arbitrary: fc.constantFrom(9000, 2 ** 31, 2 ** 36) },
  ),
  policy: fc.oneof(
    { weight: 6, arbitrary: fc.constant('current' as const) },
    { weight: 2, arbitrary: fc.constant('shadowed' as const) },
    { weight: 1, arbitrary: fc.constant('stale' as const) },
  ),
  kind: fc.oneof(
    { weight: 40, arbitrary: fc.constant('plain' as const) },
    { weight: 1, arbitrary: fc.constantFrom('peek', 'look', 'several costs', 'several hashes', 'receipt') },
  ),
});

const batch = fc.record({
  moveUs: fc.oneof(
    { weight: 4, arbitrary: fc.nat(50_000) },
    { weight: 3, arbitrary: fc.nat(60_000_000) },
    { weight: 1, arbitrary: fc.constantFrom(60_000_000, 3_600_000_000, -5_000_000, 86_400_000_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000_000, max: 0 }) },
  ),
  change: fc.option(fc.record({ place, policy: fc.nat(2), rule: fc.constantFrom(...CARRY_OVERS) }), {
    freq: 3,
  }),
  expired: fc.option(subject, { freq: 6 }),
  odd: fc.option(fc.record({ place, subject, text: fc.constantFrom(...ODD_TEXTS) }), { freq: 12 }),
  requests: fc.array(request, { minLength: 1, maxLength: 24, size: 'max' }),
});

describe("the run script of a subject's hash", () => {
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

  it('decides and stores as the general script and the model over mixed batches, policy changes and moving clocks', async () => {
    let [tenants, byRun, left] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 25, size: 'max' }), async (batches) => {
        const tenant = `equal-${tenants++}`;
        let nowUs = START_US;
        let isOdd = false;
        const model = new MemoryStore({ clockUs: () => nowUs });
        const lineages = RULES.map(
          (stored) =>
            new Lineage(
              [1, 2, 0.5].map(
                (factor) => ({ ...stored, limit: Math.ceil(stored.limit * factor) }) as LimitPolicy,
              ),
              'always',
            ),
        );
        const hashOf = (store: string, subject: number) => `{${tenant}}s${store}=${subject}`;
        const subjects = Array.from({ length: SUBJECTS }, (_, number) => number);
        const hashes = ['run', 'general'].flatMap((store) =>
          subjects.map((subject) => hashOf(store, subject)),
        );
        for (const { moveUs, change, expired, odd, requests } of batches) {
          nowUs += moveUs;
          await deleteExpired(redis, hashes, nowUs);
          if (change !== null) lineages[change.place]?.change(change.policy, change.rule, nowUs);
          if (expired !== null) {
            await redis.del(hashOf('run', expired), hashOf('general', expired));
            await model.amend({
              op: 'reset',
              keys: RULES.map((__, at) => `${hashOf('model', expired)}|f1:${at}`),
            });
          }
          if (odd !== null) {
            isOdd = true;
            for (const store of ['run', 'general']) {
              await redis.hset(hashOf(store, odd.subject), `f1:${odd.place}`, odd.text);
              await redis.expire(hashOf(store, odd.subject), 100_000);
            }
          }
          const requestsOn = (store: string): StoreRequest[] =>
            requests.map(({ subject: owner, places, cost, policy, kind }, number) => ({
              peek: kind === 'peek',
              checks: places.map((at, nth) => ({
                key: `${hashOf(store, kind === 'several hashes' ? (owner + nth) % SUBJECTS : owner)}|f1:${at}`,
                policy: (lineages[at] as Lineage)[policy],
                cost: kind === 'several costs' ? cost + nth : cost,
                ...(kind === 'look' && cost > 0 && cost < 2 ** 31 ? { look: true as const } : {}),
              })),
              ...(kind === 'receipt'
                ? {
                    receipt: {
                      key: `{${tenant}}:r${store}${number % 3}`,
                      ...{ holder: 1, fingerprint: 1, keepMs: 2 ** 40, expiresAfterMs: 0 },
                    },
                  }
                : {}),
            }));
          const options = { nowUs };
          const { replies, run, left: handedOver } = await byRunScripts(redis, requestsOn('run'), options);
          byRun += run;
          left += handedOver;
          expect(replies).toEqual(await byGeneralScript(redis, requestsOn('general'), options));
          if (!isOdd) expect(replies).toEqual(requestsOn('model').map((each) => model.chargeNow(each)));
          for (const number of new Set(requests.map((each) => each.subject))) {
            const [own, other] = ['run', 'general'].map((store) => redis.hgetall(hashOf(store, number)));
            expect(await own).toEqual(await other);
          }
        }
      }),
      { numRuns: 25, endOnFailure: false },
    );
    expect(byRun).toBeGreaterThan(500);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(byRun / 2);
  });

  it('charges the field of each limit if several have one policy', async () => {
    const { policy } = LIMITS[0] as CompiledLimit;
    const names = ['{one-policy}s=1|f1:first', '{one-policy}s=2|f1:second'];
    const requests = names.map((key) => ({ checks: [{ key, policy, cost: 1 }], peek: false }));
    expect((await byRunScripts(redis, requests, { nowUs: START_US })).left).toBe(0);
    for (const { key, field } of names.map(addressOf)) expect(await redis.hkeys(key)).toEqual([field]);
  });

  it('charges nothing after the deadline, and leaves a value of another type to the general script', async () => {
    const checks = LIMITS.map(({ policy, keyStem }) => ({
      key: counterKey('late', keyStem, ['=u1']),
      policy,
      cost: 1,
    }));
    const [run] = splitRuns([{ checks, peek: false }]);
    if (run === undefined) throw new Error('no run');
    await expect(sendRun(redis, run, { nowUs: START_US, expiresAtUs: START_US - 1 })).rejects.toEqual(
      new BatchExpired(START_US),
    );
    const { key } = addressOf(checks[0]?.key ?? '');
    expect(await redis.exists(key)).toBe(0);
    await redis.set(key, 'text');
    expect(await sendRun(redis, run, { nowUs: START_US, expiresAtUs: START_US })).toEqual([undefined]);
  });
});
