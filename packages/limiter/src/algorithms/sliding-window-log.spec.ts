import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../test/policies.js';
import {
  compiledBy,
  itKeepsTheLaws,
  play,
  refusedFor,
  requests,
  T0_US,
} from '../../test/sliding-window-laws.js';
import { fixedWindow } from './fixed-window.js';
import { type CompiledSlidingWindowLog, type LogState, slidingWindowLog } from './sliding-window-log.js';

type Stored = Parameters<typeof slidingWindowLog.compile>[0];

const MINUTE = 60_000;
const MINUTE_US = MINUTE * 1000;
const TEN_US = Date.UTC(2026, 3, 21, 10) * 1000;

function stored(limit: number, windowMs: number, over: Partial<Stored> = {}): Stored {
  const rule = { algorithm: 'sliding_window_log' as const, limit, windowMs };
  return { ...policyBy(rule), ...rule, ...over };
}

function policy(limit: number, windowMs: number, over: Partial<Stored> = {}): CompiledSlidingWindowLog {
  return compiledBy(slidingWindowLog, stored(limit, windowMs, over));
}

const queued = (limit: number, windowMs: number, maxDelayMs: number) =>
  policy(limit, windowMs, { throttle: { mode: 'queue', maxDelayMs } });

/** A step at a time in microseconds after 10:00. */
function step(state: LogState | undefined, p: CompiledSlidingWindowLog, cost: number, afterUs: number) {
  return slidingWindowLog.step(state, p, cost, TEN_US + afterUs, 0);
}

/** Plays arrivals of cost 1, in milliseconds after 10:00; returns which were allowed. */
function arrivals(p: CompiledSlidingWindowLog, arrivalsMs: readonly number[]): boolean[] {
  let state: LogState | undefined;
  return arrivalsMs.map((ms) => {
    const { allowed, state: next } = step(state, p, 1, ms * 1000);
    state = next;
    return allowed;
  });
}

