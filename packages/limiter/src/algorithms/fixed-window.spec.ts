import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  burst,
  compiledBy,
  itCarriesOver,
  itKeepsTheLaws,
  MINUTE_MS,
  play,
  refusedFields,
  requests,
  SECOND_US,
  T0_MS,
  T0_US,
  visits,
} from '../../test/algorithm-laws.js';
import { type CompiledFixedWindow, fixedWindow } from './fixed-window.js';

type Alignment = 'clock' | 'first_request';

function policy(
  limit: number,
  windowMs: number,
  alignment: Alignment = 'clock',
  percent?: number,
): CompiledFixedWindow {
  const throttle = percent === undefined ? {} : { throttle: { mode: 'soft' as const, percent } };
  return compiledBy(fixedWindow, { algorithm: 'fixed_window', limit, windowMs, alignment }, throttle);
}

const allowed = (p: CompiledFixedWindow, arrivalsMs: readonly number[]) =>
  play(
    fixedWindow,
    p,
    arrivalsMs.map((ms) => ms * 1000),
  ).map((step) => step.allowed);

describe('fixed window', () => {
  it('3 requests a minute: three in one minute are allowed; of five in the next, the last two are denied', () => {
    const minute = policy(3, MINUTE_MS);
    const arrivals = [23_000, 30_000, 59_000, 60_000, 70_000, 80_000, 90_000, 119_999];
    expect(allowed(minute, arrivals)).toEqual([true, true, true, true, true, true, false, false]);
  });

  it('100/min at 10:00:59 and again at 10:01:01: a fixed window allows 200', () => {
    const p = policy(100, MINUTE_MS);
    const first = burst(fixedWindow, p, 101, 59 * SECOND_US);
    expect(first.passed).toBe(100);
    expect(burst(fixedWindow, p, 101, 61 * SECOND_US, first.state).passed).toBe(100);
  });

  it('two a second: of two messages in the first second and three in the second, only m5 is denied', () => {
    expect(allowed(policy(2, 1000), [300, 400, 1100, 1200, 1300])).toEqual([true, true, true, true, false]);
  });

  it('100/min soft 10 % allows 110 and marks the last ten', () => {
    const soft = policy(100, MINUTE_MS, 'clock', 10);
    const steps = play(fixedWindow, soft, Array<number>(111).fill(0));
    expect(steps.filter((step) => step.allowed)).toHaveLength(110);
    expect(steps.findIndex((step) => step.over)).toBe(100);
    expect(steps[109]).toMatchObject({ over: true, remaining: -10 });
    expect(steps[110]).toMatchObject({ allowed: false, over: false, remaining: -10, waitUs: 60 * SECOND_US });
  });

  it('starts at the first request if not aligned to the clock', () => {
    const p = policy(2, MINUTE_MS, 'first_request');
    expect(allowed(p, [30_000, 59_000, 61_000, 89_999, 90_000])).toEqual([true, true, false, false, true]);
  });

  it('returns remaining and reset to the microsecond', () => {
    const p = policy(3, MINUTE_MS);
    const first = fixedWindow.step(undefined, p, 2, T0_US + 15 * SECOND_US + 7, 0);
    expect(first).toMatchObject({ allowed: true, remaining: 1, resetAfterUs: 45 * SECOND_US - 7 });
    expect(fixedWindow.step(first.state, p, 2, T0_US + 20 * SECOND_US, 0)).toMatchObject({
      allowed: false,
      remaining: 1,
      waitUs: 40 * SECOND_US,
    });
    expect(fixedWindow.step(first.state, p, 4, T0_US + 20 * SECOND_US, 0).waitUs).toBe(-1);
  });

  it("carries a minute's count over to the hour that contains it", () => {
    const used = { count: 3, startMs: T0_MS + 5 * MINUTE_MS };
    const hour = fixedWindow.step(used, policy(10, 60 * MINUTE_MS), 1, T0_US + 330 * SECOND_US, 0);
    expect(hour).toMatchObject({ remaining: 6, state: { count: 4, startMs: T0_MS } });
  });

  it('keeps the count until its window ends when the clock steps back', () => {
    const full = { count: 3, startMs: T0_MS + MINUTE_MS };
    expect(fixedWindow.step(full, policy(3, MINUTE_MS), 1, T0_US + 60 * SECOND_US - 1000, 0)).toMatchObject({
      allowed: false,
      waitUs: (MINUTE_MS + 1) * 1000,
    });
  });

  it('ignores a count that is an hour ahead, written under a wrong clock', () => {
    const ahead = { count: 3, startMs: T0_MS + 60 * MINUTE_MS };
    for (const alignment of ['clock', 'first_request'] as const) {
      const step = fixedWindow.step(ahead, policy(3, MINUTE_MS, alignment), 1, T0_US, 0);
      expect(step).toMatchObject({ allowed: true, remaining: 2, state: { count: 1, startMs: T0_MS } });
    }
  });

  it('refunds nothing after the window has ended', () => {
    const p = policy(3, MINUTE_MS);
    const state = { count: 2, startMs: T0_MS + MINUTE_MS };
    expect(fixedWindow.refund(state, p, 1, T0_US + 59 * SECOND_US, T0_US + 61 * SECOND_US, 0)).toBe(state);
    expect(fixedWindow.refund(state, p, 1, T0_US + 60 * SECOND_US, T0_US + 61 * SECOND_US, 0)).toEqual({
      ...state,
      count: 1,
    });
  });

  it('rejects a queue, and a band below one request', () => {
    const rule = { algorithm: 'fixed_window', limit: 5, windowMs: 1000, alignment: 'clock' } as const;
    expect(refusedFields(fixedWindow, rule, { throttle: { mode: 'queue', maxDelayMs: 100 } })).toEqual([
      'throttle.mode',
    ]);
    expect(refusedFields(fixedWindow, rule, { throttle: { mode: 'soft', percent: 10 } })).toEqual([
      'throttle.percent',
    ]);
  });

  it('decodes foreign text as undefined', () => {
    for (const text of ['', 'x', '12', 'abc123456789012', '-1000000000000']) {
      expect(fixedWindow.decode(text)).toBeUndefined();
    }
  });

  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 20 }),
    percent: fc.constantFrom(undefined, 100, 300),
    windowMs: fc.oneof(fc.constantFrom(1, 7, 1000), fc.integer({ min: 1, max: 3 * MINUTE_MS })),
    alignment: fc.constantFrom<Alignment>('clock', 'first_request'),
  });
  const policies = numbers.map((n) => policy(n.limit, n.windowMs, n.alignment, n.percent));

  it('never admits more than the limit and its extra in a window', () => {
    fc.assert(
      fc.property(policies, requests, (p, asked) => {
        const admitted = new Map<number, number>();
        for (const { step, cost } of visits(fixedWindow, p, asked)) {
          if (!step.allowed || cost === 0 || step.state === undefined) continue;
          admitted.set(step.state.startMs, (admitted.get(step.state.startMs) ?? 0) + cost);
        }
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(fixedWindow, policies);
  itCarriesOver(
    fixedWindow,
    fc
      .tuple(numbers, numbers)
      .map(
        ([a, b]) =>
          [
            policy(a.limit, a.windowMs, a.alignment, a.percent),
            policy(b.limit, a.windowMs, a.alignment, b.percent),
          ] as const,
      ),
    () => Number.POSITIVE_INFINITY,
    true,
  );
});
