import { expect, it } from 'vitest';
import { readFields } from './field-text.js';

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
  expect(Object.fromEntries(readFields(record))).toEqual({
    tier: 'pro',
    role: 'limits admin',
    amount: '€49.00',
    'time zone': 'Europe/Berlin',
    'needs approval': 'yes',
    wanted: '5,000',
  });
  expect(readFields('text').size).toBe(0);
});

it('says a moment in the reader’s zone', () => {
  expect(readFields({ paidThrough: '2026-12-22T12:00:00.000Z' }).get('paid through')).toMatch(
    /^2[123] Dec 2026, \d\d:00$/,
  );
});
