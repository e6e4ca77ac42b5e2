import { expect, it } from 'vitest';
import { forecastRunOut } from './usage-summary.service.js';

const NOW = Date.UTC(2026, 10, 10);
const END = Date.UTC(2026, 11, 1);
const HOUR_MS = 3_600_000;

it.each<[string, Parameters<typeof forecastRunOut>[0], number | null]>([
  // 400 left ÷ 100 per hour = 4 hours.
  ['runs out before the period ends', { limit: 1000, used: 600, unitsPerHour: 100 }, NOW + 4 * HOUR_MS],
  // 21 days are 504 hours: at one unit per hour, 504 of the remaining 505 are used by then.
  ['barely lasts until the period ends', { limit: 1000, used: 495, unitsPerHour: 1 }, null],
  ['runs out in the last hour', { limit: 1000, used: 497, unitsPerHour: 1 }, NOW + 503 * HOUR_MS],
  ['never runs out while unused', { limit: 1000, used: 999, unitsPerHour: 0 }, null],
  ['is used up', { limit: 1000, used: 1000, unitsPerHour: 0 }, NOW],
  ['is used beyond a lowered limit', { limit: 1000, used: 1200, unitsPerHour: 5 }, NOW],
])('a quota that %s', (_, pace, runsOutAtMs) => {
  expect(forecastRunOut(pace, NOW, END)).toBe(runsOutAtMs);
});
