import { expect, it } from 'vitest';
import type { Usage, UsageSeries } from './api.js';
import { counterSubject, linesOf } from './usage-lines.js';

const seriesOf = (apiKey: string | null, counts: Record<string, number>): UsageSeries => {
  const points = Object.entries(counts).map(([at, count]) => ({
    ...{ at, count, denied: 1, degraded: 0 },
    ...{ units: count * 2, candidateDenied: 0 },
  }));
  const count = points.reduce((sum, point) => sum + point.count, 0);
  const total = { count, denied: points.length, degraded: 0, units: count * 2 };
  return { apiKey, operation: null, limitName: null, outcome: null, total, points };
};

const usageOf = (from: string, to: string, timeZone: string, series: UsageSeries[]): Usage => ({
  ...{ tenantKey: 'acme', interval: 'DAY', timeZone, from, to, keptSince: from, omittedSeries: 0 },
  ...{ total: { count: 0, denied: 0, degraded: 0, units: 0 }, series },
});

it('fills gaps with zeros', () => {
  const usage = usageOf('2026-11-20T00:00:00Z', '2026-11-20T04:30:00Z', 'UTC', [
    seriesOf(null, { '2026-11-20T01:00:00Z': 5, '2026-11-20T04:00:00Z': 7 }),
  ]);
  const { times, lines, endMs } = linesOf(usage, 'hour');
  expect(times).toHaveLength(5);
  expect(lines[0]?.points.map(({ count }) => count)).toEqual([0, 5, 0, 0, 7]);
  expect(new Date(endMs).toISOString()).toBe('2026-11-20T05:00:00.000Z');
});

it('returns one line of zeros for a tenant without traffic', () => {
  const { lines, times } = linesOf(
    usageOf('2026-11-20T00:00:00Z', '2026-11-20T02:00:00Z', 'UTC', []),
    'hour',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]?.points).toHaveLength(times.length);
});

it('sums days into months in the time zone', () => {
  // Midnight in Berlin: 31 October ends at 23:00 UTC, since clocks are back by then.
  const usage = usageOf('2026-10-29T23:00:00Z', '2026-11-02T12:00:00Z', 'Europe/Berlin', [
    seriesOf(null, {
      '2026-10-29T23:00:00Z': 1,
      '2026-10-30T23:00:00Z': 2,
      '2026-10-31T23:00:00Z': 4,
      '2026-11-01T23:00:00Z': 8,
    }),
  ]);
  const { times, lines } = linesOf(usage, 'month');
  expect(times.map((at) => new Date(at).toISOString())).toEqual([
    '2026-09-30T22:00:00.000Z',
    '2026-10-31T23:00:00.000Z',
  ]);
  expect(lines[0]?.points.map(({ count, units }) => [count, units])).toEqual([
    [3, 6],
    [12, 24],
  ]);
});

it('separates days across daylight saving changes', () => {
  const usage = usageOf('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 'Europe/Berlin', [
    seriesOf(null, { '2026-10-24T22:00:00Z': 3, '2026-10-25T23:00:00Z': 4 }),
  ]);
  expect(linesOf(usage, 'day').lines[0]?.points.map(({ count }) => count)).toEqual([0, 3, 4]);
});

it('sums series beyond the sixth line', () => {
  const at = '2026-11-20T00:00:00Z';
  const series = Array.from({ length: 9 }, (_, index) => seriesOf(`api-${index}`, { [at]: 10 - index }));
  const { lines } = linesOf(usageOf(at, '2026-11-20T01:00:00Z', 'UTC', series), 'hour');
  expect(lines.map(({ series: of }) => of?.apiKey)).toEqual([
    ...['api-0', 'api-1', 'api-2', 'api-3', 'api-4', 'api-5'],
    undefined,
  ]);
  expect(lines.at(-1)?.total.count).toBe(4 + 3 + 2);
  expect(lines.at(-1)?.points[0]?.count).toBe(4 + 3 + 2);
});

it('parses the subject of a counter name', () => {
  expect(counterSubject('{acme}:f1:url-shortener:create-minute')).toEqual({ kind: 'tenant' });
  expect(counterSubject('{acme}:l1:auth:login-ip~203.0.113.9')).toEqual({
    kind: 'values',
    values: ['203.0.113.9'],
  });
  expect(counterSubject('{acme}:g1:shop:both=u1#Zm9v~10.0.0.1')).toEqual({
    kind: 'values',
    values: ['u1', undefined, '10.0.0.1'],
  });
  expect(counterSubject('{acme}:g1:shop:both?~10.0.0.1')).toEqual({
    kind: 'values',
    values: [null, '10.0.0.1'],
  });
  expect(counterSubject('{acme}:g1:shop:both^')).toEqual({ kind: 'overflow' });
});
