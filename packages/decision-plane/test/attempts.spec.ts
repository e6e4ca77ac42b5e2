import { DEFAULT_ATTEMPT_TIMEOUT_MS, type LimitPolicy, type Rule } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import { FakeClock } from '@tollgate/limiter/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, policyBy } from '../../limiter/test/policies.js';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';
import { TestPlane } from '../src/testing/test-plane.js';

const DAY: Rule = { algorithm: 'quota', limit: 3, period: 'day' };
const pay = { tenant: 'acme', api: 'payments', operation: 'chargeCard' };

/** Three failed card payments a day, at 17:23:16: 23,804 s before midnight. */
function cards(rule: Rule = DAY, over: Partial<LimitPolicy> = {}): TestPlane {
  const limit = policyBy(rule, { name: 'card', api: 'payments', charge: 'on_failure', ...over } as never);
  return new TestPlane({ limits: [limit], clock: new FakeClock(Date.UTC(2026, 10, 22, 17, 23, 16)) });
}

async function begin(plane: TestPlane, requestId: string) {
  return await plane.limit({ ...pay, requestId });
}

const report = (plane: TestPlane, requestId: string, outcome: 'success' | 'failure') =>
  plane.reportOutcome({ tenant: 'acme', requestId, outcome });

describe('a limit of three failures a day', () => {
  it('tells a fourth parallel payment to retry shortly, not at the end of the day', async () => {
    const plane = cards();
    for (const id of ['a', 'b', 'c']) expect(await begin(plane, id)).toMatchObject({ success: true });
    const fourth = await begin(plane, 'd');
    expect(fourth).toMatchObject({ success: false, reason: 'ATTEMPTS_IN_FLIGHT', policy: 'card' });
    expect(fourth.retryAfter).toBe(1);
    await report(plane, 'a', 'success');
    expect(await begin(plane, 'd')).toMatchObject({ success: true, remaining: 0 });
  });

  it('denies the fourth payment until the end of the day once three have failed', async () => {
    const plane = cards();
    for (const id of ['a', 'b', 'c']) {
      await begin(plane, id);
      expect(await report(plane, id, 'failure')).toMatchObject({ status: 'applied', returned: 0 });
    }
    expect(await begin(plane, 'd')).toMatchObject({
      ...{ success: false, reason: 'QUOTA_EXCEEDED', retryAfter: 23_804, used: 3 },
    });
    plane.clock.advanceMs(DEFAULT_ATTEMPT_TIMEOUT_MS * 2);
    expect(await begin(plane, 'd')).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
  });

  it('never lets failures and attempts in flight exceed the limit together', async () => {
    const plane = cards();
    await begin(plane, 'a');
    await report(plane, 'a', 'failure');
    expect(await begin(plane, 'b')).toMatchObject({ success: true, remaining: 1, used: 2 });
    expect(await begin(plane, 'c')).toMatchObject({ success: true, remaining: 0, used: 3 });
    expect(await begin(plane, 'd')).toMatchObject({ success: false, reason: 'ATTEMPTS_IN_FLIGHT' });
  });

  it('admits payments after attempts without an outcome have expired', async () => {
    const plane = cards();
    for (const id of ['a', 'b', 'c']) await begin(plane, id);
    expect(await begin(plane, 'd')).toMatchObject({ success: false, retryAfter: 1 });
    plane.clock.advanceMs(32_000);
    expect(await begin(plane, 'd')).toMatchObject({ success: true, used: 1 });
  });

  it('charges a failure that is reported after its attempt has expired', async () => {
    const plane = cards();
    for (const id of ['a', 'b', 'c']) await begin(plane, id);
    plane.clock.advanceMs(60_000);
    for (const id of ['a', 'b', 'c']) await report(plane, id, 'failure');
    expect(await begin(plane, 'd')).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED', used: 3 });
  });

  it('refunds a failure, and counts the cost of a settled reservation', async () => {
    const plane = cards();
    await begin(plane, 'a');
    await report(plane, 'a', 'failure');
    expect(await plane.refund({ tenant: 'acme', requestId: 'a' })).toMatchObject({ returned: 1 });
    expect(await plane.peek(pay)).toMatchObject({ remaining: 3 });
    await plane.reserve({ ...pay, requestId: 'r' });
    await plane.settle({ tenant: 'acme', requestId: 'r', cost: 2 });
    plane.clock.advanceMs(60_000);
    expect(await plane.peek(pay)).toMatchObject({ remaining: 1 });
  });

  it('keeps an attempt in flight until the attempt timeout of its limit', async () => {
    const plane = cards(DAY, { attemptTimeoutMs: 600_000 });
    for (const id of ['a', 'b', 'c']) await begin(plane, id);
    plane.clock.advanceMs(60_000);
    expect(await begin(plane, 'd')).toMatchObject({ success: false, retryAfter: expect.any(Number) });
    plane.clock.advanceMs(600_000);
    expect(await begin(plane, 'd')).toMatchObject({ success: true });
  });
});

