import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../test/policies.js';
import { compiledBy, itKeepsTheLaws, play, refusedFor, requests } from '../../test/sliding-window-laws.js';
import {
  type CompiledSlidingWindowCounter,
  type CounterState,
  slidingWindowCounter,
} from './sliding-window-counter.js';

type Stored = Parameters<typeof slidingWindowCounter.compile>[0];

const HOUR = 3_600_000;
const MINUTE = 60_000;
const TEN_US = Date.UTC(2026, 3, 21, 10) * 1000;

function stored(limit: number, windowMs: number, buckets: number, over: Partial<Stored> = {}): Stored {
  const rule = { algorithm: 'sliding_window_counter' as const, limit, windowMs, buckets };
  return { ...policyBy(rule), ...rule, ...over };
}

function policy(limit: number, windowMs: number, buckets: number): CompiledSlidingWindowCounter {
  return compiledBy(slidingWindowCounter, stored(limit, windowMs, buckets));
}

function step(state: CounterState | undefined, p: CompiledSlidingWindowCounter, cost: number, atMs: number) {
  return slidingWindowCounter.step(state, p, cost, TEN_US + atMs * 1000, 0);
}

/** Sends `count` requests at a time, in ms after 10:00; returns the number allowed. */
function send(counters: Counter[], count: number, atMs: number): number {
  let passed = 0;
  for (let i = 0; i < count; i++) {
    const steps = counters.map(({ state, limit }) => step(state, limit, 1, atMs));
    if (!steps.every(({ allowed }) => allowed)) continue;
    passed++;
    for (const [j, { state }] of steps.entries()) (counters[j] as Counter).state = state;
  }
  return passed;
}

interface Counter {
  limit: CompiledSlidingWindowCounter;
  state: CounterState | undefined;
}

