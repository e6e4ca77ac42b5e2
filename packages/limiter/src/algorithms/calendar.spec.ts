import type { QuotaPeriod } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, periodAt, startOfHour } from './calendar.js';

const HOUR_MS = 3_600_000;

/** The period at a moment, as ISO times without milliseconds. */
function period(kind: QuotaPeriod, timeZone: string, at: string, anchorDay = 1): string[] {
  const { startMs, endMs, nextEndMs } = periodAt(kind, timeZone, anchorDay, Date.parse(at));
  return [startMs, endMs, nextEndMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
}

function hoursOfDay(timeZone: string, at: string): number {
  const { startMs, endMs } = periodAt('day', timeZone, 1, Date.parse(at));
  return (endMs - startMs) / HOUR_MS;
}

describe('calendar periods', () => {
  it.each<[string, QuotaPeriod, string, string, string[]]>([
    [
      'a day in UTC',
      'day',
      'UTC',
      '2026-02-28T12:00Z',
      ['2026-02-28T00:00', '2026-03-01T00:00', '2026-03-02T00:00'],
    ],
    [
      'a day in Tokyo starts at 15:00 UTC',
      'day',
      'Asia/Tokyo',
      '2026-02-28T15:00Z',
      ['2026-02-28T15:00', '2026-03-01T15:00', '2026-03-02T15:00'],
    ],
    [
      'a week starts on Monday',
      'week',
      'UTC',
      '2026-11-22T23:59Z',
      ['2026-11-16T00:00', '2026-11-23T00:00', '2026-11-30T00:00'],
    ],
    [
      'a week contains a clock change',
      'week',
      'Europe/Berlin',
      '2026-03-25T12:00Z',
      ['2026-03-22T23:00', '2026-03-29T22:00', '2026-04-05T22:00'],
    ],
    [
      'a month',
      'month',
      'Europe/Berlin',
      '2026-03-31T21:59Z',
      ['2026-02-28T23:00', '2026-03-31T22:00', '2026-04-30T22:00'],
    ],
    [
      'a month at the turn of the year',
      'month',
      'America/New_York',
      '2026-12-15T00:00Z',
      ['2026-12-01T05:00', '2027-01-01T05:00', '2027-02-01T05:00'],
    ],
  ])('%s', (_title, kind, zone, at, expected) => {
    expect(period(kind, zone, at)).toEqual(expected);
  });

  it.each([
    [15, '2026-03-15T00:00Z', ['2026-03-15T00:00', '2026-04-15T00:00', '2026-05-15T00:00']],
    [15, '2026-03-14T23:59Z', ['2026-02-15T00:00', '2026-03-15T00:00', '2026-04-15T00:00']],
    [31, '2026-02-27T12:00Z', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
    [31, '2026-02-28T12:00Z', ['2026-02-28T00:00', '2026-03-31T00:00', '2026-04-30T00:00']],
    [30, '2028-02-29T12:00Z', ['2028-02-29T00:00', '2028-03-30T00:00', '2028-04-30T00:00']],
    [31, '2026-12-31T12:00Z', ['2026-12-31T00:00', '2027-01-31T00:00', '2027-02-28T00:00']],
    [1, '2026-01-31T12:00Z', ['2026-01-01T00:00', '2026-02-01T00:00', '2026-03-01T00:00']],
  ])('a billing period from day %i, clamped to the month, at %s', (anchorDay, at, expected) => {
    expect(period('billing', 'UTC', at, anchorDay)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T12:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00Z', 25],
    ['America/New_York', '2026-03-08T12:00Z', 23],
    ['Australia/Lord_Howe', '2026-10-03T22:00Z', 23.5],
    ['Australia/Lord_Howe', '2026-04-04T22:00Z', 24.5],
    // From 24:00 back to 23:00: the day that ends is longer.
    ['America/Sao_Paulo', '2018-02-17T12:00Z', 25],
    ['America/Sao_Paulo', '2018-02-18T12:00Z', 24],
    ['Asia/Beirut', '2022-10-29T12:00Z', 25],
    // From 1:00 back to 0:00: the day has two midnights and starts at the first.
    ['America/Havana', '2021-11-07T12:00Z', 25],
  ])('in %s the day of %s has %d hours', (zone, at, hours) => {
    expect(hoursOfDay(zone, at)).toBe(hours);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04T12:00Z', '2018-11-04T03:00'],
    ['Asia/Beirut', '2022-03-27T12:00Z', '2022-03-26T22:00'],
    ['America/Havana', '2021-03-14T12:00Z', '2021-03-14T05:00'],
  ])('in %s, where clocks skip midnight, the day of %s starts at the change', (zone, at, start) => {
    expect(period('day', zone, at)[0]).toBe(start);
    expect(hoursOfDay(zone, at)).toBe(23);
  });

  it('starts no period on a day that a zone skipped (Samoa, 30 December 2011)', () => {
    expect(period('day', 'Pacific/Apia', '2011-12-30T09:59Z')).toEqual([
      '2011-12-29T10:00',
      '2011-12-30T10:00',
      '2011-12-31T10:00',
    ]);
    expect(period('day', 'Pacific/Apia', '2011-12-30T10:00Z')[0]).toBe('2011-12-30T10:00');
    expect(period('billing', 'Pacific/Apia', '2011-12-20T00:00Z', 30)[1]).toBe('2011-12-30T10:00');
  });

  it('continues the day when clocks go back over midnight and repeat yesterday (St. John’s, 00:01 to 23:01)', () => {
    const sunday = ['2010-11-07T02:30', '2010-11-08T03:30', '2010-11-09T03:30'];
    for (const at of ['2010-11-07T02:30Z', '2010-11-07T02:40Z', '2010-11-07T04:00Z']) {
      expect(period('day', 'America/St_Johns', at)).toEqual(sunday);
    }
  });

  it.each([
    ['UTC', '2026-03-29T01:59', '2026-03-29T01:00'],
    ['Asia/Kolkata', '2026-01-01T18:29', '2026-01-01T17:30'],
    ['Asia/Kolkata', '2026-01-01T18:30', '2026-01-01T18:30'],
    ['Asia/Kathmandu', '2026-01-01T18:20', '2026-01-01T18:15'],
    // 02:30 occurs twice, in two different hours.
    ['Europe/Berlin', '2026-10-25T00:30', '2026-10-25T00:00'],
    ['Europe/Berlin', '2026-10-25T01:30', '2026-10-25T01:00'],
  ])('the hour in %s at %s starts at %s', (timeZone, at, start) => {
    expect(new Date(startOfHour(timeZone, Date.parse(`${at}Z`))).toISOString().slice(0, 16)).toBe(start);
  });

  it('distinguishes zones from other names', () => {
    expect(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
    expect(['', 'Mars/Olympus', 'Berlin'].some(isTimeZone)).toBe(false);
  });

  it('periods of every zone are adjacent, without gap or overlap', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        fc.constantFrom<QuotaPeriod>('day', 'week', 'month', 'billing'),
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2040, 0) }),
        (zone, kind, anchorDay, nowMs) => {
          const { startMs, endMs, nextEndMs } = periodAt(kind, zone, anchorDay, nowMs);
          expect(startMs).toBeLessThanOrEqual(nowMs);
          expect(endMs).toBeGreaterThan(nowMs);
          // Computes the next period in between, so that neither result comes from the cache.
          for (const withinMs of [startMs, endMs - 1]) {
            const next = periodAt(kind, zone, anchorDay, endMs);
            expect(next).toMatchObject({ startMs: endMs, endMs: nextEndMs });
            expect(periodAt(kind, zone, anchorDay, withinMs)).toEqual({ startMs, endMs, nextEndMs });
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
