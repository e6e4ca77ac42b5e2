import { LATENCY_BOUNDS_MS } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { parseTrafficRange, quantileOf } from './traffic.js';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-23T10:07:30Z');

it.each<[string, number, string, number]>([
  ['an hour by minutes', HOUR_MS, '2026-11-23T09:08:00.000Z', 1],
  ['a day by quarters of an hour', 24 * HOUR_MS, '2026-11-22T10:15:00.000Z', 15],
  ['a week by two hours', 168 * HOUR_MS, '2026-11-16T12:00:00.000Z', 120],
  ['a month by six hours', 720 * HOUR_MS, '2026-10-24T12:00:00.000Z', 360],
])('shows %s, the current one last', (_, lengthMs, from, minutes) => {
  const range = parseTrafficRange({ from: new Date(NOW.getTime() - lengthMs) }, NOW);
  expect(range).toEqual({ from: new Date(from), to: NOW, stepMs: minutes * 60_000 });
});

it('rejects empty and too long ranges', () => {
  expect(() => parseTrafficRange({ from: NOW }, NOW)).toThrow('from must be before to');
  expect(() => parseTrafficRange({ from: new Date(0) }, NOW)).toThrow('limited to 92 days');
});

it('interpolates quantiles within a bucket and bounds them', () => {
  const counts = (values: Record<number, number>) =>
    [...LATENCY_BOUNDS_MS, 0].map((_, bucket) => values[bucket] ?? 0);
  expect(quantileOf(counts({}), 0.5)).toBeNull();
  // 100 requests of 0.5 to 1 ms.
  expect(quantileOf(counts({ 3: 100 }), 0.5)).toBe(0.75);
  expect(quantileOf(counts({ 3: 98, 8: 2 }), 0.99)).toBe(37.5);
  expect(quantileOf(counts({ 12: 1 }), 0.99)).toBe(1000);
});
