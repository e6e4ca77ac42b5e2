import type { ChargeRule, LimitPolicy } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { WindowState } from '../src/algorithms/fixed-window.js';
import { algorithmOf, attemptsKindOf } from '../src/algorithms/index.js';
import { MemoryStore } from '../src/memory/memory-store.js';
import { penaltyKey } from '../src/rules/keys.js';
import { sendAmendment } from '../src/scripts/amend.js';
import { sendBatch, splitByPolicyId } from '../src/scripts/decide.js';
import type { Amendment, Check, StoreRequest } from '../src/stores/decision-store.js';
import { CARRY_OVERS, Lineage } from './lineage.js';
import { storedTexts, wasOver } from './packed-hashes.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { policiesOf, STATE_KINDS, STEPS_MS, type StateKind, WINDOWS_MS } from './policy-arbitraries.js';
import { deleteExpired, START_MS } from './script-clock.js';

const RUNS = Number(process.env.PARITY_RUNS ?? 200);

/** The seeds of earlier failures run always, from a place in their sequence. */
const SEEDS = [
  { seed: inject('testSeed'), path: '', runs: RUNS },
  { seed: 607_188_211, path: '', runs: 20 },
  { seed: 628_640_084, path: '765', runs: 1 },
];

/** Counters of a sequence: each has one kind; its policy may change. */
const COUNTERS = 4;

const CHARGES: readonly ChargeRule[] = ['always', 'on_failure', 'on_success', 'on_failure'];

/** Charge rule of the counter at an index. Permits have no attempts in flight, packed counters no receipts' rules. */
const chargeOf = (place: number, kind: StateKind): ChargeRule => {
  if (kind === 'packed_window') return 'always';
  const charge = CHARGES[place % 4] ?? 'always';
  return kind === 'concurrency' && charge === 'on_failure' ? 'on_success' : charge;
};

const storedKind = (kind: StateKind, place: number) =>
  kind !== 'packed_window' && chargeOf(place, kind) === 'on_failure' ? attemptsKindOf(kind) : kind;

/** Name of a counter. Packed ones are fields of one hash; others at even places are fields of their subject's. */
const nameOf = (tenant: string, counter: number, kind: StateKind | undefined) => {
  if (kind === 'packed_window') return `{${tenant}}p|=u${counter}`;
  return `{${tenant}}${counter % 2 === 0 ? 's|' : ':'}x1:${counter}:limit`;
};

const penalty = fc.record({
  denials: fc.integer({ min: 1, max: 3 }),
  windowMs: fc.constantFrom(1000, 60_000),
  blockMs: fc.constantFrom(1000, 7000),
  maxBlockMs: fc.constantFrom(10_000, 3_600_000),
});

/** Half of the policies that can have a penalty have one. */
const penalizedPoliciesOf = (kind: StateKind) =>
  kind === 'quota' || kind === 'packed_window'
    ? policiesOf(kind)
    : fc
        .tuple(policiesOf(kind), fc.option(penalty, { nil: undefined, freq: 2 }))
        .map(([policy, rule]): LimitPolicy => ({ ...policy, penalty: rule }));

const cost = fc.oneof(fc.nat(4), fc.constantFrom(1, 1, 1, 255, 256, 510, 1000, 1_000_000_000));
const receiptNumber = fc.nat(3);

const request = fc.record({
  counters: fc.uniqueArray(fc.nat(COUNTERS - 1), { minLength: 1, maxLength: COUNTERS }),
  cost,
  peek: fc.boolean(),
  shadowed: fc.array(fc.nat(COUNTERS - 1), { maxLength: 1 }),
  looked: fc.oneof(
    fc.constant<number[]>([]),
    fc.uniqueArray(fc.nat(COUNTERS - 1), { minLength: 1, maxLength: COUNTERS }),
  ),
  // By a node without the last change.
  stale: fc.boolean(),
  receipt: fc.option(
    fc.record({
      number: receiptNumber,
      fingerprint: fc.constantFrom(1, 1, 1, 1, 2),
      expiresAfterMs: fc.constantFrom(0, 1000),
      keepMs: fc.constant(2 ** 40),
    }),
    { nil: undefined, freq: 3 },
  ),
});

const amendment = fc.oneof(
  fc.record({ op: fc.constant('refund' as const), counter: fc.nat(COUNTERS - 1), cost }),
  fc.record({ op: fc.constant('charge' as const), counter: fc.nat(COUNTERS - 1), cost }),
  fc.record({ op: fc.constant('take' as const), counter: fc.nat(COUNTERS - 1), cost }),
  fc.record({ op: fc.constant('restore' as const), counter: fc.nat(COUNTERS - 1), used: fc.nat(6) }),
  fc.record({
    op: fc.constant('refundReceipt' as const),
    number: receiptNumber,
    reason: fc.constantFrom(
      'all' as const,
      'success' as const,
      'failure' as const,
      'expired' as const,
      'released' as const,
    ),
  }),
  fc.record({
    op: fc.constant('settle' as const),
    number: receiptNumber,
    cost: fc.oneof(fc.nat(5), fc.constantFrom(300, 1_000_000_000)),
    overrun: fc.constantFrom('reject' as const, 'cap' as const, 'overflow' as const),
  }),
  fc.record({ op: fc.constant('renew' as const), number: receiptNumber }),
  fc.record({ op: fc.constant('reset' as const), counter: fc.nat(COUNTERS - 1) }),
);

