import { describe, expect, it } from 'vitest';
import { formatMomentInZone, readFields } from './format.js';

describe('formatMomentInZone', () => {
  it.each([
    ['2026-11-20T13:03:00Z', 'UTC', '20 Nov 2026, 13:03 UTC'],
    ['2026-11-20T13:03:00Z', 'Europe/Berlin', '20 Nov 2026, 14:03 Europe/Berlin'],
    ['2026-07-20T13:03:00Z', 'Europe/Berlin', '20 Jul 2026, 15:03 Europe/Berlin'],
    ['2026-11-20T23:30:00Z', 'Asia/Kolkata', '21 Nov 2026, 05:00 Asia/Kolkata'],
    ['2026-09-05T00:00:00Z', 'America/New_York', '4 Sep 2026, 20:00 America/New_York'],
    ['2026-11-20T00:00:00Z', 'UTC', '20 Nov 2026, 00:00 UTC'],
  ])('%s in %s is %s', (at, timeZone, text) => {
    expect(formatMomentInZone(at, timeZone)).toBe(text);
    expect(formatMomentInZone(new Date(at), timeZone)).toBe(text);
  });

  it('adds the offset to an hour that occurs twice', () => {
    const [first, second] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
    expect(formatMomentInZone(first, 'Europe/Berlin')).toBe('25 Oct 2026, 02:30 Europe/Berlin (GMT+2)');
    expect(formatMomentInZone(second, 'Europe/Berlin')).toBe('25 Oct 2026, 02:30 Europe/Berlin (GMT+1)');
    expect(formatMomentInZone('2026-04-04T14:45:00Z', 'Australia/Lord_Howe')).toBe(
      '5 Apr 2026, 01:45 Australia/Lord_Howe (GMT+11)',
    );
  });

  it('formats times around a skipped hour: the clock moves from 01:59 to 03:00', () => {
    expect(formatMomentInZone('2026-03-29T00:59:00Z', 'Europe/Berlin')).toContain(
      '01:59 Europe/Berlin (GMT+1)',
    );
    expect(formatMomentInZone('2026-03-29T01:00:00Z', 'Europe/Berlin')).toContain(
      '03:00 Europe/Berlin (GMT+2)',
    );
  });

  it('throws for an invalid date or time zone', () => {
    expect(() => formatMomentInZone('nonsense', 'UTC')).toThrow(RangeError);
    expect(() => formatMomentInZone('2026-11-20T13:03:00Z', 'Mars/Base')).toThrow(RangeError);
  });
});

it('formats values for people and omits technical fields', () => {
  const record = {
    id: 'pur_1',
    purchaseId: 'pur_1',
    version: 3,
    tierKey: 'pro',
    role: 'LIMITS_ADMIN',
    amountMinor: 4900,
    currency: 'EUR',
    timeZone: 'UTC',
    needsApproval: true,
    wanted: 5000,
    effects: [{ kind: 'ADD' }],
    none: null,
  };
  expect(Object.fromEntries(readFields(record, 'UTC'))).toEqual({
    tier: 'pro',
    role: 'limits admin',
    amount: '€49.00',
    'time zone': 'UTC',
    'needs approval': 'yes',
    wanted: '5,000',
  });
  expect(readFields('text', 'UTC').size).toBe(0);
});

it('formats times in the zone and money in its currency', () => {
  const record = { paidThrough: '2026-12-22T12:00:00.000Z', priceMinor: 1200, currency: 'JPY' };
  expect([...readFields(record, 'America/New_York').values()]).toEqual([
    '22 Dec 2026, 07:00 America/New_York',
    '¥1,200',
  ]);
});

it('leaves text alone that only resembles a timestamp', () => {
  expect(readFields({ note: '2026-99-99T99:99' }, 'UTC').get('note')).toBe('2026-99-99T99:99');
});
