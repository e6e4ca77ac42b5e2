import type { LimitPolicy } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastExhaustion, type PeakReading, percentOf, utilizationOf } from './utilization.rules.js';

const NOW = Date.UTC(2026, 10, 10, 12, 3);
const END = Date.UTC(2026, 11, 1);
const HOUR_MS = 3_600_000;
const FIVE_MS = 300_000;
const UTC = { timeZone: 'UTC', billingAnchorDay: 1 };

const rate = {
  api: 'shop',
  name: 'minute',
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: 60_000,
  operations: [],
  per: [],
} as unknown as LimitPolicy;
const quota = { ...rate, name: 'monthly', algorithm: 'quota', period: 'month', limit: 1000 } as LimitPolicy;

const bucket = (minutesAgo: number) => {
  const atMs = NOW - minutesAgo * 60_000;
  return atMs - (atMs % FIVE_MS);
};

/** A reading of the rate limit, five minutes old by default. */
const reading = (more: Partial<PeakReading> = {}): PeakReading => ({
  api: 'shop',
  limitName: 'minute',
  atMs: bucket(5),
  isQuota: false,
  used: 50,
  capacity: 100,
  peakAtMs: more.atMs ?? bucket(5),
  denied: 0,
  deniedAtMs: null,
  ...more,
});

const ofQuota = (used: number, more: Partial<PeakReading> = {}) =>
  reading({ limitName: 'monthly', isQuota: true, atMs: END, used, capacity: 1000, peakAtMs: NOW, ...more });

const stateOf = (policy: LimitPolicy, readings: PeakReading[], units = 0) => {
  const [state] = utilizationOf([policy], readings, [{ api: 'shop', operation: 'buy', units }], 24, UTC, NOW);
  if (state === undefined) throw new Error('no state');
  return state;
};

describe('utilization of a rate limit', () => {
  it.each<[string, PeakReading[], number]>([
    ['is 0 without requests', [], 0],
    [
      'is the busiest window of the last hour',
      [reading({ used: 30 }), reading({ used: 80, atMs: bucket(40) })],
      80,
    ],
    [
      'ignores windows older than an hour',
      [reading({ used: 30 }), reading({ used: 90, atMs: bucket(70) })],
      30,
    ],
    ['divides by the limit at that time', [reading({ used: 90, capacity: 180 })], 50],
    ['is 100 after a denial', [reading({ used: 97, denied: 5, deniedAtMs: bucket(5) })], 100],
    ['is 100 above the limit', [reading({ used: 140 })], 100],
    ['never rounds up to 100', [reading({ used: 9999, capacity: 10_000 })], 99],
    ['never rounds down to 0', [reading({ used: 1, capacity: 10_000 })], 1],
  ])('%s', (_, readings, percent) => {
    expect(stateOf(rate, readings).percent).toBe(percent);
  });

  it('divides a window of a day by the limit after an increase', () => {
    const day = { ...rate, limit: 1000, windowMs: 24 * HOUR_MS } as LimitPolicy;
    const denied = reading({ used: 100, denied: 4, deniedAtMs: NOW });
    expect(stateOf(day, [denied])).toMatchObject({
      percent: 10,
      capacity: 1000,
      denied: 4,
      limitedSinceMs: null,
    });
    expect(stateOf({ ...day, limit: 100 }, [denied])).toMatchObject({
      percent: 100,
      limitedSinceMs: bucket(5),
    });
  });

  it('ignores limits in shadow mode', () => {
    const shadow = { ...rate, enforcement: { mode: 'shadow' } } as LimitPolicy;
    expect(utilizationOf([shadow], [reading()], [], 1, UTC, NOW)).toEqual([]);
  });

  it('reports since when it denies requests without a break', () => {
    const denied = (minutesAgo: number) =>
      reading({ atMs: bucket(minutesAgo), denied: 1, deniedAtMs: NOW - minutesAgo * 60_000 });
    expect(stateOf(rate, [denied(1), denied(5), denied(10), denied(40)]).limitedSinceMs).toBe(bucket(10));
    expect(stateOf(rate, [denied(2)]).limitedSinceMs).toBeNull();
  });
});

