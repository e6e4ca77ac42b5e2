import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../test/policies.js';
import { type CompiledFixedWindow, type FixedWindowState, fixedWindow } from './fixed-window.js';

const MINUTE = 60_000;
const T0_MS = Date.UTC(2020, 3, 21, 10, 0, 0);

function policy(limit: number, windowMs: number, alignment: 'clock' | 'first_request'): CompiledFixedWindow {
  const result = fixedWindow.compile(fixedWindowPolicy({ limit, windowMs, alignment }));
  if (!result.ok) throw new Error('does not compile');
  return result.policy;
}

/** Plays arrivals, in milliseconds after 10:00:00, and tells which were allowed. */
function play(p: CompiledFixedWindow, arrivalsMs: readonly number[]): boolean[] {
  let state: FixedWindowState | undefined;
  return arrivalsMs.map((at) => {
    const step = fixedWindow.step(state, p, 1, (T0_MS + at) * 1000);
    state = step.state;
    return step.allowed;
  });
}

describe('fixed window', () => {
  it('lets 3/min through and counts anew in the next minute', () => {
    // 10:00:23, :24, :25 pass, :26 does not; 10:01:00 passes.
    expect(play(policy(3, MINUTE, 'clock'), [23_000, 24_000, 25_000, 26_000, 60_000])).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  it('three at the end of a minute and three at the start of the next: all six pass', () => {
    expect(play(policy(3, MINUTE, 'clock'), [59_000, 59_300, 59_900, 60_000, 60_100, 60_200])).toEqual(
      Array(6).fill(true),
    );
  });

  it('two a second: of two messages in the first and three in the second, m5 alone is throttled', () => {
    expect(play(policy(2, 1000, 'clock'), [300, 400, 1100, 1200, 1300])).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('started by the first request, it runs from there', () => {
    const p = policy(2, MINUTE, 'first_request');
    expect(play(p, [30_000, 59_000, 61_000, 89_999, 90_000])).toEqual([true, true, false, false, true]);
  });

  it('tells what is left and when, to the microsecond', () => {
    const p = policy(3, MINUTE, 'clock');
    const first = fixedWindow.step(undefined, p, 2, (T0_MS + 15_000) * 1000 + 7);
    expect(first).toMatchObject({ allowed: true, remaining: 1, resetAfterUs: 45_000_000 - 7 });
    const second = fixedWindow.step(first.state, p, 2, (T0_MS + 20_000) * 1000);
    expect(second).toMatchObject({
      allowed: false,
      remaining: 1,
      retryAfterUs: 40_000_000,
      state: first.state,
    });
    expect(fixedWindow.step(first.state, p, 4, (T0_MS + 20_000) * 1000).retryAfterUs).toBe(-1);
  });

  it('keeps what is used when the limit or the window changes', () => {
    const used = { count: 3, startMs: T0_MS + 5 * MINUTE };
    const now = (T0_MS + 5 * MINUTE + 30_000) * 1000;
    expect(fixedWindow.step(used, policy(10, MINUTE, 'clock'), 1, now).remaining).toBe(6);
    expect(fixedWindow.step(used, policy(2, MINUTE, 'clock'), 1, now)).toMatchObject({
      allowed: false,
      remaining: 0,
    });
    // A minute's count goes into the hour that holds it.
    const hour = fixedWindow.step(used, policy(10, 60 * MINUTE, 'clock'), 1, now);
    expect(hour).toMatchObject({ remaining: 6, state: { count: 4, startMs: T0_MS } });
  });

  it('when the clock steps back, the count stays in force, for one window at most', () => {
    const p = policy(3, MINUTE, 'clock');
    const full = { count: 3, startMs: T0_MS + MINUTE };
    const before = fixedWindow.step(full, p, 1, (T0_MS + MINUTE - 1) * 1000);
    expect(before).toMatchObject({ allowed: false, retryAfterUs: (MINUTE + 1) * 1000 });
    const hourBack = fixedWindow.step({ count: 3, startMs: T0_MS + 60 * MINUTE }, p, 1, T0_MS * 1000);
    expect(hourBack).toMatchObject({ allowed: false, retryAfterUs: MINUTE * 1000 });
  });

  it('a stored state reads back as it was, and foreign text reads as nothing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 48 }),
        fc.integer({ min: 0, max: 2 ** 38 }),
        (count, offset) => {
          const state = { count, startMs: 1_577_836_800_000 + offset };
          expect(fixedWindow.decode(fixedWindow.encode(state))).toEqual(state);
        },
      ),
    );
    for (const text of ['', 'x', '12', 'abc123456789012', '-1000000000000']) {
      expect(fixedWindow.decode(text)).toBeUndefined();
    }
  });

  it('never admits more than the limit in a window, and admits again exactly after retryAfter', () => {
    const anyPolicy = fc
      .record({
        limit: fc.integer({ min: 1, max: 20 }),
        windowMs: fc.integer({ min: 1, max: 3 * MINUTE }),
        alignment: fc.constantFrom('clock' as const, 'first_request' as const),
      })
      .map(({ limit, windowMs, alignment }) => policy(limit, windowMs, alignment));
    const arrivals = fc.array(
      fc.record({ gapUs: fc.integer({ min: 0, max: 20_000_000 }), cost: fc.integer({ min: 0, max: 5 }) }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(anyPolicy, arrivals, (p, requests) => {
        let nowUs = T0_MS * 1000;
        let state: FixedWindowState | undefined;
        const admitted = new Map<number, number>();
        for (const { gapUs, cost } of requests) {
          nowUs += gapUs;
          const step = fixedWindow.step(state, p, cost, nowUs);
          if (step.allowed && step.state !== undefined) {
            admitted.set(step.state.startMs, (admitted.get(step.state.startMs) ?? 0) + cost);
          }
          if (!step.allowed) expect(step.state).toBe(state);
          if (!step.allowed && step.retryAfterUs >= 0) {
            expect(fixedWindow.step(state, p, cost, nowUs + step.retryAfterUs).allowed).toBe(true);
            expect(fixedWindow.step(state, p, cost, nowUs + step.retryAfterUs - 1).allowed).toBe(false);
          }
          state = step.state;
        }
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(p.limit);
      }),
      { numRuns: 300 },
    );
  });
});
