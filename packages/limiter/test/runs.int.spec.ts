import type { ChargeRule, LimitPolicy } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WindowState } from '../src/algorithms/fixed-window.js';
import { MemoryStore } from '../src/memory/memory-store.js';
import { Lane } from '../src/redis/lane.js';
import type { WirePolicy } from '../src/rules/compile.js';
import { addressOf } from '../src/rules/keys.js';
import { BatchExpired, type CallTiming, sendBatch, splitByPolicyId } from '../src/scripts/decide.js';
import { type Run, sendRun, splitRuns } from '../src/scripts/runs.js';
import type { Check, StoreReply, StoreRequest } from '../src/stores/decision-store.js';
import { CARRY_OVERS, Lineage } from './lineage.js';
import { packedState, storedTexts, wasOver } from './packed-hashes.js';
import { compiled, gcraPolicy, policyBy } from './policies.js';
import { deleteExpired, START_MS } from './script-clock.js';

const RUNS = Number(process.env.RUNS_RUNS ?? 40);

const rate = { limit: 10, windowMs: 10_000 };
const soft = { mode: 'soft', percent: 50 } as const;
const window = { algorithm: 'fixed_window', limit: 6, windowMs: 5000, alignment: 'clock' } as const;
const firstRequest = { ...window, alignment: 'first_request' } as const;

const packed = { storage: 'packed' as const, expectedSubjects: 1, per: ['user'] };

/** Each counter's rule; its policies differ in the limit. Rules that no run script decides are for mixed batches. */
const COUNTERS: readonly { stored: LimitPolicy; charge?: ChargeRule }[] = [
  { stored: gcraPolicy({ ...rate, burst: 3 }) },
  { stored: gcraPolicy({ ...rate, burst: 5, throttle: soft }) },
  { stored: gcraPolicy({ ...rate, burst: 2, throttle: { mode: 'queue', maxDelayMs: 3000 } }) },
  { stored: policyBy({ algorithm: 'leaky_bucket', ...rate, queue: 4 }) },
  { stored: policyBy({ algorithm: 'token_bucket', ...rate, capacity: 7, refill: 'continuous' }) },
  { stored: gcraPolicy({ limit: 1000, windowMs: 86_400_000, burst: 999 }), charge: 'on_success' },
  { stored: policyBy(window) },
  { stored: policyBy(window, { throttle: soft }) },
  { stored: policyBy({ ...window, windowMs: 7 }) },
  { stored: policyBy({ ...window, limit: 2 ** 40, windowMs: 86_400_000 }) },
  { stored: policyBy({ ...window, windowMs: 60_000 }), charge: 'on_success' },
  { stored: policyBy(firstRequest) },
  { stored: policyBy(firstRequest, { throttle: soft }) },
  { stored: policyBy({ ...firstRequest, windowMs: 7 }) },
  { stored: policyBy({ ...firstRequest, limit: 2 ** 26, windowMs: 86_400_000 }) },
  { stored: policyBy({ ...firstRequest, limit: 2 ** 40, windowMs: 86_400_000 }) },
  { stored: policyBy({ ...firstRequest, windowMs: 60_000 }), charge: 'on_success' },
  { stored: policyBy({ ...window, windowMs: 4000 }, packed) },
  { stored: policyBy({ ...window, limit: 10_000, windowMs: 60_000 }, { ...packed, throttle: soft }) },
  { stored: policyBy({ algorithm: 'quota', limit: 20, period: 'day' }) },
  { stored: gcraPolicy({ ...rate, burst: 3 }), charge: 'on_failure' },
];

/** Places of packed counters. */
const PACKED = [...COUNTERS.keys()].filter((place) => COUNTERS[place]?.stored.storage === 'packed');

/** Texts that no script writes; each decides like a missing state or another policy's. */
const ODD_TEXTS = [
  '',
  '7',
  '9007199254740993',
  '064',
  'text',
  '12.064',
  '1e5064',
  '-5000000000000064',
  '0x12345678901234064',
];

const cost = fc.oneof(
  { weight: 6, arbitrary: fc.constant(1) },
  { weight: 2, arbitrary: fc.nat(4) },
  { weight: 1, arbitrary: fc.constantFrom(9000, 1_000_000_000, 2 ** 36) },
);
const counter = fc.nat(COUNTERS.length - 1);
const SUBJECTS = 6;

/** Counters that a batch may use: those of one run script, of all, or also others. */
const MIXES = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10],
  [11, 12, 13, 14, 15, 16],
  [17, 18],
  Array.from({ length: 19 }, (_, i) => i),
  [...COUNTERS.keys()],
];

