import { expect, it } from 'vitest';
import { barsOf } from './limit-peaks.js';

const NOW_MS = Date.parse('2026-11-23T10:07:00Z');
const peak = (at: string, used: number, capacity: number, denied = 0) => ({
  at: `2026-11-23T${at}:00Z`,
  used,
  capacity,
  denied,
});

it('shows the last 24 hours by quarters of an hour, without gaps', () => {
  const bars = barsOf([peak('09:50', 7, 10)], NOW_MS);
  expect(bars).toHaveLength(96);
  expect(new Date(bars.at(-1)?.atMs ?? 0).toISOString()).toBe('2026-11-23T10:00:00.000Z');
  expect(new Set(bars.slice(1).map(({ atMs }, i) => atMs - (bars[i]?.atMs ?? 0)))).toEqual(
    new Set([900_000]),
  );
  expect(bars.at(-1)).toMatchObject({ used: 0, denied: 0 });
});

it('takes the busiest window and all denials of a quarter', () => {
  const bars = barsOf([peak('09:45', 4, 10, 1), peak('09:50', 9, 10), peak('09:55', 6, 10, 2)], NOW_MS);
  expect(bars.at(-2)).toMatchObject({ used: 9, denied: 3 });
});

it('keeps a limit until it changes, and draws the first one before its reading', () => {
  const bars = barsOf([peak('09:30', 4, 10), peak('09:50', 12, 20)], NOW_MS);
  expect(bars.slice(-4).map(({ capacity }) => capacity)).toEqual([10, 10, 20, 20]);
  expect(bars[0]?.capacity).toBe(10);
});
