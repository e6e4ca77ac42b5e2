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
    // 84 × (60,000 − e) ≤ 62 × 60,000: e = 15,715 (44,285.7 left, rounded down).
    expect(step(last.state, p, 1, 15_000)).toMatchObject({ allowed: false, remaining: 0, waitUs: 715_000 });
    expect(step(last.state, p, 1, 15_714).allowed).toBe(false);
    expect(step(last.state, p, 1, 15_715).allowed).toBe(true);
  });

  it('rounds remaining down, but never usage', () => {
    // 1 × 59,999 ÷ 60,000 of the previous window still counts, so remaining is 2 of 3.
    expect(step(windows(0, 1), policy(3, MINUTE), 0, 1)).toMatchObject({
      remaining: 2,
      resetAfterUs: 59_999_000,
    });
    expect(step(windows(0, 1), policy(3, MINUTE), 3, 1)).toMatchObject({
      allowed: false,
      waitUs: 59_999_000,
    });
  });

  it('waits into the next window when this one is full, but no longer than two', () => {
    const p = policy(10, MINUTE);
    const full = windows(10, 0);
    // They fade from 10:01 on: 10 × (60,000 − e) ≤ 9 × 60,000 at e = 6,000.
    expect(step(full, p, 1, 30_000)).toMatchObject({
      allowed: false,
      waitUs: 36_000_000,
      resetAfterUs: 90_000_000,
    });
    expect(step(full, p, 10, 0)).toMatchObject({ allowed: false, waitUs: 2 * MINUTE * 1000 });
    expect(step(full, p, 11, 0)).toMatchObject({ allowed: false, waitUs: -1 });
    expect(step(windows(4, 9), p, 6, 59_999)).toMatchObject({ allowed: false, waitUs: 1000 });
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
    // 5 × 0.5, rounded up, plus 3.
    expect(rebase(1000)).toEqual({ startMs: TEN_MS + 30_000, current: 6, previous: 0 });
    expect(rebase(60 * MINUTE)).toEqual(windows(6, 0));
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
    expect(step(windows(0, limit), p, 2_501_999, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(windows(0, limit), p, 2_502_000, 1)).toMatchObject({ allowed: false, waitUs: 1000 });
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

  it('admits exactly the rest after the weighted count of both windows', () => {
    fc.assert(
      fc.property(policies, requests, (p, sent) => {
        const admitted = new Map<number, number>();
        play(slidingWindowEstimate, p, windowUsOf(p), sent, (state, cost, nowUs) => {
          const nowMs = BigInt(Math.floor(nowUs / 1000));
          const windowMs = BigInt(p.windowMs);
          const window = Number(nowMs / windowMs);
          const current = admitted.get(window) ?? 0;
          const left = windowMs - (nowMs % windowMs);
          const weighed = BigInt(admitted.get(window - 1) ?? 0) * left + BigInt(current + cost) * windowMs;
          const { allowed } = slidingWindowEstimate.step(state, p, cost, nowUs, 0);
          expect(allowed).toBe(weighed <= BigInt(p.capacity + p.extra) * windowMs);
          if (allowed) admitted.set(window, current + cost);
        });
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(slidingWindowEstimate, policies, windowUsOf, (p, capacity) => ({ ...p, capacity }));
});
