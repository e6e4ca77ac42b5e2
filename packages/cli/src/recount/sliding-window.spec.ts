import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitOf } from '../../test/limits.js';
import { T0 } from '../../test/play.js';
import { countOverInTime, estimateRecount, slidingWindowRecount } from './sliding-window.js';
import { type JudgedCharge, NOTHING_FOUND, type RecountRule } from './windows.js';

const MINUTE = 60_000;

/** Admissions of `policy`, so long after 10:00:00, decided at once; `reset` as `resetOf` has it. */
function admitted<P extends Parameters<typeof slidingWindowRecount.judge>[0][number]['policy']>(
  policy: P,
  timesMs: readonly number[],
  resetOf: (atMs: number) => number,
): JudgedCharge<P>[] {
  return timesMs.map((at) => ({
    limit: policy.name,
    client: '203.0.113.9',
    revision: 1,
    limitMax: policy.limit,
    windowMs: policy.windowMs,
    cost: 1,
    sentMs: T0 + at,
    receivedMs: T0 + at + 1,
    resetMs: resetOf(T0 + at),
    policy,
  }));
}

const judge = <P extends JudgedCharge['policy']>(rule: RecountRule<P>, charges: readonly JudgedCharge<P>[]) =>
  rule.judge(charges, 5);

describe('recount of a sliding log', () => {
  const three = limitOf('sliding_window_log', { limit: 3 });
  const log = (...times: number[]) => admitted(three, times, (at) => at + MINUTE);

  it('finds three at the end of a minute and three at the start of the next', () => {
    expect(judge(slidingWindowRecount, log(59_000, 59_300, 59_900))).toEqual(NOTHING_FOUND);
    expect(judge(slidingWindowRecount, log(59_000, 59_300, 59_900, 60_000, 60_100, 60_200))).toMatchObject({
      overAdmitted: 3,
      contradictions: 0,
      finding: '3 admitted beyond 3 in any 60000 ms',
    });
  });

  it('admits one request a window after the oldest, not a millisecond earlier', () => {
    expect(judge(slidingWindowRecount, log(0, 1, 2, 60_000))).toEqual(NOTHING_FOUND);
    expect(judge(slidingWindowRecount, log(0, 1, 2, 59_999)).overAdmitted).toBe(1);
  });

  it('does not believe a reset that is not a window after the request', () => {
    const early = admitted(three, [0], (at) => at + MINUTE - 6);
    const late = admitted(three, [0], (at) => at + MINUTE + 7);
    expect([early, late].map((charges) => judge(slidingWindowRecount, charges).contradictions)).toEqual([
      1, 1,
    ]);
  });

  it('finds over-admission by time exactly when some interval exceeds its bound', () => {
    const spans = fc.array(fc.record({ sentMs: fc.nat(60), tookMs: fc.nat(20) }), {
      maxLength: 25,
      size: 'max',
    });
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (list, stretch, most) => {
          const charges = list.map(({ sentMs, tookMs }) => ({
            sentMs,
            receivedMs: sentMs + tookMs,
            cost: 1,
          }));
          const exceeds = charges.some(({ sentMs: from }) => {
            const inside = charges.filter((one) => one.sentMs >= from && one.receivedMs < from + stretch);
            return inside.length > most;
          });
          expect(countOverInTime(charges, stretch, most) > 0).toBe(exceeds);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('recount of a sliding counter', () => {
  // Sub-windows of 10 s: the one that an admission went into ends to count a minute after it began.
  const policy = limitOf('sliding_window_counter', { limit: 3, buckets: 6 });
  const counter = (...times: number[]) =>
    admitted(policy, times, (at) => Math.floor(at / 10_000) * 10_000 + MINUTE);

  it('forgets a sub-window at a time', () => {
    expect(judge(slidingWindowRecount, counter(9000, 9001, 9002, 60_000))).toEqual(NOTHING_FOUND);
    expect(judge(slidingWindowRecount, counter(9000, 9001, 9002, 59_999)).overAdmitted).toBe(1);
  });

  it('finds too many in any stretch of five sub-windows without asking which they were', () => {
    const charges = counter(9000, 9001, 9002, 58_000).map((charge, i) => ({
      ...charge,
      resetMs: charge.resetMs + i * MINUTE,
    }));
    expect(judge(slidingWindowRecount, charges).overAdmitted).toBe(1);
  });
});

describe('recount of the estimate from two windows', () => {
  const policy = limitOf('sliding_window_counter', { limit: 100, buckets: 1 });
  // Less than one of 80 counts in the last 749 ms of the next window.
  const estimate = (...times: number[]) =>
    admitted(policy, times, (at) => (Math.floor(at / MINUTE) + 2) * MINUTE - 749);
  const last = Array.from({ length: 80 }, (_, i) => i * 100);

  it('weighs the window before: at a quarter of this one, three quarters of it', () => {
    // 80 × 0.75 = 60, and 59 whole units a millisecond later: 41 more fit, the 42nd does not.
    const now = (n: number) => Array.from({ length: n }, () => MINUTE + 15_000).map((at, i) => at + i * 2);
    expect(judge(estimateRecount, estimate(...last, ...now(41)))).toEqual(NOTHING_FOUND);
    expect(judge(estimateRecount, estimate(...last, ...now(43))).overAdmitted).toBe(2);
  });

  it('finds more than the limit in one window, independent of earlier windows', () => {
    const together = Array.from({ length: 103 }, () => 1000);
    expect(judge(estimateRecount, estimate(...together)).overAdmitted).toBe(3);
  });

  it('counts a part of a unit as none', () => {
    // At 30,374 ms, 80 × 29,625 ÷ 60,000 = 39.5 count as 39: 61 more fit.
    const now = (n: number) => Array.from({ length: n }, (_, i) => MINUTE + 30_374 + i * 2);
    expect(judge(estimateRecount, estimate(...last, ...now(61)))).toEqual(NOTHING_FOUND);
    expect(judge(estimateRecount, estimate(...last, ...now(63))).overAdmitted).toBe(2);
  });

  it.each([1, MINUTE, 2 * MINUTE + 1])(
    'does not believe a reset that is not in the next window: %i',
    (reset) => {
      const charges = admitted(policy, [30_000], () => T0 + reset);
      expect(judge(estimateRecount, charges).contradictions).toBe(1);
    },
  );
});