describe('sliding window log', () => {
  it('of three requests at the end of a minute and three at the start of the next, a fixed window allows six, a sliding one three', () => {
    const sentMs = [59_000, 59_300, 59_900, 60_000, 60_100, 60_200];
    expect(arrivals(policy(3, MINUTE), sentMs)).toEqual([true, true, true, false, false, false]);
    const fixed = compiledBy(fixedWindow, fixedWindowPolicy({ limit: 3, windowMs: MINUTE }));
    let state: Parameters<typeof fixedWindow.step>[0];
    for (const ms of sentMs) {
      const next = fixedWindow.step(state, fixed, 1, TEN_US + ms * 1000, 0);
      expect(next.allowed).toBe(true);
      state = next.state;
    }
  });

  it('two a second: fixed windows deny only m5, rolling windows m3 and m4', () => {
    // m1 at 300 ms counts until 1,300: m3 and m4 arrive before, m5 as it expires.
    expect(arrivals(policy(2, 1000), [300, 400, 1100, 1200, 1300])).toEqual([true, true, false, false, true]);
    const fixed = compiledBy(fixedWindow, fixedWindowPolicy({ limit: 2, windowMs: 1000 }));
    let state: Parameters<typeof fixedWindow.step>[0];
    const allowed = [300, 400, 1100, 1200, 1300].map((ms) => {
      const next = fixedWindow.step(state, fixed, 1, TEN_US + ms * 1000, 0);
      state = next.state;
      return next.allowed;
    });
    expect(allowed).toEqual([true, true, true, true, false]);
  });

  it('counts concurrent requests and expires them together, one window later to the microsecond', () => {
    const p = policy(3, 1000);
    const full = step(step(undefined, p, 2, 7).state, p, 1, 7);
    expect(full).toMatchObject({
      remaining: 0,
      state: [{ atUs: TEN_US + 7, units: 3 }],
      resetAfterUs: 1_000_000,
    });
    expect(step(full.state, p, 1, 1_000_006)).toMatchObject({ allowed: false, waitUs: 1 });
    expect(step(full.state, p, 3, 1_000_007)).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(full.state, p, 4, 1_000_007)).toMatchObject({ allowed: false, waitUs: -1 });
  });

  it('waits until enough units for the cost have expired', () => {
    const p = policy(5, MINUTE);
    let state = step(undefined, p, 2, 0).state;
    state = step(state, p, 1, 1000).state;
    state = step(state, p, 2, 2000).state;
    const waits = [1, 2, 3, 4, 5].map((cost) => step(state, p, cost, 10_000).waitUs);
    expect(waits).toEqual([0, 0, 1000, 2000, 2000].map((us) => MINUTE_US + us - 10_000));
  });

  it('allows a soft band as over, up to its end', () => {
    const p = policy(100, MINUTE, { throttle: { mode: 'soft', percent: 10 } });
    const full = step(undefined, p, 100, 0);
    expect(full).toMatchObject({ allowed: true, over: false, remaining: 0 });
    const past = step(full.state, p, 10, 1);
    expect(past).toMatchObject({ allowed: true, over: true, remaining: -10 });
    expect(step(past.state, p, 1, 2)).toMatchObject({
      allowed: false,
      remaining: -10,
      waitUs: MINUTE_US - 2,
    });
  });

  it('a queue returns the start time of each request above the limit, in order, up to the maximum delay', () => {
    const p = queued(2, 1000, 1500);
    let state = step(undefined, p, 2, 0).state;
    const third = step(state, p, 1, 100_000);
    // The first two expire at 1 s: 900 ms to wait. It runs then, with a fourth; a fifth must wait for these to expire.
    expect(third).toMatchObject({
      allowed: true,
      over: false,
      waitUs: 900_000,
      remaining: -1,
      resetAfterUs: 1_900_000,
    });
    state = step(third.state, p, 1, 200_000).state;
    expect(state).toEqual([
      { atUs: TEN_US, units: 2 },
      { atUs: TEN_US + 1_000_000, units: 2 },
    ]);
    expect(step(state, p, 1, 300_000)).toMatchObject({
      allowed: false,
      remaining: -2,
      waitUs: 200_000,
      state,
    });
    expect(step(state, p, 1, 499_999)).toMatchObject({ allowed: false, waitUs: 1 });
    expect(step(state, p, 1, 500_000)).toMatchObject({ allowed: true, waitUs: 1_500_000 });
    expect(step(state, p, 3, 500_000)).toMatchObject({ allowed: false, waitUs: -1 });
  });

  it('a queue never lets a request overtake, even one that would fit earlier', () => {
    const p = queued(3, 1000, 2000);
    const waiting = step(step(undefined, p, 2, 0).state, p, 2, 1);
    expect(waiting).toMatchObject({ allowed: true, waitUs: 999_999 });
    expect(step(waiting.state, p, 1, 2)).toMatchObject({ allowed: true, waitUs: 999_998 });
  });

  it('refunds units charged at the given time, else the newest, and never expired ones', () => {
    const p = policy(9, MINUTE);
    const log = [
      { atUs: TEN_US, units: 2 },
      { atUs: TEN_US + 5, units: 3 },
      { atUs: TEN_US + 9, units: 1 },
    ];
    const refund = (units: number, atUs: number, nowUs = 10) =>
      slidingWindowLog.refund(log, p, units, TEN_US + atUs, TEN_US + nowUs, 0);
    expect(refund(1, 5)).toEqual([log[0], { atUs: TEN_US + 5, units: 2 }, log[2]]);
    expect(refund(3, 5)).toEqual([log[0], log[2]]);
    expect(refund(2, 7)).toEqual([log[0], { atUs: TEN_US + 5, units: 2 }]);
    expect(refund(9, 0)).toEqual([]);
    expect(refund(1, 0, MINUTE_US)).toBe(log);
    expect(refund(1, 5, MINUTE_US)).toEqual([{ atUs: TEN_US + 5, units: 2 }, log[2]]);
  });

  it('a policy change scales from the newest on, or drops the oldest', () => {
    const log = [
      { atUs: TEN_US, units: 2 },
      { atUs: TEN_US + 5, units: 3 },
      { atUs: TEN_US + 9, units: 1 },
    ];
    const rebase = (from: number, to: number, rule: 'keep' | 'reset' | 'proportional' | 'additive') =>
      slidingWindowLog.rebase(log, policy(from, MINUTE), policy(to, MINUTE), rule, TEN_US + 10);
    expect(rebase(6, 9, 'keep')).toEqual(log);
    expect(rebase(6, 9, 'reset')).toBeUndefined();
    // 1, 4 and 6, from the newest on, halved and rounded up: 1, 2 and 3.
    expect(rebase(6, 3, 'proportional')?.map(({ units }) => units)).toEqual([1, 1, 1]);
    expect(rebase(3, 9, 'additive')).toEqual([{ atUs: TEN_US + 5, units: 2 }, log[2]]);
  });

  it('counts requests that wait longer than the new policy allows', () => {
    const waiting = step(
      step(undefined, queued(1, MINUTE, MINUTE), 1, 0).state,
      queued(1, MINUTE, MINUTE),
      1,
      0,
    );
    const second = policy(3, 1000);
    const state = slidingWindowLog.rebase(
      waiting.state as LogState,
      queued(1, MINUTE, MINUTE),
      second,
      'keep',
      TEN_US,
    );
    expect(state).toEqual([
      { atUs: TEN_US, units: 1 },
      { atUs: TEN_US + 1_000_000, units: 1 },
    ]);
    expect(step(state, second, 0, 0).remaining).toBe(1);
  });

  it('after the clock steps back, later admissions count; more than a window later, they are dropped', () => {
    const p = policy(2, MINUTE);
    const full = [{ atUs: TEN_US, units: 2 }];
    expect(step(full, p, 1, -10)).toMatchObject({ allowed: false, waitUs: MINUTE_US + 10 });
    expect(step([{ atUs: TEN_US, units: 1 }], p, 1, -10).state).toEqual(full);
    expect(step(full, p, 1, -MINUTE_US)).toMatchObject({ allowed: false, waitUs: 2 * MINUTE_US });
    expect(step(full, p, 1, -MINUTE_US - 1)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('rejects, by field, policies that it cannot log', () => {
    const refused = (limit: number, windowMs: number, over: Partial<Stored> = {}) =>
      refusedFor(slidingWindowLog, stored(limit, windowMs, over));
    expect(refused(10_000, 366 * 86_400_000)).toBeUndefined();
    expect(refused(10_000, MINUTE, { throttle: { mode: 'soft', percent: 1000 } })).toBe('throttle.percent');
    expect(refused(10_000, MINUTE, { throttle: { mode: 'elastic', maxPercent: 1000, pool: 'p' } })).toBe(
      'throttle.maxPercent',
    );
    expect(refused(10_000, MINUTE, { throttle: { mode: 'queue', maxDelayMs: MINUTE } })).toBeUndefined();
    expect(refused(10_000, 1000, { throttle: { mode: 'queue', maxDelayMs: MINUTE } })).toBe(
      'throttle.maxDelayMs',
    );
    expect(refused(10, MINUTE, { consistency: { mode: 'leased', leaseMs: 1000 } })).toBe('consistency.mode');
  });

  it('stores 7 bytes per admission, in steps of 255 units, and distinguishes times nine years apart', () => {
    const log = Array.from({ length: 500 }, (_, i) => ({ atUs: T0_US + i * 1000, units: 1 }));
    expect(slidingWindowLog.encode(log)).toHaveLength(10 + 500 * 7);
    const large = [
      { atUs: T0_US, units: 255 },
      { atUs: T0_US + 2 ** 48 - 1, units: 256 },
    ];
    expect(slidingWindowLog.encode(large)).toHaveLength(10 + 3 * 7);
    expect(slidingWindowLog.decode(slidingWindowLog.encode(large))).toEqual(large);
    expect(slidingWindowLog.decode(slidingWindowLog.encode([]))).toEqual([]);
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 30 }),
      windowMs: fc.constantFrom(1, 7, 1000, 60_000, 30 * 86_400_000),
      throttle: fc.constantFrom(
        undefined,
        { mode: 'soft' as const, percent: 100 },
        { mode: 'queue' as const, maxDelayMs: 1000 },
      ),
    })
    .map(({ limit, windowMs, throttle }) => policy(limit, windowMs, throttle && { throttle }));

  it('exact: admits a request if it fits with all requests of the window before it', () => {
    fc.assert(
      fc.property(policies, requests, (p, sent) => {
        const ran: { atUs: number; cost: number }[] = [];
        const heldAt = (us: number) =>
          ran.reduce((sum, { atUs, cost }) => (atUs > us - p.windowUs && atUs <= us ? sum + cost : sum), 0);
        play(slidingWindowLog, p, p.windowUs, sent, (state, cost, nowUs) => {
          const { allowed, waitUs } = slidingWindowLog.step(state, p, cost, nowUs, 0);
          if (p.maxDelayUs === 0) expect(allowed).toBe(heldAt(nowUs) + cost <= p.capacity + p.extra);
          if (!allowed) return;
          expect(waitUs).toBeLessThanOrEqual(p.maxDelayUs);
          ran.push({ atUs: nowUs + waitUs, cost });
        });
        for (const { atUs } of ran) expect(heldAt(atUs)).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(
    slidingWindowLog,
    policies,
    (p) => p.windowUs,
    (p, capacity) => ({ ...p, capacity }),
  );
});
