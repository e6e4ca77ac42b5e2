import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compiledBy,
  itKeepsTheLaws,
  play,
  RULES,
  refusedFields,
  requests,
  SECOND_US,
  T0_MS,
  T0_US,
  visits,
} from '../../test/algorithm-laws.js';
import { type CompiledConcurrency, concurrency, type Permit } from './concurrency.js';

type Terms = Parameters<typeof compiledBy>[2];

const policy = (limit: number, leaseMs: number, terms: Terms = {}): CompiledConcurrency =>
  compiledBy(concurrency, { algorithm: 'concurrency', limit, leaseMs }, terms);

const step = (
  state: readonly Permit[] | undefined,
  p: CompiledConcurrency,
  seconds: number,
  holder: number,
  cost = 1,
) => concurrency.step(state, p, cost, T0_US + seconds * SECOND_US, holder);

const held = (holder: number, seconds: number): Permit => ({ holder, expiryMs: T0_MS + seconds * 1000 });

describe('concurrency', () => {
  it('limits two at once: the third waits for the first to expire, or is allowed after a release', () => {
    const p = policy(2, 10_000);
    const [, second, third] = play(concurrency, p, [0, SECOND_US, 2 * SECOND_US]);
    expect(third).toMatchObject({
      allowed: false,
      remaining: 0,
      waitUs: 8 * SECOND_US,
      resetAfterUs: 9 * SECOND_US,
    });
    const released = concurrency.refund(second?.state, p, 1, T0_US, T0_US + 2 * SECOND_US, 1);
    expect(released).toEqual([held(2, 11)]);
    expect(step(released, p, 2, 3)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('frees the permit of a dead holder one lease after it was acquired', () => {
    const p = policy(1, 10_000);
    const taken = step(undefined, p, 0, 1).state;
    expect(step(taken, p, 9.999999, 2)).toMatchObject({ allowed: false, waitUs: 1 });
    expect(step(taken, p, 10, 2)).toMatchObject({ allowed: true, state: [held(2, 20)] });
  });

  it('renews for a holder that requests again, without acquiring more, even when all permits are held', () => {
    const p = policy(2, 10_000);
    const full = [held(1, 10), held(2, 11)];
    const renewed = step(full, p, 5, 1);
    expect(renewed).toMatchObject({
      allowed: true,
      over: false,
      remaining: 0,
      state: [held(2, 11), held(1, 15)],
    });
    expect(step(renewed.state, p, 10, 3)).toMatchObject({ allowed: false, waitUs: SECOND_US });
  });

  it('keeps several permits of a holder together and releases them all', () => {
    const p = policy(4, 10_000);
    const several = step([held(9, 3)], p, 0, 7, 3).state;
    expect(several).toEqual([held(9, 3), held(7, 10), held(7, 10), held(7, 10)]);
    expect(step(several, p, 1, 8, 2)).toMatchObject({ allowed: false, waitUs: 9 * SECOND_US });
    expect(step(several, p, 2, 7, 3)).toMatchObject({ allowed: true, remaining: 0 });
    expect(concurrency.refund(several, p, 1, T0_US, T0_US, 7)).toEqual([held(9, 3)]);
    expect(step(several, p, 0, 8, 5).waitUs).toBe(-1);
  });

  it('lets permits without a holder expire, without renewal or release', () => {
    const p = policy(3, 10_000);
    const two = step(step(undefined, p, 0, 0).state, p, 1, 0).state;
    expect(two).toEqual([held(0, 10), held(0, 11)]);
    expect(concurrency.refund(two, p, 2, T0_US, T0_US, 0)).toBe(two);
  });

  it('ignores a release by a different holder or after expiry', () => {
    const state = [held(1, 10)];
    expect(concurrency.refund(state, policy(2, 10_000), 1, T0_US, T0_US, 2)).toBe(state);
    expect(concurrency.refund(state, policy(2, 10_000), 1, T0_US, T0_US + 10 * SECOND_US, 1)).toBe(state);
    expect(concurrency.refund(state, policy(2, 10_000), 1, T0_US, T0_US, 1)).toBeUndefined();
  });

  it('keeps permits held after a policy change unless it resets them, for at most the new lease', () => {
    const from = policy(3, 60_000);
    const to = policy(1, 10_000);
    const state = [held(1, 5), held(2, 50)];
    for (const rule of RULES.filter((name) => name !== 'reset')) {
      const kept = concurrency.rebase(state, from, to, rule, T0_US);
      expect(kept).toEqual([held(1, 5), held(2, 10)]);
      expect(step(kept, to, 0, 3)).toMatchObject({ allowed: false, remaining: -1, waitUs: 10 * SECOND_US });
    }
    expect(concurrency.rebase(state, from, to, 'reset', T0_US)).toBeUndefined();
    expect(concurrency.rebase(state, from, to, 'keep', T0_US + 60 * SECOND_US)).toBeUndefined();
  });

  it('after the clock steps back, keeps a permit until its expiry unless that is more than two leases ahead', () => {
    const p = policy(2, 10_000);
    const ahead = [held(1, 20)];
    expect(step(ahead, p, 0, 2, 2)).toMatchObject({ allowed: false, waitUs: 20 * SECOND_US });
    expect(step(ahead, p, 0, 2).state).toEqual([held(2, 10), held(1, 20)]);
    expect(step([held(1, 20.001)], p, 0, 2, 2)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('soft limits admit more and mark them', () => {
    const p = policy(2, 10_000, { throttle: { mode: 'soft', percent: 50 } });
    expect(play(concurrency, p, [0, 0, 0, 0]).map(({ allowed, over }) => [allowed, over])).toEqual([
      [true, false],
      [true, false],
      [true, true],
      [false, false],
    ]);
  });

  it('rejects a queue, leased capacity, a charge by outcome, and more permits than a state holds', () => {
    const rule = { algorithm: 'concurrency', limit: 10_000, leaseMs: 1000 } as const;
    expect(refusedFields(concurrency, rule)).toEqual([]);
    expect(refusedFields(concurrency, rule, { throttle: { mode: 'queue', maxDelayMs: 100 } })).toEqual([
      'throttle.mode',
    ]);
    expect(refusedFields(concurrency, rule, { throttle: { mode: 'soft', percent: 1 } })).toEqual(['limit']);
    expect(refusedFields(concurrency, rule, { consistency: { mode: 'leased', leaseMs: 200 } })).toEqual([
      'consistency.mode',
    ]);
    expect(refusedFields(concurrency, rule, { charge: 'on_failure' })).toEqual(['charge']);
  });

  it('stores 13 bytes per permit, for every holder and until the year 10889', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ holder: fc.maxSafeNat(), expiryMs: fc.integer({ min: T0_MS, max: 2 ** 48 - 1 }) }),
        ),
        (permits) => {
          const text = concurrency.encode(permits);
          expect(text).toHaveLength(13 * permits.length);
          expect(concurrency.decode(text)).toEqual(permits);
        },
      ),
    );
    expect(concurrency.decode('x')).toBeUndefined();
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 8 }),
      leaseMs: fc.oneof(fc.constantFrom(1, 7, 1000), fc.integer({ min: 1, max: 100_000 })),
      throttle: fc.constantFrom<Terms>({}, { throttle: { mode: 'soft', percent: 100 } }),
    })
    .map((n) => policy(n.limit, n.leaseMs, n.throttle));

  it('never holds more permits than the limit and its extra, in any order of acquire, renew and release', () => {
    const releases = fc.array(fc.boolean(), { minLength: 50, maxLength: 50 });
    fc.assert(
      fc.property(policies, requests, releases, (p, asked, released) => {
        let nowUs = T0_US;
        let state: readonly Permit[] | undefined;
        const until = new Map<number, { units: number; endUs: number }>();
        for (const [i, { gapUs, cost, holder }] of asked.entries()) {
          nowUs += gapUs;
          const next = concurrency.step(state, p, cost, nowUs, holder);
          state = next.state;
          const own = until.get(holder);
          const holds = own !== undefined && own.endUs > nowUs;
          const endUs = (Math.floor(nowUs / 1000) + p.leaseMs) * 1000;
          if (next.allowed && cost > 0) until.set(holder, { units: holds ? own.units : cost, endUs });
          if (released[i] === true) {
            state = concurrency.refund(state, p, 1, nowUs, nowUs, holder);
            until.delete(holder);
          }
          const running = [...until.values()].filter((permit) => permit.endUs > nowUs);
          const units = running.reduce((sum, permit) => sum + permit.units, 0);
          expect(units).toBeLessThanOrEqual(p.capacity + p.extra);
          expect(concurrency.step(state, p, 0, nowUs, 0).remaining).toBe(p.capacity - units);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('sorts permits by expiry', () => {
    fc.assert(
      fc.property(policies, requests, (p, asked) => {
        for (const { step: next } of visits(concurrency, p, asked)) {
          const expiries = (next.state ?? []).map(({ expiryMs }) => expiryMs);
          expect(expiries).toEqual(expiries.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  // A permit of a wrong clock counts again when its expiry is near, unless a holder acquired one in between.
  itKeepsTheLaws(concurrency, policies, (asked) => asked.length);
});
