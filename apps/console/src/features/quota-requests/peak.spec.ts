import { describe, expect, it } from 'vitest';
import { admittedIn, findPeak, intervalFor, suggestWanted } from './peak.js';

const point = (at: string, units: number, denied = 0) => ({ at, units, denied });

describe('peakOf', () => {
  it('is the interval with the highest usage; denials are summed over all intervals', () => {
    const points = [point('a', 3, 1), point('b', 9), point('c', 9, 2)];
    expect(findPeak(points)).toMatchObject({ top: { at: 'b', units: 9 }, denied: 3 });
  });

  it('is undefined without usage', () => {
    expect(findPeak([])).toEqual({ top: undefined, denied: 0, points: [] });
  });

  it.each([
    [1_000, 'MINUTE'],
    [60_000, 'MINUTE'],
    [3_600_000, 'HOUR'],
    [86_400_000, 'DAY'],
    [2_592_000_000, 'DAY'],
  ])('of a window of %i ms is looked for by %s', (windowMs, interval) => {
    expect(intervalFor(windowMs)).toBe(interval);
  });
});

describe('admittedIn', () => {
  it.each([
    [5, 1_000, 'MINUTE', 300],
    [100, 3_600_000, 'HOUR', 100],
    [10, 900_000, 'MINUTE', undefined],
  ] as const)('of %i in %i ms admits in a %s: %s', (limit, windowMs, interval, admitted) => {
    expect(admittedIn(limit, windowMs, interval)).toBe(admitted);
  });
});

describe('suggestWanted', () => {
  it.each([
    [100, 87, 110, 'a quarter above the peak, rounded up'],
    [100, 160, 200, 'a quarter above the peak'],
    [100, 4_444, 5_600, 'rounded to two digits'],
    [100, 20, 200, 'twice as much where the limit was never near'],
    [100, undefined, 200, 'twice as much where nothing was used'],
    [4, 5, 7, 'whole numbers'],
  ])('with %i now and a peak of %s is %i: %s', (current, peak, wanted, _why) => {
    expect(suggestWanted(current, peak)).toBe(wanted);
    expect(wanted).toBeGreaterThan(current);
  });
});
