import { type CarryOver, carriedOver, type LimitPolicy } from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Algorithm, type Compilation, type CompiledPolicy } from '../src/algorithms/algorithm.js';

export const T0_US = Date.UTC(2026, 0, 31, 23, 59) * 1000 + 123_456;

const CONTEXT = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: 0 };
const RULES: readonly CarryOver[] = ['keep', 'reset', 'proportional', 'additive'];

interface Request {
  /** Time since the previous request, in hundredths of the window. */
  gap: number;
  cost: number;
}

export const requests: fc.Arbitrary<Request[]> = fc.array(
  fc.record({
    gap: fc.oneof(fc.nat(30), fc.constantFrom(0, 0, 1, 50, 99, 100, 101, 199, 200, 300)),
    cost: fc.nat(5),
  }),
  { minLength: 1, maxLength: 50 },
);

/** Compiles in UTC; fails the test if the policy does not compile. */
export function compiledBy<S extends LimitPolicy, P extends CompiledPolicy>(
  algorithm: { compile(stored: S, context: typeof CONTEXT): Compilation<P> },
  stored: S,
): P {
  const result = algorithm.compile(stored, CONTEXT);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.policy;
}

/** The field for which a policy is rejected; undefined if it compiles. */
export function refusedFor<S extends LimitPolicy, P extends CompiledPolicy>(
  algorithm: { compile(stored: S, context: typeof CONTEXT): Compilation<P> },
  stored: S,
): string | undefined {
  const result = algorithm.compile(stored, CONTEXT);
  return result.ok ? undefined : result.errors[0]?.field;
}

/** Sends requests in sequence and calls `visit` for each, with the state before it; returns the last state. */
export function play<S extends LimitPolicy, P extends CompiledPolicy, State>(
  algorithm: Algorithm<S, P, State>,
  policy: P,
  windowUs: number,
  sent: readonly Request[],
  visit: (state: State | undefined, cost: number, nowUs: number) => void = () => {},
): { state: State | undefined; nowUs: number } {
  let state: State | undefined;
  let nowUs = T0_US;
  for (const { gap, cost } of sent) {
    // An odd number of microseconds, to meet boundaries from both sides.
    nowUs += Math.floor((gap * windowUs) / 100) + (cost % 2);
    visit(state, cost, nowUs);
    state = algorithm.step(state, policy, cost, nowUs, 0).state;
  }
  return { state, nowUs };
}

/** Properties of all sliding windows, of any precision. */
export function itKeepsTheLaws<S extends LimitPolicy, P extends CompiledPolicy, State>(
  algorithm: Algorithm<S, P, State>,
  policies: fc.Arbitrary<P>,
  windowUsOf: (policy: P) => number,
  withCapacity: (policy: P, capacity: number) => P,
): void {
  const look = (state: State | undefined, policy: P, nowUs: number) =>
    algorithm.step(state, policy, 0, nowUs, 0);

  it('a denial and a check without cost leave the state unchanged; the returned wait admits, a microsecond less does not', () => {
    fc.assert(
      fc.property(policies, requests, (policy, sent) => {
        play(algorithm, policy, windowUsOf(policy), sent, (state, cost, nowUs) => {
          expect(look(state, policy, nowUs).state).toBe(state);
          const step = algorithm.step(state, policy, cost, nowUs, 0);
          if (step.allowed) return;
          expect(step.state).toBe(state);
          expect(step.waitUs === -1).toBe(cost > policy.capacity + policy.extra);
          if (step.waitUs === -1) return;
          expect(algorithm.step(state, policy, cost, nowUs + step.waitUs, 0).allowed).toBe(true);
          expect(algorithm.step(state, policy, cost, nowUs + step.waitUs - 1, 0).allowed).toBe(false);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('is empty at the returned time, and not a microsecond before', () => {
    fc.assert(
      fc.property(policies, requests, (policy, sent) => {
        const { state, nowUs } = play(algorithm, policy, windowUsOf(policy), sent);
        const { resetAfterUs, remaining } = look(state, policy, nowUs);
        expect(look(state, policy, nowUs + resetAfterUs)).toMatchObject({
          remaining: policy.capacity,
          resetAfterUs: 0,
        });
        if (remaining === policy.capacity) return;
        expect(look(state, policy, nowUs + resetAfterUs - 1).remaining).toBeLessThan(policy.capacity);
      }),
    );
  });

  it('refunding a charge restores the previous usage; refunding too much never exceeds the limit', () => {
    fc.assert(
      fc.property(policies, requests, fc.integer({ min: 1, max: 5 }), (policy, sent, cost) => {
        const { state, nowUs } = play(algorithm, policy, windowUsOf(policy), sent);
        const before = look(state, policy, nowUs);
        const step = algorithm.step(state, policy, cost, nowUs, 0);
        if (!step.allowed) return;
        const given = algorithm.refund(step.state, policy, cost, nowUs, nowUs, 0);
        expect(look(given, policy, nowUs).remaining).toBe(before.remaining);
        const all = algorithm.refund(step.state, policy, 2 ** 40, nowUs, nowUs, 0);
        expect(look(all, policy, nowUs).remaining).toBeLessThanOrEqual(policy.capacity);
        const late = nowUs + policy.horizonMs * 1000;
        expect(algorithm.refund(step.state, policy, cost, nowUs, late, 0)).toBe(step.state);
      }),
      { numRuns: 300 },
    );
  });

  it('a policy change carries usage over by the rule, at any time', () => {
    fc.assert(
      fc.property(
        policies,
        requests,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(...RULES),
        (from, sent, capacity, rule) => {
          const { state, nowUs } = play(algorithm, from, windowUsOf(from), sent);
          if (state === undefined) return;
          const to = withCapacity(from, capacity);
          const used = from.capacity - look(state, from, nowUs).remaining;
          const after = look(algorithm.rebase(state, from, to, rule, nowUs), to, nowUs).remaining;
          expect(capacity - after).toBe(carriedOver(used, from.capacity, capacity, rule));
          if (rule === 'additive') expect(after).toBeGreaterThanOrEqual(capacity - from.capacity);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a stored state decodes to the same state', () => {
    fc.assert(
      fc.property(policies, requests, (policy, sent) => {
        const { state } = play(algorithm, policy, windowUsOf(policy), sent);
        if (state !== undefined) expect(algorithm.decode(algorithm.encode(state))).toEqual(state);
      }),
    );
    for (const text of ['', 'x', '1', '12', 'a,b123456789012', '0']) {
      expect(algorithm.decode(text)).toBeUndefined();
    }
  });

  it('a clock that steps back admits nothing extra within a window, and denies at most one window longer', () => {
    fc.assert(
      fc.property(policies, requests, fc.integer({ min: 1, max: 1000 }), (policy, sent, back) => {
        const windowUs = windowUsOf(policy);
        const { state, nowUs } = play(algorithm, policy, windowUs, sent);
        const earlierUs = nowUs - Math.floor((windowUs * back) / 100);
        const { remaining } = look(state, policy, nowUs);
        const earlier = look(state, policy, earlierUs);
        if (back < 100) expect(earlier.remaining).toBeLessThanOrEqual(remaining);
        const step = algorithm.step(state, policy, 1, earlierUs, 0);
        if (step.allowed) return;
        expect(step.waitUs).toBeLessThanOrEqual(policy.horizonMs * 1000 + windowUs);
        expect(algorithm.step(state, policy, 1, earlierUs + step.waitUs, 0).allowed).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
}
