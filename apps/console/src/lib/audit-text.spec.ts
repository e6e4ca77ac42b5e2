import { expect, it } from 'vitest';
import { describeAction, describeChange, readFields } from './audit-text.js';

it('formats times in the reader’s zone and names it', () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const text = readFields({ paidThrough: '2026-12-22T12:00:00.000Z' }).get('paid through');
  expect(text).toMatch(/^2[123] Dec 2026, \d\d:\d\d \S+$/);
  expect(text?.endsWith(timeZone)).toBe(true);
});

it('names only changed values', () => {
  const before = { tier: 'free', status: 'ACTIVE', version: 1, limits: [1] };
  expect(describeChange(before, { ...before, tier: 'pro', version: 2, limits: [2] })).toBe(
    'tier: free → pro',
  );
  expect(describeChange(null, { name: 'Acme' })).toBe('name: Acme');
  expect(describeChange({ note: 'x' }, {})).toBe('note: x removed');
  expect(describeChange(undefined, 'text')).toBe('');
});

it('splits an unknown action into words', () => {
  expect(['tenant.suspend', 'tier.publish', 'thing.newThing'].map(describeAction)).toEqual([
    'suspended the tenant',
    'published a tier',
    'thing new thing',
  ]);
});
