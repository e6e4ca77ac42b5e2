import type { AlgorithmName, LimitPolicy } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithmOf } from '../src/algorithms/index.js';
import { decideBatch } from '../src/scripts/decide.js';
import type { Check } from '../src/store/decision-store.js';
import { MemoryStore } from '../src/store/memory-store.js';
import { compiled, fixedWindowPolicy, gcraPolicy } from './policies.js';

const WINDOWS_MS = [1, 7, 1000, 60_000, 3_600_000, 86_400_000];

/** One row an algorithm: policies of every shape, small enough for sequences to meet their edges. */
const POLICIES: Record<AlgorithmName, fc.Arbitrary<LimitPolicy>> = {
  fixed_window: fc
    .record({
      limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2 ** 40 })),
      windowMs: fc.constantFrom(...WINDOWS_MS),
      alignment: fc.constantFrom('clock' as const, 'first_request' as const),
    })
    .map(fixedWindowPolicy),
  gcra: fc
    .record({
      limit: fc.constantFrom(1, 3, 7, 100, 999),
      windowMs: fc.constantFrom(1000, 60_000, 3_600_000, 86_400_000),
      burst: fc.integer({ min: 0, max: 9 }),
    })
    .map(gcraPolicy),
};

const NAMES = Object.keys(POLICIES) as AlgorithmName[];
const SEED = Number(process.env.PARITY_SEED ?? Date.now() % 2 ** 31);
const RUNS = Number(process.env.PARITY_RUNS ?? 200);
const TIMEOUT_MS = 30_000 + RUNS * 100;

/** Counters of a sequence: each belongs to one algorithm for good, its policy may change. */
const COUNTERS = 4;

const command = fc.record({
  // Mostly forward, by all orders of magnitude; sometimes back; often by a whole window, which is where edges are.
  moveUs: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, ...WINDOWS_MS.flatMap((ms) => [ms * 1000, -ms * 1000])) },
    { weight: 6, arbitrary: fc.nat(2_000_000) },
    { weight: 2, arbitrary: fc.nat(4_000_000_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000_000, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: -7_200_000_000, max: 90_000_000_000 }) },
  ),
  changes: fc.array(fc.tuple(fc.nat(COUNTERS - 1), fc.nat(2)), { maxLength: 1 }),
  requests: fc.array(
    fc.record({
      counters: fc.uniqueArray(fc.nat(COUNTERS - 1), { minLength: 1, maxLength: COUNTERS }),
      cost: fc.oneof(fc.nat(4), fc.constantFrom(1, 1, 1, 1000, 1_000_000_000)),
      peek: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const sequence = fc.record({
  algorithms: fc.array(fc.constantFrom(...NAMES), { minLength: COUNTERS, maxLength: COUNTERS }),
  policies: fc.record(
    Object.fromEntries(
      NAMES.map((name) => [name, fc.array(POLICIES[name], { minLength: 3, maxLength: 3 })]),
    ) as Record<AlgorithmName, fc.Arbitrary<LimitPolicy[]>>,
  ),
  commands: fc.array(command, { minLength: 1, maxLength: 30 }),
});

describe(`model and script agree (seed ${SEED}; PARITY_SEED and PARITY_RUNS repeat or extend it)`, () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let run = 0;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it('on every decision and every stored state, over policy changes and clocks that move both ways', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async ({ algorithms, policies, commands }) => {
        const tenant = `run-${run++}`;
        let nowUs = Date.UTC(2026, 0, 31, 23, 59) * 1000;
        const model = new MemoryStore({ clockUs: () => nowUs });
        const chosen = algorithms.map(() => 0);
        const checkOf = (counter: number, cost: number): Check => {
          const algorithm = algorithms[counter] ?? 'gcra';
          const { policy } = compiledOnce(policies[algorithm][chosen[counter] ?? 0] as LimitPolicy);
          return { key: `{${tenant}}:${counter}`, policy, cost };
        };
        for (const { moveUs, changes, requests } of commands) {
          nowUs += moveUs;
          for (const [counter, policy] of changes) chosen[counter] = policy;
          const batch = requests.map(({ counters, cost, peek }) => ({
            checks: counters.map((counter) => checkOf(counter, cost)),
            peek,
          }));
          const expected = batch.map(({ checks, peek }) => model.decideNow(checks, peek).checks);
          const actual = await decideBatch(redis, batch, nowUs);
          expect(actual).toEqual({ nowUs, results: expected });
          await expectSameStates(tenant, algorithms, model);
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: false },
    );
  });

  async function expectSameStates(tenant: string, algorithms: readonly AlgorithmName[], model: MemoryStore) {
    const keys = algorithms.map((_, counter) => `{${tenant}}:${counter}`);
    const texts = await redis.mget(keys);
    const stored = texts.map((text, i) =>
      text === null ? undefined : algorithmOf(algorithms[i] ?? 'gcra').decode(text.slice(0, -3)),
    );
    expect(stored).toEqual(keys.map((key) => model.stateOf(key)));
  }

  const cache = new Map<LimitPolicy, ReturnType<typeof compiled>>();
  function compiledOnce(policy: LimitPolicy) {
    const known = cache.get(policy) ?? compiled(policy);
    cache.set(policy, known);
    return known;
  }

  it.each(NAMES)('%s: a state past its horizon decides as a missing one', (name) => {
    fc.assert(
      fc.property(
        POLICIES[name],
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 3 }),
        (stored, requests, cost) => {
          const algorithm = algorithmOf(name);
          const { policy } = compiled(stored);
          const t0Us = Date.UTC(2026, 0, 31) * 1000 + 123_456;
          let state: unknown;
          for (let i = 0; i < requests; i++) state = algorithm.step(state, policy, 1, t0Us).state;
          const laterUs = t0Us + policy.horizonMs * 1000;
          const { state: kept, ...fromStored } = algorithm.step(state, policy, cost, laterUs);
          const { state: fresh, ...fromMissing } = algorithm.step(undefined, policy, cost, laterUs);
          expect(fromStored).toEqual(fromMissing);
          if (cost > 0 && fromStored.allowed) expect(kept).toEqual(fresh);
        },
      ),
    );
  });

  it('the expiry outlasts the state, is set once in a slot of time, and anew in the next', async () => {
    const { policy } = compiled(
      fixedWindowPolicy({ limit: 100, windowMs: 60_000, alignment: 'first_request' }),
    );
    const check = { key: '{expiry}:1', policy, cost: 1 };
    const slotMs = 2 ** (policy.wire[1] ?? 0);
    const slotStartMs = Math.ceil(Date.UTC(2026, 0, 1) / slotMs) * slotMs;
    const writeAt = async (ms: number) => {
      await decideBatch(redis, [{ checks: [check], peek: false }], ms * 1000);
      return await redis.pttl('{expiry}:1');
    };
    const first = await writeAt(slotStartMs);
    expect(first).toBeGreaterThan(60_000 + slotMs);
    expect(first).toBeLessThanOrEqual(60_000 + 2 * slotMs);
    // At the slot's last millisecond the first expiry still covers a whole window.
    expect(await writeAt(slotStartMs + slotMs - 1)).toBeLessThanOrEqual(first);
    await redis.pexpire('{expiry}:1', 5000);
    expect(await writeAt(slotStartMs + slotMs - 1)).toBeLessThanOrEqual(5000);
    expect(await writeAt(slotStartMs + slotMs)).toBeGreaterThan(60_000 + slotMs);
  });
});
