import { expect, test } from 'vitest';
import type { LimitHistory } from './api.js';
import { estimateDays } from './estimate.js';

const historyOf = (
  measure: LimitHistory['measure'],
  days: [used: number, denied: number][],
  limit = 150,
): LimitHistory => ({
  ...{ apiKey: 'shop', limitName: 'create', measure },
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
