import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.js';

const DEADLINE_MS = 25;
const ONCE_A_SECOND_MS = 1000;

/**
 * A lane with one call at a time under constant load, one request per millisecond. `latencyMs` returns the latency of a
 * call sent at that time.
 */
function run(latencyMs: (nowMs: number) => number, endMs: number) {
  const breaker = new Breaker();
  const flips: number[] = [];
  const probes: number[] = [];
  let call: { sentMs: number; backMs: number; late: boolean } | undefined;
  let wasOpen = false;
  for (let nowMs = 0; nowMs < endMs; nowMs++) {
    if (call !== undefined && nowMs >= call.backMs) {
      if (call.late) breaker.resumed(nowMs);
      else breaker.answered(nowMs);
      call = undefined;
    } else if (call !== undefined && !call.late && nowMs >= call.sentMs + DEADLINE_MS) {
      call.late = true;
      breaker.stalled(call.sentMs);
    }
    if (call === undefined && breaker.admits(nowMs)) {
      if (breaker.isOpen(nowMs)) probes.push(nowMs);
      call = { sentMs: nowMs, backMs: nowMs + Math.max(1, latencyMs(nowMs)), late: false };
    }
    if (breaker.isOpen(nowMs) !== wasOpen) {
      wasOpen = !wasOpen;
      flips.push(nowMs);
    }
  }
  return { flips, probes, isOpen: wasOpen };
}

describe('breaker', () => {
  it.each([26, 30, 50, 100, 300, 500, 700])(
    'opens within a second when every call takes %i ms',
    (latency) => {
      const { flips, isOpen } = run((nowMs) => (nowMs < 2000 ? 1 : latency), 4000);
      expect(flips).toHaveLength(1);
      expect(flips[0]).toBeLessThanOrEqual(3000);
      expect(isOpen).toBe(true);
    },
  );

  it.each([1, 5, 20, 24])('stays closed when every call takes %i ms', (latency) => {
    expect(run(() => latency, 10_000).flips).toEqual([]);
  });

  it('stays closed after a freeze of any length, with or without a slow call after it', () => {
    const arbitrary = fc.record({
      freezeMs: fc.integer({ min: 30, max: 20_000 }),
      slowMs: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ freezeMs, slowMs }) => {
        let slowCalls = 1;
        const latency = (nowMs: number) => {
          if (nowMs < 1000) return 1;
          if (nowMs < 1000 + freezeMs) return 1000 + freezeMs - nowMs;
          return slowCalls-- > 0 ? slowMs : 1;
        };
        expect(run(latency, freezeMs + 3000).flips).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('closes after several probes once the server is in time again', () => {
    const { flips, probes, isOpen } = run((nowMs) => (nowMs < 3000 ? 200 : 1), 15_000);
    expect(isOpen).toBe(false);
    expect(flips).toHaveLength(2);
    expect(flips[1]).toBeLessThanOrEqual(9000);
    expect(probes.length).toBeGreaterThanOrEqual(4);
  });

  it('changes at most once in five seconds and probes at most once a second, for any latencies', () => {
    const phase = fc.record({
      lengthMs: fc.integer({ min: 1, max: 4000 }),
      latencyMs: fc.integer({ min: 1, max: 900 }),
    });
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 12 }), (phases) => {
        const latency = (nowMs: number) => {
          let endMs = 0;
          for (const { lengthMs, latencyMs } of phases) {
            endMs += lengthMs;
            if (nowMs < endMs) return latencyMs;
          }
          return 1;
        };
        const { flips, probes } = run(latency, 30_000);
        for (const [i, flip] of flips.entries())
          expect(flip - (flips[i - 1] ?? -5000)).toBeGreaterThanOrEqual(5000);
        for (const [i, probe] of probes.entries()) {
          expect(probe - (probes[i - 1] ?? -ONCE_A_SECOND_MS)).toBeGreaterThanOrEqual(ONCE_A_SECOND_MS);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('ignores a stall that ended with its connection', () => {
    const breaker = new Breaker();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 600) {
      breaker.stalled(nowMs);
      breaker.dropped();
      expect(breaker.isOpen(nowMs + 500)).toBe(false);
    }
  });
});