describe('sliding window counter', () => {
  it('500 an hour with 10 a minute on 60 sub-windows', () => {
    const hour = { limit: policy(500, HOUR, 60), state: undefined };
    const minute = { limit: policy(10, MINUTE, 60), state: undefined };
    const both: Counter[] = [hour, minute];
    // Twelve a minute, all at its 30th second: ten are allowed, for fifty minutes: 500.
    for (let m = 0; m < 50; m++) expect(send(both, 12, m * MINUTE + 30_000)).toBe(10);
    // The hour is full until the sub-window of 10:00 expires at 11:00:00.000; then ten of each minute are allowed.
    expect(send(both, 12, 50 * MINUTE + 30_000)).toBe(0);
    expect(step(hour.state, hour.limit, 1, 50 * MINUTE + 30_000)).toMatchObject({
      remaining: 0,
      waitUs: 9.5 * MINUTE * 1000,
    });
    expect(send(both, 12, HOUR - 1)).toBe(0);
    expect(send(both, 12, HOUR)).toBe(10);
    expect(send(both, 12, HOUR + MINUTE - 1)).toBe(0);
    expect(send(both, 12, HOUR + MINUTE)).toBe(10);
  });

  it('expires whole sub-windows, each a window after its start', () => {
    const p = policy(3, MINUTE, 6);
    let state = step(undefined, p, 2, 9_999).state;
    state = step(state, p, 1, 10_000).state;
    expect(state).toEqual({ startMs: TEN_US / 1000 + 10_000, counts: [1, 2] });
    // 10:00:00–10 holds two, 10:00:10–20 one: a cost of 2 fits at 10:01:00, of 3 at 10:01:10.
    expect(step(state, p, 2, 59_999)).toMatchObject({ allowed: false, remaining: 0, waitUs: 1000 });
    expect(step(state, p, 3, 59_999)).toMatchObject({ allowed: false, waitUs: 10_001_000 });
    expect(step(state, p, 2, 60_000)).toMatchObject({
      allowed: true,
      remaining: 0,
      resetAfterUs: 60_000_000,
    });
    expect(step(state, p, 4, 60_000)).toMatchObject({ allowed: false, waitUs: -1 });
    expect(step(state, p, 0, 60_000)).toMatchObject({ remaining: 2, resetAfterUs: 10_000_000, state });
  });

  it('allows a soft band as over, up to its end', () => {
    const p = compiledBy(
      slidingWindowCounter,
      stored(10, MINUTE, 6, { throttle: { mode: 'soft', percent: 20 } }),
    );
    const full = step(undefined, p, 10, 0);
    expect(full).toMatchObject({ allowed: true, over: false, remaining: 0 });
    const past = step(full.state, p, 2, 0);
    expect(past).toMatchObject({ allowed: true, over: true, remaining: -2 });
    expect(step(past.state, p, 1, 0)).toMatchObject({ allowed: false, remaining: -2, waitUs: 60_000_000 });
  });

  it('refunds to the sub-window of the charge while it counts', () => {
    const p = policy(9, MINUTE, 6);
    let state = step(undefined, p, 4, 5_000).state;
    state = step(state, p, 3, 25_000).state;
    const refund = (units: number, atMs: number, nowMs: number) =>
      slidingWindowCounter.refund(state, p, units, TEN_US + atMs * 1000, TEN_US + nowMs * 1000, 0);
    expect(refund(1, 5_000, 25_000)?.counts).toEqual([3, 0, 3]);
    expect(refund(9, 5_000, 25_000)?.counts).toEqual([3]);
    expect(refund(9, 25_000, 25_000)?.counts).toEqual([0, 0, 4]);
    expect(refund(1, 15_000, 25_000)).toBe(state);
    expect(refund(1, 5_000, 60_000)).toBe(state);
  });

  it('moves each count to the new sub-window of its last moment, so that none expires too early', () => {
    const minutes = policy(100, HOUR, 60);
    const state = { startMs: TEN_US / 1000, counts: [5, 4, 3] };
    const rebase = (to: CompiledSlidingWindowCounter, atMs: number) =>
      slidingWindowCounter.rebase(state, minutes, to, 'keep', TEN_US + atMs * 1000);
    // 9:58 and 9:59 are in the quarter hour before ten.
    expect(rebase(policy(100, HOUR, 4), 30_000)).toEqual({ startMs: TEN_US / 1000, counts: [5, 7] });
    expect(rebase(policy(100, 2 * HOUR, 120), 30_000)).toEqual(state);
    // In steps of 30 s, 9:58 is outside the last minute.
    expect(rebase(policy(100, MINUTE, 2), 0)).toEqual({ startMs: TEN_US / 1000, counts: [5, 4] });
  });

  it('rejects, by field, policies that it cannot count', () => {
    const refused = (limit: number, windowMs: number, buckets: number, over: Partial<Stored> = {}) =>
      refusedFor(slidingWindowCounter, stored(limit, windowMs, buckets, over));
    expect(refused(10, 1000, 3)).toBe('buckets');
    expect(refused(10, 60, 120)).toBe('buckets');
    expect(refused(10, 60, 60)).toBeUndefined();
    expect(refused(2 ** 53 - 1, MINUTE, 60)).toBe('limit');
    expect(refused(10, MINUTE, 60, { throttle: { mode: 'queue', maxDelayMs: 1 } })).toBe('throttle.mode');
    expect(refused(9, MINUTE, 60, { throttle: { mode: 'soft', percent: 10 } })).toBe('throttle.percent');
    expect(refused(10, MINUTE, 60, { consistency: { mode: 'leased', leaseMs: 1000 } })).toBe(
      'consistency.mode',
    );
  });

  it('uses the width of the total per count: 60 small counts take one byte each, none more than 7', () => {
    const bytes = (counts: number[]) =>
      slidingWindowCounter.encode({ startMs: TEN_US / 1000, counts }).length;
    expect(bytes(Array(60).fill(4))).toBe(13 + 60);
    expect(bytes([255])).toBe(13 + 1);
    expect(bytes([255, 1])).toBe(13 + 4);
    expect(bytes([2 ** 52])).toBe(13 + 7);
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 300 }),
      buckets: fc.integer({ min: 2, max: 12 }),
      bucketMs: fc.constantFrom(1, 10, 1000, 60_000),
      percent: fc.constantFrom(0, 100),
    })
    .map(({ limit, buckets, bucketMs, percent }) => {
      const over = percent === 0 ? {} : { throttle: { mode: 'soft' as const, percent } };
      return compiledBy(slidingWindowCounter, stored(limit, bucketMs * buckets, buckets, over));
    });
  const windowUsOf = (p: CompiledSlidingWindowCounter) => p.bucketMs * p.buckets * 1000;

  it('never counts more than the limit in any run of sub-windows of one window', () => {
    fc.assert(
      fc.property(policies, requests, (p, sent) => {
        const admitted = new Map<number, number>();
        play(slidingWindowCounter, p, windowUsOf(p), sent, (state, cost, nowUs) => {
          const bucket = Math.floor(nowUs / 1000 / p.bucketMs);
          const { allowed } = slidingWindowCounter.step(state, p, cost, nowUs, 0);
          if (allowed) admitted.set(bucket, (admitted.get(bucket) ?? 0) + cost);
          let held = 0;
          for (let i = 0; i < p.buckets; i++) held += admitted.get(bucket - i) ?? 0;
          expect(held).toBeLessThanOrEqual(p.capacity + p.extra);
          if (!allowed) expect(held + cost).toBeGreaterThan(p.capacity + p.extra);
        });
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(slidingWindowCounter, policies, windowUsOf, (p, capacity) => ({ ...p, capacity }));
});
