import { expect, it } from 'vitest';
import {
  parseUsageView,
  questionOf,
  stepOf,
  stepsFor,
  type UsageView,
  withRange,
  zoomTo,
} from './usage-view.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');

it.each([
  ['1h', 'minute', 'MINUTE'],
  ['24h', 'hour', 'HOUR'],
  ['7d', 'hour', 'HOUR'],
  ['30d', 'day', 'DAY'],
  ['12mo', 'month', 'DAY'],
] as const)('%s is shown by %s', (range, step, interval) => {
  expect(stepOf({ range })).toBe(step);
  expect(questionOf({ range }, NOW)).toMatchObject({ interval, to: '2026-11-22T12:00:00.000Z', groupBy: [] });
});

it('keeps an interval only where the server stores enough of it', () => {
  expect(stepOf({ range: '24h', step: 'minute' })).toBe('minute');
  expect(stepOf({ range: '7d', step: 'minute' })).toBe('hour');
  expect(stepsFor({ range: '12mo' })).toEqual(['day', 'month']);
});

it('zooms to at least ten minutes with a fitting interval', () => {
  const zoomed = zoomTo<UsageView>({ range: '7d', step: 'hour', by: 'api' }, NOW - 3_600_000, NOW);
  expect(zoomed).toEqual({ by: 'api', from: '2026-11-22T11:00:00.000Z', to: '2026-11-22T12:00:00.000Z' });
  expect(stepOf(zoomed)).toBe('minute');
  expect(zoomTo<UsageView>({}, NOW - 60_000, NOW).from).toBe('2026-11-22T11:50:00.000Z');
  expect(withRange(zoomed, '30d')).toEqual({ by: 'api', range: '30d' });
});

it('parses known query parameters', () => {
  const known = { range: '7d', step: 'day', by: 'limit', api: 'chat', unit: 'units' };
  expect(parseUsageView(known)).toEqual(known);
  expect(parseUsageView({ range: 'ever', step: 1, by: 'x', unit: 'decisions', from: '2026-11-01' })).toEqual(
    {},
  );
  expect(parseUsageView({ from: '2026-11-02', to: '2026-11-01' })).toEqual({});
  expect(parseUsageView({ from: 'then', to: 'now' })).toEqual({});
});