const request = fc.record({
  place: fc.nat(99),
  subject: fc.nat(SUBJECTS - 1),
  cost,
  kind: fc.oneof(
    { weight: 20, arbitrary: fc.constant('plain' as const) },
    { weight: 1, arbitrary: fc.constantFrom('peek', 'look', 'pair', 'receipt') },
  ),
  policy: fc.oneof(
    { weight: 6, arbitrary: fc.constant('current' as const) },
    { weight: 1, arbitrary: fc.constantFrom('shadowed', 'stale') },
  ),
});

const command = fc.record({
  moveUs: fc.oneof(
    { weight: 4, arbitrary: fc.nat(50_000) },
    { weight: 3, arbitrary: fc.nat(6_000_000) },
    { weight: 1, arbitrary: fc.constantFrom(5_000_000, 10_000_000, -5_000_000, 86_400_000_000) },
    { weight: 1, arbitrary: fc.integer({ min: -30_000_000, max: 0 }) },
  ),
  change: fc.option(fc.record({ counter, policy: fc.nat(2), rule: fc.constantFrom(...CARRY_OVERS) }), {
    freq: 3,
  }),
  expired: fc.option(counter, { freq: 6 }),
  odd: fc.option(fc.record({ counter, text: fc.constantFrom(...ODD_TEXTS) }), { freq: 12 }),
  mix: fc.constantFrom(...MIXES),
  requests: fc.array(request, { minLength: 1, maxLength: 24, size: 'max' }),
});

