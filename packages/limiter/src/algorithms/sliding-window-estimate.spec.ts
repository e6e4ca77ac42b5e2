import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../test/policies.js';
import { compiledBy, itKeepsTheLaws, play, refusedFor, requests } from '../../test/sliding-window-laws.js';
import {
  type CompiledSlidingWindowEstimate,
  type EstimateState,
  slidingWindowEstimate,
} from './sliding-window-estimate.js';

type Stored = Parameters<typeof slidingWindowEstimate.compile>[0];

const MINUTE = 60_000;
const TEN_MS = Date.UTC(2026, 3, 21, 10);

function stored(limit: number, windowMs: number, over: Partial<Stored> = {}): Stored {
  const rule = { algorithm: 'sliding_window_counter' as const, limit, windowMs, buckets: 1 };
  return { ...policyBy(rule), ...rule, ...over };
}

function policy(limit: number, windowMs: number): CompiledSlidingWindowEstimate {
  return compiledBy(slidingWindowEstimate, stored(limit, windowMs));
}

function step(
  state: EstimateState | undefined,
  p: CompiledSlidingWindowEstimate,
  cost: number,
  atMs: number,
) {
  return slidingWindowEstimate.step(state, p, cost, (TEN_MS + atMs) * 1000, 0);
}

const windows = (current: number, previous: number): EstimateState => ({
  startMs: TEN_MS,
  current,
  previous,
});

