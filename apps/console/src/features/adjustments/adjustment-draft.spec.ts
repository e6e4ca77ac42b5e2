import { expect, it } from 'vitest';
import { endOf, kindsFor, newDraft } from './adjustment-draft.js';

it('has a default end, parses durations, and distinguishes no end from an invalid one', () => {
  expect(endOf(newDraft('boost'), 0)).toEqual(new Date(86_400_000));
  expect(endOf({ ...newDraft('override'), lasts: '1m' }, 0)).toEqual(new Date(60_000));
  expect(endOf({ ...newDraft('override'), lasts: '2 h' }, 0)).toEqual(new Date(7_200_000));
  expect(endOf({ ...newDraft('override'), lasts: ' ' }, 0)).toBeNull();
  expect(endOf({ ...newDraft('override'), lasts: 'soon' }, 0)).toBeUndefined();
});

it('allows SET for a single limit only', () => {
  expect(kindsFor('override', newDraft('override'))).toEqual(['ADD', 'MULTIPLY']);
  expect(kindsFor('override', newDraft('override', { limit: 'x' }))).toContain('SET');
  expect(kindsFor('boost', newDraft('boost', { limit: 'x' }))).not.toContain('SET');
});
