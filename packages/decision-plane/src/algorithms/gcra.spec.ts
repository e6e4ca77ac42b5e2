import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcraPolicy } from '../../test/policies.js';
import { type CompiledGcra, gcra } from './gcra.js';

const T0_US = Date.UTC(2026, 0, 1) * 1000;

function policy(limit: number, windowMs: number, burst: number): CompiledGcra {
  const result = gcra.compile(gcraPolicy({ limit, windowMs, burst }));
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.policy;
}

/** Plays arrivals, in microseconds after T0, and tells which were allowed. */
function play(p: CompiledGcra, arrivalsUs: readonly number[]): boolean[] {
  let state: number | undefined;
  return arrivalsUs.map((at) => {
    const step = gcra.step(state, p, 1, T0_US + at);
    state = step.state;
    return step.allowed;
  });
}

describe('gcra', () => {
  it('at 100/s without burst lets one through every 10 ms and stores the arrival time of the article', () => {
    const p = policy(100, 1000, 0);
    // First request at .500: TAT = .510.
    const first = gcra.step(undefined, p, 1, T0_US + 500_000);
    expect(first).toMatchObject({ allowed: true, state: T0_US + 510_000, remaining: 0 });
    // At .509999 too soon, by 1 µs; at .510 allowed, TAT .520.
    expect(gcra.step(first.state, p, 1, T0_US + 509_999)).toMatchObject({ allowed: false, retryAfterUs: 1 });
    expect(gcra.step(first.state, p, 1, T0_US + 510_000)).toMatchObject({
      allowed: true,
      state: T0_US + 520_000,
    });
  });

  it('with burst 5 lets six through at once, then one every 10 ms', () => {
    const p = policy(100, 1000, 5);
    expect(play(p, [0, 0, 0, 0, 0, 0, 0])).toEqual([true, true, true, true, true, true, false]);
    // Allowed at TAT - tolerance: 60 ms - 50 ms = 10 ms after the first.
    expect(play(p, [0, 0, 0, 0, 0, 0, 9_999, 10_000, 10_000])).toEqual([
      ...Array(6).fill(true),
      false,
      true,
      false,
    ]);
  });

  it('regains burst while nothing arrives', () => {
    // All six at 0, silence until 30 ms: three more at once.
    expect(play(policy(100, 1000, 5), [0, 0, 0, 0, 0, 0, 30_000, 30_000, 30_000, 30_000])).toEqual([
      ...Array(9).fill(true),
      false,
    ]);
  });

  it('says that a cost above the burst can never pass', () => {
    expect(gcra.step(undefined, policy(100, 1000, 5), 7, T0_US)).toMatchObject({
      allowed: false,
      retryAfterUs: -1,
    });
    expect(gcra.step(undefined, policy(100, 1000, 5), 6, T0_US)).toMatchObject({
      allowed: true,
      remaining: 0,
    });
  });

  it('acts by a raised limit at once, not by the old stored time', () => {
    const slow = policy(1, 3_600_000, 9);
    let state: number | undefined;
    for (let i = 0; i < 10; i++) state = gcra.step(state, slow, 1, T0_US).state;
    expect(gcra.step(state, slow, 1, T0_US)).toMatchObject({ allowed: false, retryAfterUs: 3_600_000_000 });
    // Raised to one a second: the ten stored hours count as ten seconds.
    expect(gcra.step(state, policy(1, 1000, 9), 1, T0_US)).toMatchObject({
      allowed: false,
      retryAfterUs: 1_000_000,
    });
  });

  it('refuses policies that integers cannot say, by field', () => {
    expect(gcra.compile(gcraPolicy({ limit: 700_000, windowMs: 1000 }))).toMatchObject({
      ok: false,
      errors: [{ field: 'limit' }],
    });
    expect(gcra.compile(gcraPolicy({ limit: 1, windowMs: 86_400_000, burst: 400 }))).toMatchObject({
      ok: false,
      errors: [{ field: 'burst' }],
    });
  });

  const anyPolicy = fc
    .record({
      limit: fc.integer({ min: 1, max: 1000 }),
      windowMs: fc.integer({ min: 1000, max: 86_400_000 }),
      burst: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ limit, windowMs, burst }) => policy(limit, windowMs, burst));
  const gapsUs = fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 60 });

  it('never admits more than burst + 1 + elapsed ÷ interval in any stretch of time', () => {
    fc.assert(
      fc.property(anyPolicy, gapsUs, (p, gaps) => {
        let now = 0;
        const times = gaps.map((gap) => (now += gap));
        const admitted = times.filter((_, i) => play(p, times)[i]);
        for (let from = 0; from < admitted.length; from++) {
          for (let to = from; to < admitted.length; to++) {
            const elapsed = (admitted[to] ?? 0) - (admitted[from] ?? 0);
            expect(to - from + 1).toBeLessThanOrEqual(p.capacity + Math.floor(elapsed / p.intervalUs));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('admits after retryAfter, and not one microsecond before', () => {
    fc.assert(
      fc.property(anyPolicy, gapsUs, fc.integer({ min: 1, max: 25 }), (p, gaps, cost) => {
        let now = T0_US;
        let state: number | undefined;
        for (const gap of gaps) {
          now += gap;
          const step = gcra.step(state, p, cost, now);
          if (!step.allowed && step.retryAfterUs >= 0) {
            expect(gcra.step(state, p, cost, now + step.retryAfterUs).allowed).toBe(true);
            expect(gcra.step(state, p, cost, now + step.retryAfterUs - 1).allowed).toBe(false);
          }
          if (!step.allowed) expect(step.state).toBe(state);
          expect(gcra.step(state, p, 0, now).state).toBe(state);
          state = step.state;
        }
      }),
      { numRuns: 300 },
    );
  });
});