const command = fc.record({
  // Mostly forward, by all orders of magnitude; sometimes back; often by a whole window, to meet boundaries.
  moveUs: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, ...WINDOWS_MS.flatMap((ms) => [ms * 1000, -ms * 1000])) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...STEPS_MS), fc.integer({ min: -1, max: 1 }))
        .map(([ms, us]) => ms * 1000 + us),
    },
    { weight: 6, arbitrary: fc.nat(2_000_000) },
    { weight: 2, arbitrary: fc.nat(4_000_000_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000_000, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: -7_200_000_000, max: 90_000_000_000 }) },
  ),
  changes: fc.array(
    fc.record({ counter: fc.nat(COUNTERS - 1), policy: fc.nat(2), rule: fc.constantFrom(...CARRY_OVERS) }),
    { maxLength: 1 },
  ),
  requests: fc.array(request, { minLength: 1, maxLength: 6 }),
  amendments: fc.array(amendment, { maxLength: 2 }),
});

const sequence = fc.record({
  kinds: fc.array(fc.constantFrom(...STATE_KINDS), { minLength: COUNTERS, maxLength: COUNTERS }),
  policies: fc.record(
    Object.fromEntries(
      STATE_KINDS.map((kind) => [kind, fc.array(penalizedPoliciesOf(kind), { minLength: 3, maxLength: 3 })]),
    ) as Record<StateKind, fc.Arbitrary<LimitPolicy[]>>,
  ),
  commands: fc.array(command, { minLength: 1, maxLength: 30 }),
});