const RULE_KINDS = KINDS.filter((kind) => kind !== 'concurrency');
const T0_US = Date.UTC(2026, 0, 31) * 1000 + 123_456;

describe.each(RULE_KINDS)('attempts over %s', (kind) => {
  const algorithm = algorithmOf(`attempts_${kind}`);

  it('encodes and decodes to the same state', () => {
    fc.assert(
      fc.property(policiesOf(kind), fc.array(fc.nat(120_000), { maxLength: 30 }), (stored, moves) => {
        const { policy } = compiled({ ...stored, charge: 'on_failure' });
        let state: unknown;
        let nowUs = T0_US;
        for (const [i, moveMs] of moves.entries()) {
          nowUs += moveMs * 1000;
          const step = i % 3 === 0 ? algorithm.charge : algorithm.step;
          state = step?.(state, policy, 1, nowUs, 0).state;
          if (state === undefined) continue;
          const text = algorithm.encode(state);
          expect(algorithm.decode(text)).toEqual(state);
          expect(text.length).toBeLessThan(1 + 34 * 13 + 200_000);
        }
      }),
    );
  });

  it('admits no more, including failures, than the rule alone admits at once', () => {
    fc.assert(
      fc.property(
        policiesOf(kind),
        fc.array(fc.record({ moveMs: fc.constantFrom(0, 0, 1, 500, 31_000), fails: fc.boolean() }), {
          maxLength: 60,
        }),
        (stored, events) => {
          const { policy } = compiled({ ...stored, charge: 'on_failure' });
          const rule = algorithmOf(kind);
          const begun: number[] = [];
          let state: unknown;
          let nowUs = T0_US;
          for (const { moveMs, fails } of events) {
            nowUs += moveMs * 1000;
            const step = algorithm.step(state, policy, 1, nowUs, 0);
            if (step.allowed) begun.push(nowUs);
            state = step.state;
            if (fails && begun.length > 0 && state !== undefined)
              state = algorithm.fail?.(state, policy, 1, begun.shift() ?? nowUs, nowUs);
            const { failed } = (state ?? {}) as { failed?: unknown };
            const inFlight = algorithm.inFlight?.(state, policy, nowUs) ?? 0;
            if (!step.allowed || fails) continue;
            expect(rule.step(failed, policy, inFlight, nowUs, 0).allowed).toBe(true);
          }
        },
      ),
    );
  });

  it('allows a request after the returned wait, or denies by attempts in flight with a wait of at most 1 s', () => {
    fc.assert(
      fc.property(policiesOf(kind), fc.integer({ min: 1, max: 40 }), (stored, requests) => {
        const { policy } = compiled({ ...stored, charge: 'on_failure' });
        let state: unknown;
        for (let i = 0; i < requests; i++) {
          const step = algorithm.step(state, policy, 1, T0_US + i * 1000, 0);
          if (!step.allowed && step.waitUs >= 0) {
            const laterUs = T0_US + i * 1000 + step.waitUs;
            const later = algorithm.step(state, policy, 1, laterUs, 0);
            if (step.inFlight === true) expect(step.waitUs).toBeLessThanOrEqual(1_000_000);
            else expect(later.allowed).toBe(true);
          }
          state = step.state;
        }
      }),
    );
  });
});
