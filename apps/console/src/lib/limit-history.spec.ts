import { expect, test } from 'vitest';
import { estimateDays, type LimitHistory, measureText, peakOf, suggestLimit } from './limit-history.js';

const historyOf = (
  measure: LimitHistory['measure'],
  days: [used: number, denied: number][],
  limit = 150,
): LimitHistory => ({
  ...{ apiKey: 'shop', limitName: 'create', measure, windowMs: 60_000 },
  days: days.map(([used, denied], i) => ({ at: new Date(i * 86_400_000).toISOString(), used, denied })),
  steps: [{ at: new Date(0).toISOString(), limit, lasting: limit }],
});

test('counts the days above the limit before and after a purchase', () => {
  const history = historyOf('BUSIEST_MINUTE', [
    [120, 0],
    [140, 3],
    [155, 5],
    [171, 21],
    [201, 51],
  ]);
  expect(estimateDays(history, 150, 200)).toEqual({ now: 4, after: 1, boosted: false });
});

test('adds what a quota denied, which its usage does not contain', () => {
  const days: [number, number][] = [
    [100, 0],
    [100, 30],
    [100, 80],
  ];
  const history = historyOf('PERIOD', days, 100);
  expect(estimateDays(history, 100, 150)).toEqual({ now: 2, after: 1, boosted: false });
});

test('compares with limits without boosts, and says that there was one', () => {
  const history = {
    ...historyOf('BUSIEST_MINUTE', [[170, 0]]),
    steps: [{ at: new Date(0).toISOString(), limit: 180, lasting: 150 }],
  };
  expect(estimateDays(history, 150, 200)).toEqual({ now: 1, after: 0, boosted: true });
});

test('the peak is the busiest day, the newest one of several, and undefined without usage', () => {
  const days: [number, number][] = [
    [9, 0],
    [3, 1],
    [9, 2],
    [4, 0],
  ];
  expect(peakOf(historyOf('DAY', days))).toMatchObject({ used: 9, denied: 2 });
  expect(peakOf(historyOf('DAY', [[0, 0]]))).toBeUndefined();
});

test.each([
  ['BUSIEST_MINUTE', 60_000, 'Busiest minute per day'],
  ['BUSIEST_MINUTE', 1_000, 'Busiest minute per day, per second'],
  ['BUSIEST_HOUR', 900_000, 'Busiest hour per day, per 15 minutes'],
  ['DAY', 86_400_000, 'Used per day'],
  ['PERIOD', null, 'Used in the period'],
] as const)('the values of %s with a window of %s ms are titled %s', (measure, windowMs, text) => {
  expect(measureText({ measure, windowMs })).toBe(text);
});

test.each([
  [100, 87, 110, 'a quarter above the peak, rounded up'],
  [100, 160, 200, 'a quarter above the peak'],
  [100, 4_444, 5_600, 'rounded to two digits'],
  [100, 20, 200, 'twice as much where the limit was never near'],
  [100, undefined, 200, 'twice as much where nothing was used'],
  [4, 5, 7, 'whole numbers'],
])('with %i now and a peak of %s suggests %i: %s', (current, peak, wanted, _why) => {
  expect(suggestLimit(current, peak)).toBe(wanted);
  expect(wanted).toBeGreaterThan(current);
});
