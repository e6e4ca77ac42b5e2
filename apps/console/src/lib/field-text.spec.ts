import { expect, it } from 'vitest';
import { readFields } from './field-text.js';

it('says a moment in the reader’s zone, and which that is', () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const text = readFields({ paidThrough: '2026-12-22T12:00:00.000Z' }).get('paid through');
  expect(text).toMatch(/^2[123] Dec 2026, \d\d:\d\d \S+$/);
  expect(text?.endsWith(timeZone)).toBe(true);
});
