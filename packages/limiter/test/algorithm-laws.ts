import {
  type CarryOver,
  carriedOver,
  type FieldError,
  type LimitPolicy,
  limitPolicySchema,
  type Rule,
} from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Algorithm,
  type CompileContext,
  type CompiledPolicy,
  type Step,
} from '../src/algorithms/algorithm.js';

/** An algorithm without the type of its stored policies. */
export type Model<P extends CompiledPolicy, S> = Omit<Algorithm<never, P, S>, 'compile' | 'share'>;

export const RULES: readonly CarryOver[] = ['keep', 'reset', 'proportional', 'additive'];

/** 10:00:00 on the day of the examples in 'Rate Limiting Techniques'. */
export const T0_MS = Date.UTC(2020, 3, 21, 10);
export const T0_US = T0_MS * 1000;
export const SECOND_US = 1_000_000;
export const MINUTE_MS = 60_000;

const CONTEXT: CompileContext = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: T0_MS };

interface Compiles<L extends LimitPolicy, P> {
  compile(stored: L, context: CompileContext): { ok: true; policy: P } | { ok: false; errors: FieldError[] };
}

type Terms = Partial<Pick<LimitPolicy, 'throttle' | 'charge' | 'consistency'>>;

/** A stored limit with `rule`. */
export function limitBy(rule: Rule, terms: Terms = {}): LimitPolicy {
  const common = {
    name: 'create-minute',
    api: 'url-shortener',
    operations: [],
    per: [],
    onUnavailable: 'share',
  };
  return limitPolicySchema.parse({ ...common, ...rule, ...terms });
}

/** The compiled policy of a rule; fails the test if it does not compile. */
export function compiledBy<L extends LimitPolicy, P>(
  algorithm: Compiles<L, P>,
  rule: Rule,
  terms: Terms = {},
): P {
  const result = algorithm.compile(limitBy(rule, terms) as L, CONTEXT);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.policy;
}

/** The fields for which a rule is rejected. */
export function refusedFields<L extends LimitPolicy>(
  algorithm: Compiles<L, unknown>,
  rule: Rule,
  terms: Terms = {},
  context: Partial<CompileContext> = {},
): string[] {
  const result = algorithm.compile(limitBy(rule, terms) as L, { ...CONTEXT, ...context });
  return result.ok ? [] : result.errors.map(({ field }) => field);
}

/** Plays arrivals of cost 1, microseconds after T0, each with a different holder. */
export function play<P extends CompiledPolicy, S>(
  model: Model<P, S>,
  policy: P,
  arrivalsUs: readonly number[],
): Step<S>[] {
  let state: S | undefined;
  return arrivalsUs.map((atUs, i) => {
    const step = model.step(state, policy, 1, T0_US + atUs, i + 1);
    state = step.state;
    return step;
  });
}

/** Number of requests allowed at one time, microseconds after T0, and the state after them. */
export function burst<P extends CompiledPolicy, S>(
  model: Model<P, S>,
  policy: P,
  requests: number,
  atUs: number,
  before?: S,
): { passed: number; state: S | undefined } {
  let state = before;
  let passed = 0;
  for (let i = 0; i < requests; i++) {
    const step = model.step(state, policy, 1, T0_US + atUs, i + 1);
    if (step.allowed) passed++;
    state = step.state;
  }
  return { passed, state };
}

const gapUs = fc.oneof(fc.constant(0), fc.nat(20_000), fc.nat(2_000_000), fc.nat(200_000_000));

/** A sequence of requests of a few holders. */
export const requests = fc.array(
  fc.record({ gapUs, cost: fc.nat(5), holder: fc.integer({ min: 1, max: 9 }) }),
  { minLength: 1, maxLength: 50 },
);

type Requests = typeof requests extends fc.Arbitrary<infer T> ? T : never;

export interface Visit<S> {
  before: S | undefined;
  step: Step<S>;
  cost: number;
  holder: number;
  nowUs: number;
}

/** Decides the requests in order. */
export function visits<P extends CompiledPolicy, S>(
  model: Model<P, S>,
  policy: P,
  asked: Requests,
): Visit<S>[] {
  let nowUs = T0_US;
  let state: S | undefined;
  return asked.map(({ gapUs: gap, cost, holder }) => {
    nowUs += gap;
    const before = state;
    const step = model.step(before, policy, cost, nowUs, holder);
    state = step.state;
    return { before, step, cost, holder, nowUs };
  });
}

/**
 * Properties of every algorithm, one test each, for its policies.
 * @param mostWaits how often a denied request waits after the clock stepped back, given the earlier requests
 */