describe('run scripts decide like the general script and the model', () => {
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

  it('over mixed batches, policy changes, expired and odd states, and clocks that move both ways', {
    timeout: 300_000 + RUNS * 10_000,
  }, async () => {
    let [run, byRunScript, handedOver] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25, size: 'max' }), async (commands) => {
        const tenant = `run-${run++}`;
        let nowUs = START_MS * 1000;
        const model = new MemoryStore({ clockUs: () => nowUs });
        const isOdd = new Set<number>();
        const lane = new Lane({
          send: async (part) => {
            const replies = await sendRun(redis, part, { nowUs });
            if (part.family !== undefined) {
              byRunScript += replies.length;
              handedOver += replies.filter((reply) => reply === undefined).length;
            }
            return replies;
          },
          sendAmendment: () => Promise.reject(new Error('no amendments in this suite')),
          isConnected: () => true,
          deadlineMs: 60_000,
          onFailure: (_reason, error) => {
            throw error;
          },
        });
        const lineages = COUNTERS.map(({ stored, charge }) => {
          const limits = [stored.limit, stored.limit * 2, Math.ceil(stored.limit / 2)];
          return new Lineage(
            limits.map((limit) => ({ ...stored, limit }) as LimitPolicy),
            charge ?? 'always',
          );
        });
        const keyOf = (store: string, place: number, subject: number) =>
          PACKED.includes(place)
            ? `{${tenant}}p${store}:${place}|=${subject}`
            : `{${tenant}}:${store}:${place}:${subject}`;
        const keysOf = (store: string) =>
          COUNTERS.flatMap((_, place) => Array.from({ length: SUBJECTS }, (__, n) => keyOf(store, place, n)));
        const hashes = ['runs', 'general'].flatMap((store) =>
          PACKED.map((place) => addressOf(keyOf(store, place, 0)).key),
        );
        // Runs may go in another order, and a sweep by an older policy keeps counters of newer ones.
        const forgetOver = async (by: 'sweep' | 'expiry') => {
          for (const place of PACKED) {
            for (let n = 0; n < SUBJECTS; n++) {
              const names = ['runs', 'general'].map((store) => keyOf(store, place, n));
              const ofModel = keyOf('model', place, n);
              const texts = await storedTexts(redis, names);
              if (!texts.includes(null)) continue;
              const states = [...texts.map(packedState), model.stateOf(ofModel) as WindowState | undefined];
              const lineage = lineages[place] as Lineage;
              if (!states.every((state) => wasOver(state, lineage, nowUs, by))) continue;
              model.forget(ofModel);
              for (const name of names) await redis.hdel(addressOf(name).key, addressOf(name).field ?? '');
            }
          }
        };

        for (const { moveUs, change, expired, odd, mix, requests } of commands) {
          nowUs += moveUs;
          if (await deleteExpired(redis, hashes, nowUs)) await forgetOver('expiry');
          if (change !== null) lineages[change.counter]?.change(change.policy, change.rule, nowUs);
          const requestsOn = (store: string): StoreRequest[] =>
            requests.map(({ place: nth, subject, cost: units, kind, policy }, number) => {
              const place = mix[nth % mix.length] as number;
              const check: Check = {
                key: keyOf(store, place, subject),
                policy: (lineages[place] as Lineage)[policy] as WirePolicy,
                cost: units,
              };
              const other = (place + 1) % COUNTERS.length;
              const second: Check = {
                key: keyOf(store, other, subject),
                policy: (lineages[other] as Lineage).current,
                cost: units,
              };
              const isLook = kind === 'look' && units > 0;
              return {
                checks: [isLook ? { ...check, look: true } : check, ...(kind === 'pair' ? [second] : [])],
                peek: kind === 'peek',
                ...(kind === 'receipt' ? { receipt: receiptOf(`{${tenant}}:${store}:r:${number % 3}`) } : {}),
              };
            });
          for (const store of ['runs', 'general', 'model']) {
            if (expired !== null) {
              const name = keyOf(store, expired, 0);
              const { key, field } = addressOf(name);
              if (store === 'model') await model.amend({ op: 'reset', keys: [name] });
              else await (field === undefined ? redis.del(key) : redis.hdel(key, field));
            }
            if (odd !== null && store !== 'model') {
              const { key, field } = addressOf(keyOf(store, odd.counter, 0));
              if (field === undefined) await redis.set(key, odd.text, 'EX', 1000);
              else await redis.hset(key, field, odd.text);
            }
          }
          if (odd !== null) isOdd.add(odd.counter);

          const decided = await Promise.all(requestsOn('runs').map((each) => lane.charge(each)));
          const expected: StoreReply[] = [];
          for (const part of splitByPolicyId(requestsOn('general')))
            expected.push(...(await sendBatch(redis, part, { nowUs })));
          expect(decided).toEqual(expected);
          if (isOdd.size === 0) {
            expect(decided).toEqual(requestsOn('model').map((each) => model.chargeNow(each)));
          }
          await forgetOver('sweep');
          const keys = keysOf('runs');
          const texts = await storedTexts(redis, [...keys, ...keysOf('general')]);
          expect(texts.slice(0, keys.length)).toEqual(texts.slice(keys.length));
        }
      }),
      { numRuns: RUNS },
    );
    expect(byRunScript).toBeGreaterThan(RUNS);
    expect(handedOver).toBeGreaterThan(0);
    expect(handedOver).toBeLessThan(byRunScript / 2);
  });

  const limits: Record<string, LimitPolicy> = {
    gcra: gcraPolicy({ limit: 5, windowMs: 60_000, burst: 4 }),
    fixed_window: policyBy({ ...window, limit: 5, windowMs: 60_000 }),
    'fixed_window from the first request': policyBy({ ...firstRequest, limit: 5, windowMs: 60_000 }),
  };

  describe.each(Object.keys(limits))('%s', (name) => {
    const { policy } = compiled(limits[name] as LimitPolicy);
    const requestOf = (key: string): StoreRequest => ({ checks: [{ key, policy, cost: 1 }], peek: false });
    const decide = (keys: readonly string[], options: CallTiming = {}) => {
      const [part] = splitRuns(keys.map(requestOf)) as [Run<StoreRequest>];
      expect(part.family).toBeDefined();
      return sendRun(redis, part, options);
    };

    it('charges nothing after the deadline', async () => {
      const keys = ['{late}:1', '{late}:2'].map((key) => key + name);
      const nowUs = START_MS * 1000;
      await expect(decide(keys, { nowUs, expiresAtUs: nowUs - 1 })).rejects.toEqual(new BatchExpired(nowUs));
      expect(await redis.exists(keys)).toBe(0);
      expect(await decide(keys, { nowUs, expiresAtUs: nowUs })).toMatchObject([
        { allowed: true },
        { allowed: true },
      ]);
    });

    it("decides once on a server that does not know the script, by the server's clock", async () => {
      const keys = ['{flushed}:1', '{flushed}:ключ'].map((key) => key + name);
      for (const remaining of [4, 3]) {
        await redis.script('FLUSH');
        const replies = await decide(keys);
        expect(replies).toMatchObject(keys.map(() => ({ allowed: true, checks: [{ remaining }] })));
        const [seconds] = await redis.time();
        expect(Math.abs(Number(seconds) - (replies[0]?.nowUs ?? 0) / 1e6)).toBeLessThan(60);
      }
      for (const key of keys) expect(await decide([key])).toMatchObject([{ checks: [{ remaining: 2 }] }]);
    });

    it('sets an expiry that outlasts the state, once per TTL period', async () => {
      const key = `{expiry}:${name}`;
      const { horizonMs } = policy;
      const periodMs = 2 ** (policy.wire[4] ?? 0);
      const startMs = Math.ceil(START_MS / periodMs) * periodMs;
      const decideAt = async (ms: number) => {
        await decide([key], { nowUs: ms * 1000 });
        return await redis.pexpiretime(key);
      };
      const first = await decideAt(startMs);
      expect(first).toBe(startMs + 2 * periodMs + horizonMs);
      expect(await decideAt(startMs + periodMs - 1)).toBe(first);
      expect(await decideAt(startMs + periodMs)).toBe(first + periodMs);
    });
  });
});

function receiptOf(key: string): NonNullable<StoreRequest['receipt']> {
  return { key, holder: 1, fingerprint: 1, keepMs: 2 ** 40, expiresAfterMs: 0 };
}