describe('model and script agree (extend and restrict with PARITY_RUNS and PARITY_KINDS)', () => {
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

  it.each(SEEDS)(
    'on every decision, change and stored state, over policy changes and clocks that move both ways (seed $seed)',
    { timeout: 300_000 + RUNS * 2000 },
    async ({ seed, path, runs }) => {
      await fc.assert(
        fc.asyncProperty(sequence, async ({ kinds, policies, commands }) => {
          const tenant = `run-${run++}`;
          let nowUs = START_MS * 1000;
          const model = new MemoryStore({ clockUs: () => nowUs });
          // Counters of one hash belong to one limit.
          const packed = kinds.includes('packed_window')
            ? new Lineage(policies.packed_window, 'always')
            : undefined;
          const lineages = kinds.map((kind, i) =>
            kind === 'packed_window' && packed !== undefined
              ? packed
              : new Lineage(policies[kind], chargeOf(i, kind)),
          );
          const keyOf = (counter: number) => nameOf(tenant, counter, kinds[counter]);
          const receiptKey = (number: number) => `{${tenant}}:r:${number}`;
          const checkOf = (counter: number, units: number, shadow = false, stale = false): Check => {
            const { current, shadowed, stale: before } = lineages[counter] as Lineage;
            return { key: keyOf(counter), policy: shadow ? shadowed : stale ? before : current, cost: units };
          };
          const looking = (check: Check): Check => (check.cost > 0 ? { ...check, look: true } : check);
          for (const { moveUs, changes, requests, amendments } of commands) {
            nowUs += moveUs;
            if (packed !== undefined && (await deleteExpired(redis, [`{${tenant}}p`], nowUs))) {
              for (const [i, kind] of kinds.entries())
                if (kind === 'packed_window') forgetOver(keyOf(i), model, packed, nowUs, 'expiry');
            }
            for (const { counter, policy, rule } of changes) lineages[counter]?.change(policy, rule, nowUs);
            const batch = requests.map(
              ({ counters, cost: units, peek, shadowed, looked, stale, receipt }): StoreRequest => ({
                checks: counters.map((counter) => {
                  const check = checkOf(counter, units, shadowed.includes(counter), stale);
                  return looked.includes(counter) ? looking(check) : check;
                }),
                peek,
                ...(receipt === undefined
                  ? {}
                  : {
                      receipt: {
                        ...receipt,
                        key: receiptKey(receipt.number),
                        holder: 1000 + receipt.number,
                        fingerprint: receipt.fingerprint,
                      },
                    }),
              }),
            );
            for (const run of splitByPolicyId(batch)) {
              const expected = run.map((asked) => model.chargeNow(asked));
              expect(await sendBatch(redis, run, { nowUs })).toEqual(expected);
              await expectSameStates(tenant, kinds, model, lineages, nowUs);
            }
            for (const wanted of amendments) {
              const change = amendmentOf(wanted, checkOf, keyOf, receiptKey);
              expect(await sendAmendment(redis, change, { nowUs })).toEqual(await model.amend(change));
              await expectSameStates(tenant, kinds, model, lineages, nowUs);
            }
          }
        }),
        { seed, path, numRuns: runs },
      );
    },
  );

  /** Removes a packed counter that the server has deleted from the model, if it was over. */
  function forgetOver(
    name: string,
    model: MemoryStore,
    lineage: Lineage,
    nowUs: number,
    by: 'sweep' | 'expiry',
  ) {
    if (wasOver(model.stateOf(name) as WindowState | undefined, lineage, nowUs, by)) model.forget(name);
  }

  async function expectSameStates(
    tenant: string,
    kinds: readonly StateKind[],
    model: MemoryStore,
    lineages: readonly Lineage[],
    nowUs: number,
  ) {
    const counters = kinds.map((kind, i) => ({ name: nameOf(tenant, i, kind), kind: storedKind(kind, i) }));
    const penalties = counters
      .filter(({ kind }) => kind !== 'packed_window')
      .map(({ name }) => ({ name: penaltyKey(name), kind: 'penalty' as const }));
    const states = [...counters, ...penalties];
    const texts = await storedTexts(
      redis,
      states.map(({ name }) => name),
    );
    for (const [i, { name, kind }] of counters.entries()) {
      if (kind === 'packed_window' && texts[i] === null)
        forgetOver(name, model, lineages[i] as Lineage, nowUs, 'sweep');
    }
    const stored = texts.map((text, i) =>
      text === null
        ? undefined
        : algorithmOf(states[i]?.kind ?? 'gcra').decode(text.toString('latin1').slice(0, -3)),
    );
    expect(stored).toEqual(states.map(({ name }) => model.stateOf(name)));
  }

  it.each(STATE_KINDS)('%s: a state past its horizon decides like a missing one', (kind) => {
    fc.assert(
      fc.property(
        policiesOf(kind),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 3 }),
        (stored, requests, units) => {
          const algorithm = algorithmOf(kind);
          const { policy } = compiled(stored);
          const t0Us = Date.UTC(2026, 0, 31) * 1000 + 123_456;
          let state: unknown;
          for (let i = 0; i < requests; i++) state = algorithm.step(state, policy, 1, t0Us, i + 1).state;
          const laterUs = t0Us + policy.horizonMs * 1000;
          const { state: kept, ...fromStored } = algorithm.step(state, policy, units, laterUs, 99);
          const { state: fresh, ...fromMissing } = algorithm.step(undefined, policy, units, laterUs, 99);
          expect(fromStored).toEqual(fromMissing);
          if (units > 0 && fromStored.allowed) expect(kept).toEqual(fresh);
        },
      ),
    );
  });

  it('the expiry outlasts the state, and is set once per TTL period', async () => {
    const { policy } = compiled(
      fixedWindowPolicy({ limit: 100, windowMs: 60_000, alignment: 'first_request' }),
    );
    const check = { key: '{expiry}:1', policy, cost: 1 };
    const slotMs = 2 ** (policy.wire[4] ?? 0);
    const slotStartMs = Math.ceil(START_MS / slotMs) * slotMs;
    const writeAt = async (ms: number) => {
      await sendBatch(redis, [{ checks: [check], peek: false }], { nowUs: ms * 1000 });
      return await redis.pexpiretime('{expiry}:1');
    };
    const first = await writeAt(slotStartMs);
    // At the period's last millisecond, the first expiry still covers a whole window.
    expect(first).toBe(slotStartMs + 2 * slotMs + 60_000);
    expect(await writeAt(slotStartMs + slotMs - 1)).toBe(first);
    expect(await writeAt(slotStartMs + slotMs)).toBe(first + slotMs);
  });
});

type Wanted = typeof amendment extends fc.Arbitrary<infer T> ? T : never;

function amendmentOf(
  wanted: Wanted,
  checkOf: (counter: number, units: number) => Check,
  keyOf: (counter: number) => string,
  receiptKey: (number: number) => string,
): Amendment {
  switch (wanted.op) {
    case 'refund':
      return { op: 'refund', checks: [checkOf(wanted.counter, wanted.cost)] };
    case 'charge':
      return {
        op: 'charge',
        checks: [{ ...checkOf(wanted.counter, wanted.cost), known: 2 * wanted.cost }],
      };
    case 'take':
      return { op: 'take', check: checkOf(wanted.counter, wanted.cost) };
    case 'restore':
      return { op: 'restore', check: checkOf(wanted.counter, 0), used: wanted.used };
    case 'reset':
      return { op: 'reset', keys: [keyOf(wanted.counter)] };
    case 'renew':
      return { op: 'renew', receiptKey: receiptKey(wanted.number) };
    case 'refundReceipt':
      return { op: 'refundReceipt', receiptKey: receiptKey(wanted.number), reason: wanted.reason };
    case 'settle':
      return {
        op: 'settle',
        receiptKey: receiptKey(wanted.number),
        cost: wanted.cost,
        overrun: wanted.overrun,
      };
  }
}