describe('sliding window estimate', () => {
  it('weights the previous window 75 % at 25 % of the current one', () => {
    const p = policy(100, MINUTE);
    // 84 before ten, 36 since: at 10:00:15, that is 84 × 0.75 + 36 = 99. One more is allowed, a second is not.
    const state = windows(36, 84);
    expect(step(state, p, 0, 15_000)).toMatchObject({ remaining: 1 });
    const last = step(state, p, 1, 15_000);
    expect(last).toMatchObject({ allowed: true, remaining: 0, state: windows(37, 84) });
    // A millisecond later, 84 × 44,999 ÷ 60,000 = 62.999 of the previous window count as 62.
    expect(step(last.state, p, 1, 15_000)).toMatchObject({ allowed: false, remaining: 0, waitUs: 1000 });
    const after = step(last.state, p, 1, 15_001);
    expect(after).toMatchObject({ allowed: true, remaining: 0, state: windows(38, 84) });
    // 84 × (60,000 − e) < 62 × 60,000: e = 15,715 (44,285.7 left, rounded down).
    expect(step(after.state, p, 1, 15_001)).toMatchObject({ allowed: false, remaining: 0, waitUs: 714_000 });
    expect(step(after.state, p, 1, 15_714).allowed).toBe(false);
    expect(step(after.state, p, 1, 15_715).allowed).toBe(true);
  });

  it('counts whole units of the previous window', () => {
    // At the start, the one unit counts in full. A millisecond later, 1 × 59,999 ÷ 60,000 is less than a unit.
    expect(step(windows(0, 1), policy(3, MINUTE), 3, 0)).toMatchObject({
      allowed: false,
      remaining: 2,
      waitUs: 1000,
      resetAfterUs: 1000,
    });
    expect(step(windows(0, 1), policy(3, MINUTE), 3, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(windows(0, 1), policy(3, MINUTE), 0, 1)).toMatchObject({ remaining: 3, resetAfterUs: 0 });
  });

  it('denies a cost of the whole limit while a unit of the previous window counts', () => {
    const p = policy(100, MINUTE);
    // 100 × 59,940 ÷ 60,000 = 99.9. Less than one unit counts from 59,401 on.
    expect(step(windows(0, 100), p, 100, 60)).toMatchObject({
      allowed: false,
      remaining: 1,
      waitUs: 59_341_000,
    });
    expect(step(windows(0, 100), p, 1, 60)).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(windows(0, 100), p, 100, 59_400).allowed).toBe(false);
    expect(step(windows(0, 100), p, 100, 59_401)).toMatchObject({ allowed: true, remaining: 0 });
  });

  describe.each([1, 2, 3, 5, 10])('%i per 4 s', (limit) => {
    const WINDOWS = 500;
    const windowUs = 4_000_000;
    const p = policy(limit, windowUs / 1000);

    /** Admissions per window of a caller that waits for `next` after each decision. */
    function admittedBy(next: (decided: { allowed: boolean; waitUs: number }) => number): number {
      const startUs = TEN_MS * 1000 + 1_234_567;
      let state: EstimateState | undefined;
      let admitted = 0;
      for (let nowUs = startUs; nowUs < startUs + WINDOWS * windowUs; ) {
        const decided = slidingWindowEstimate.step(state, p, 1, nowUs, 0);
        state = decided.state;
        if (decided.allowed) admitted++;
        nowUs += next(decided);
      }
      return admitted / WINDOWS;
    }

    it.each([
      ['asks every 20 ms', () => 20_000],
      ['asks at twice the rate of the limit', () => windowUs / limit / 2],
      ['asks at the rate of the limit', () => windowUs / limit],
      ['asks at once, and after a denial when retryAfter says', ({ waitUs }) => waitUs],
    ] as [string, (decided: { waitUs: number }) => number][])(
      'admits the limit to a caller that %s',
      (_, next) => {
        const rate = admittedBy(next);
        expect(rate).toBeGreaterThan(limit * 0.98);
        expect(rate).toBeLessThan(limit * 1.02);
      },
    );
  });

  it('waits into the next window when this one is full, but no longer than two', () => {
    const p = policy(10, MINUTE);
    const full = windows(10, 0);
    // They fade from 10:01 on: 10 × (60,000 − e) ÷ 60,000 is less than 10 at e = 1, and less than 1 at e = 54,001.
    expect(step(full, p, 1, 30_000)).toMatchObject({
      allowed: false,
      waitUs: 30_001_000,
      resetAfterUs: 84_001_000,
    });
    expect(step(full, p, 10, 0)).toMatchObject({ allowed: false, waitUs: (MINUTE + 54_001) * 1000 });
    expect(step(full, p, 11, 0)).toMatchObject({ allowed: false, waitUs: -1 });
    // 9 × 6,667 ÷ 60,000 = 1.00005.
    expect(step(windows(4, 9), p, 6, 53_333)).toMatchObject({ allowed: false, waitUs: 1000 });
  });

  it('allows a soft band as over, up to its end', () => {
    const p = compiledBy(
      slidingWindowEstimate,
      stored(10, MINUTE, { throttle: { mode: 'soft', percent: 20 } }),
    );
    // 10 × 0.5 + 5 = 10.
    expect(step(windows(4, 10), p, 1, 30_000)).toMatchObject({ allowed: true, over: false, remaining: 0 });
    expect(step(windows(4, 10), p, 3, 30_000)).toMatchObject({ allowed: true, over: true, remaining: -2 });
    expect(step(windows(4, 10), p, 4, 30_000).allowed).toBe(false);
  });

  it('refunds to the window of the charge while it counts', () => {
    const p = policy(10, MINUTE);
    const refund = (units: number, atMs: number, nowMs: number) =>
      slidingWindowEstimate.refund(
        windows(3, 5),
        p,
        units,
        (TEN_MS + atMs) * 1000,
        (TEN_MS + nowMs) * 1000,
        0,
      );
    expect(refund(2, 0, 10)).toEqual(windows(1, 5));
    expect(refund(9, 0, 10)).toEqual(windows(0, 5));
    expect(refund(2, -1, 10)).toEqual(windows(3, 3));
    expect(refund(2, 5, MINUTE)).toEqual({ startMs: TEN_MS + MINUTE, current: 0, previous: 1 });
    expect(refund(2, -1, MINUTE)).toEqual(windows(3, 5));
  });

  it('carries the usage at that moment over to a window of another length', () => {
    const rebase = (windowMs: number) =>
      slidingWindowEstimate.rebase(
        windows(3, 5),
        policy(10, MINUTE),
        policy(10, windowMs),
        'keep',
        (TEN_MS + 30_000) * 1000,
      );
    // 5 × 0.5, rounded down, plus 3.
    expect(rebase(1000)).toEqual({ startMs: TEN_MS + 30_000, current: 5, previous: 0 });
    expect(rebase(60 * MINUTE)).toEqual(windows(5, 0));
  });

  it('rejects, by field, policies that it cannot weight', () => {
    const refused = (limit: number, windowMs: number, over: Partial<Stored> = {}) =>
      refusedFor(slidingWindowEstimate, stored(limit, windowMs, over));
    // 2^53 ÷ 60,000 = 150,119,987,579.016…
    expect(refused(150_119_987_579, MINUTE)).toBeUndefined();
    expect(refused(150_119_987_580, MINUTE)).toBe('limit');
    expect(refused(150_119_987_579, MINUTE, { throttle: { mode: 'soft', percent: 1 } })).toBe('limit');
    expect(refused(10, MINUTE, { throttle: { mode: 'queue', maxDelayMs: 1 } })).toBe('throttle.mode');
    expect(refused(10, MINUTE, { consistency: { mode: 'leased', leaseMs: 1000 } })).toBe('consistency.mode');
  });

  it('weights exactly at the largest numbers', () => {
    const limit = 150_119_987_579;
    const p = policy(limit, MINUTE);
    expect(step(windows(0, limit), p, 1, 0)).toMatchObject({ allowed: false, waitUs: 1000 });
    // Per ms, limit ÷ 60,000 = 2,501,999.79 units fade.
    expect(step(windows(0, limit), p, 2_502_000, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(windows(0, limit), p, 2_502_001, 1)).toMatchObject({ allowed: false, waitUs: 1000 });
    expect(step(windows(0, 2 ** 52), p, limit, 1)).toMatchObject({ allowed: false, waitUs: 59_999_000 });
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 30 }),
      windowMs: fc.constantFrom(1, 7, 1000, 60_000),
      percent: fc.constantFrom(0, 100),
    })
    .map(({ limit, windowMs, percent }) => {
      const over = percent === 0 ? {} : { throttle: { mode: 'soft' as const, percent } };
      return compiledBy(slidingWindowEstimate, stored(limit, windowMs, over));
    });
  const windowUsOf = (p: CompiledSlidingWindowEstimate) => p.windowMs * 1000;

  it('admits exactly the rest after the whole units of both windows', () => {
    fc.assert(
      fc.property(policies, requests, (p, sent) => {
        const admitted = new Map<number, number>();
        play(slidingWindowEstimate, p, windowUsOf(p), sent, (state, cost, nowUs) => {
          const nowMs = BigInt(Math.floor(nowUs / 1000));
          const windowMs = BigInt(p.windowMs);
          const window = Number(nowMs / windowMs);
          const current = admitted.get(window) ?? 0;
          const left = windowMs - (nowMs % windowMs);
          const weighted = (BigInt(admitted.get(window - 1) ?? 0) * left) / windowMs;
          const { allowed } = slidingWindowEstimate.step(state, p, cost, nowUs, 0);
          expect(allowed).toBe(BigInt(current + cost) + weighted <= BigInt(p.capacity + p.extra));
          if (allowed) admitted.set(window, current + cost);
        });
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(slidingWindowEstimate, policies, windowUsOf, (p, capacity) => ({ ...p, capacity }));
});
