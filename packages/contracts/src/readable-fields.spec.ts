import { expect, it } from 'vitest';
import { readFields } from './readable-fields.js';

it('reads values as people do, and leaves out what is for machines', () => {
  const record = {
    id: 'pur_1',
    purchaseId: 'pur_1',
    version: 3,
    tierKey: 'pro',
    role: 'LIMITS_ADMIN',
    amountMinor: 4900,
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    needsApproval: true,
    wanted: 5000,
    effects: [{ kind: 'ADD' }],
    none: null,
  };
  expect(Object.fromEntries(readFields(record, 'UTC'))).toEqual({
    tier: 'pro',
    role: 'limits admin',
    amount: '€49.00',
    'time zone': 'Europe/Berlin',
    'needs approval': 'yes',
    wanted: '5,000',
  });
  expect(readFields('text', 'UTC').size).toBe(0);
});

it('says a moment by the clock of the zone, and money in its currency', () => {
  const record = { paidThrough: '2026-12-22T12:00:00.000Z', priceMinor: 1200, currency: 'JPY' };
  expect([...readFields(record, 'America/New_York').values()]).toEqual([
    '22 Dec 2026, 07:00 America/New_York',
    '¥1,200',
  ]);
});

it('leaves alone what only looks like a moment', () => {
  expect(readFields({ note: '2026-99-99T99:99' }, 'UTC').get('note')).toBe('2026-99-99T99:99');
});
