import { expect, it } from 'vitest';
import { describeAction, describeChange, entryText, readFields } from './audit-text.js';

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
    'suspended a tenant',
    'published a tier',
    'thing new thing',
  ]);
});

it('names the object of an entry, and what it undid', () => {
  const entry = { action: 'tier.publish', entity: 'Tier', entityId: 'tier_1', entityName: 'Free v3' };
  expect(entryText(entry)).toBe('published Free v3');
  expect(entryText({ ...entry, revertedName: 'Free v2' })).toBe('undid Free v2 → published Free v3');
  const submitted = {
    action: 'changeSet.submit',
    entity: 'ChangeSet',
    entityId: 'set_1',
    entityName: 'More',
  };
  expect(entryText(submitted)).toBe('submitted More for review');
  const early = { action: 'tier.update', entity: 'Tier', entityId: 'tier_1', before: { name: 'Free' } };
  expect(entryText(early)).toBe('changed the tier Free');
});