describe('utilization of a quota', () => {
  it.each<[string, PeakReading[], number]>([
    ['is what is used in the period', [ofQuota(400)], 40],
    [
      'ignores the period before',
      [ofQuota(400, { atMs: Date.UTC(2026, 10, 1), peakAtMs: Date.UTC(2026, 9, 20) })],
      0,
    ],
    ['divides by the quota now', [ofQuota(400, { capacity: 500 })], 40],
    ['is 100 after a denial of a larger cost', [ofQuota(998, { denied: 5, deniedAtMs: NOW })], 100],
    ['ignores denials before an increase', [ofQuota(500, { capacity: 500, denied: 5, deniedAtMs: NOW })], 50],
  ])('%s', (_, readings, percent) => {
    expect(stateOf(quota, readings).percent).toBe(percent);
  });

  it('is exhausted at the pace of the last 24 hours', () => {
    // 2400 units in 24 hours are 100 an hour: the remaining 400 last four hours.
    expect(stateOf(quota, [ofQuota(600)], 2400).exhaustsAtMs).toBe(NOW + 4 * HOUR_MS);
  });
});

it.each<[string, Parameters<typeof forecastExhaustion>[0], number | null]>([
  ['is exhausted before it resets', { limit: 1000, used: 600, unitsPerHour: 100 }, NOW + 4 * HOUR_MS],
  ['lasts until it resets', { limit: 1000, used: 495, unitsPerHour: 1 }, null],
  ['is not used at present', { limit: 1000, used: 999, unitsPerHour: 0 }, null],
  ['is exhausted', { limit: 1000, used: 1000, unitsPerHour: 0 }, NOW],
  ['exceeds a decreased limit', { limit: 1000, used: 1200, unitsPerHour: 5 }, NOW],
])('forecasts a quota that %s', (_, pace, atMs) => {
  expect(forecastExhaustion(pace, NOW, END)).toBe(atMs);
});

describe('any readings', () => {
  const readings = fc.array(
    fc.record({
      api: fc.constant('shop'),
      limitName: fc.constantFrom('minute', 'monthly', 'gone'),
      atMs: fc.integer({ min: 0, max: 30 }).map((steps) => bucket(0) - steps * FIVE_MS),
      isQuota: fc.boolean(),
      used: fc.nat(Number.MAX_SAFE_INTEGER),
      capacity: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      peakAtMs: fc.integer({ min: NOW - 3 * HOUR_MS, max: NOW }),
      denied: fc.nat(3),
      deniedAtMs: fc.constant(null as number | null),
    }),
  );

  it('give whole percents from 0 to 100, and 100 for a denial in the last hour', () => {
    fc.assert(
      fc.property(readings, fc.nat(10_000), (all, units) => {
        const states = utilizationOf(
          [rate, quota],
          all,
          [{ api: 'shop', operation: 'buy', units }],
          24,
          UTC,
          NOW,
        );
        expect(states).toHaveLength(2);
        for (const { percent } of states)
          expect(percent).toSatisfy((one) => Number.isInteger(one) && one >= 0 && one <= 100);
        const hasDenied = all.some(
          (one) => one.limitName === 'minute' && !one.isQuota && one.denied > 0 && one.atMs > NOW - HOUR_MS,
        );
        if (hasDenied) expect(states[0]?.percent).toBe(100);
      }),
    );
  });

  it('give the same as comparing every window', () => {
    fc.assert(
      fc.property(readings, (all) => {
        let most = 0;
        for (const one of all) {
          if (one.limitName !== 'minute' || one.isQuota || one.atMs <= NOW - HOUR_MS || one.atMs > NOW)
            continue;
          most = Math.max(most, one.denied > 0 ? 100 : percentOf(one.used, one.capacity));
        }
        expect(stateOf(rate, all).percent).toBe(most);
      }),
    );
  });
});