export function itKeepsTheLaws<P extends CompiledPolicy, S>(
  model: Model<P, S>,
  policies: fc.Arbitrary<P>,
  mostWaits: (asked: Requests) => number = () => 1,
): void {
  const forAll = (check: (policy: P, visit: Visit<S>) => void) =>
    fc.assert(
      fc.property(policies, requests, (policy, asked) => {
        for (const visit of visits(model, policy, asked)) check(policy, visit);
      }),
      { numRuns: 300 },
    );

  it('a denied request and cost 0 leave the state unchanged, and cost 0 returns the usage', () => {
    forAll((policy, { before, step, cost, holder, nowUs }) => {
      if (!step.allowed || cost === 0) expect(step.state).toBe(before);
      const look = model.step(step.state, policy, 0, nowUs, holder);
      expect(look).toMatchObject({ remaining: step.remaining, resetAfterUs: step.resetAfterUs });
      expect(step.remaining).toBeLessThanOrEqual(policy.capacity);
    });
  });

  it('waiting for the returned time admits, one microsecond less does not', () => {
    forAll((policy, { before, step, cost, holder, nowUs }) => {
      if (step.allowed || step.waitUs === -1) return;
      expect(model.step(before, policy, cost, nowUs + step.waitUs, holder).allowed).toBe(true);
      expect(model.step(before, policy, cost, nowUs + step.waitUs - 1, holder).allowed).toBe(false);
    });
  });

  it('returns never only for a cost that can never be allowed', () => {
    forAll((policy, { step, cost, holder, nowUs }) => {
      if (step.allowed) return;
      expect(step.waitUs === -1).toBe(!model.step(undefined, policy, cost, nowUs, holder).allowed);
    });
  });

  it('a stored state decodes to the same state', () => {
    forAll((_policy, { step }) => {
      if (step.state !== undefined) expect(model.decode(model.encode(step.state))).toEqual(step.state);
    });
  });

  it('a refund after a charge restores the previous usage, and never exceeds the limit', () => {
    forAll((policy, { before, step, cost, holder, nowUs }) => {
      const left = (state: S | undefined) => model.step(state, policy, 0, nowUs, holder).remaining;
      const stepped = model.step(before, policy, cost, nowUs, 77);
      if (stepped.allowed && cost > 0) {
        const given = model.refund(stepped.state, policy, cost, nowUs, nowUs, 77);
        expect(left(given)).toBe(left(before));
      }
      expect(left(model.refund(step.state, policy, 1000, nowUs, nowUs, holder))).toBeLessThanOrEqual(
        policy.capacity,
      );
    });
  });

  it('a state past its horizon decides like a missing one', () => {
    forAll((policy, { step, cost, holder, nowUs }) => {
      if (step.state === undefined || !step.allowed || cost === 0) return;
      const laterUs = nowUs + policy.horizonMs * 1000;
      expect(model.step(step.state, policy, 1, laterUs, holder)).toEqual(
        model.step(undefined, policy, 1, laterUs, holder),
      );
    });
  });

  it('when the clock steps back, a denial ends after the returned waits, each at most two horizons', () => {
    fc.assert(
      fc.property(policies, requests, fc.nat(400_000_000), fc.nat(5), (policy, asked, backUs, cost) => {
        const last = visits(model, policy, asked).at(-1);
        if (last === undefined || !model.step(undefined, policy, cost, T0_US, 99).allowed) return;
        let nowUs = last.nowUs - backUs;
        for (let waits = mostWaits(asked); waits > 0; waits--) {
          const { waitUs, allowed } = model.step(last.step.state, policy, cost, nowUs, 99);
          if (allowed) return;
          expect(waitUs).toBeLessThanOrEqual(2 * policy.horizonMs * 1000 + 1000);
          nowUs += waitUs;
        }
        expect(model.step(last.step.state, policy, cost, nowUs, 99).allowed).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
}

/**
 * A policy change carries usage over by its rule, at any time.
 * @param pairs consecutive policies with the same window
 * @param mostUsed capacity of the second, in units: usage above it is dropped
 * @param whole false if units are partly used: a proportional result may be lower by the result of one unit
 */
export function itCarriesOver<P extends CompiledPolicy, S>(
  model: Model<P, S>,
  pairs: fc.Arbitrary<readonly [P, P]>,
  mostUsed: (policy: P) => number,
  whole: boolean,
): void {
  it('a policy change carries over by its rule, and added capacity is available at once', () => {
    fc.assert(
      fc.property(pairs, requests, gapUs, fc.constantFrom(...RULES), ([from, to], asked, laterUs, rule) => {
        const last = visits(model, from, asked).at(-1);
        if (last?.step.state === undefined) return;
        const atUs = last.nowUs + laterUs;
        const usedOf = (state: S | undefined, policy: P) =>
          policy.capacity - model.step(state, policy, 0, atUs, 0).remaining;
        const used = usedOf(last.step.state, from);
        const carried = usedOf(model.rebase(last.step.state, from, to, rule, atUs), to);
        const most = Math.min(mostUsed(to), carriedOver(used, from.capacity, to.capacity, rule));
        expect(carried).toBeLessThanOrEqual(most);
        const less = whole || rule !== 'proportional' ? used : Math.max(0, used - 1);
        expect(carried).toBeGreaterThanOrEqual(
          Math.min(mostUsed(to), carriedOver(less, from.capacity, to.capacity, rule)),
        );
      }),
      { numRuns: 500 },
    );
  });
}
