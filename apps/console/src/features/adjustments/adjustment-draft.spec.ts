import { expect, it } from 'vitest';
import { effectOf, endOf, kindsFor, newDraft, parseFactor } from './adjustment-draft.js';

it.each([
  ['2x', 200],
  ['1.5x', 150],
  ['1.25 ×', 125],
  ['150 %', 150],
  ['300', 300],
])('%s is %i of a hundred', (text, percent) => {
  expect(parseFactor(text)).toEqual({ ok: true, value: percent });
});

it('reads what a limit becomes, and nothing out of what is no number', () => {
  const draft = newDraft('override', { apiKey: 'chat', limit: 'per-minute', amount: '10k' });
  expect(effectOf(draft)).toEqual({ kind: 'SET', limit: 10_000 });
  expect(effectOf({ ...draft, kind: 'ADD', amount: '1,500' })).toEqual({ kind: 'ADD', units: 1_500 });
  expect(effectOf({ ...draft, kind: 'MULTIPLY', amount: '2x' })).toEqual({ kind: 'MULTIPLY', percent: 200 });
  expect(effectOf({ ...draft, amount: '0' })).toBeUndefined();
  expect(effectOf({ ...draft, amount: 'many' })).toBeUndefined();
});

it('fills in an end, reads others, and tells no end from one that cannot be read', () => {
  expect(endOf(newDraft('boost'), 0)).toEqual(new Date(86_400_000));
  expect(endOf({ ...newDraft('override'), lasts: '1m' }, 0)).toEqual(new Date(60_000));
  expect(endOf({ ...newDraft('override'), lasts: '2 h' }, 0)).toEqual(new Date(7_200_000));
  expect(endOf({ ...newDraft('override'), lasts: ' ' }, 0)).toBeNull();
  expect(endOf({ ...newDraft('override'), lasts: 'soon' }, 0)).toBeUndefined();
});

it('puts a number in the place of one limit only', () => {
  expect(kindsFor('override', newDraft('override'))).toEqual(['ADD', 'MULTIPLY']);
  expect(kindsFor('override', newDraft('override', { limit: 'x' }))).toContain('SET');
  expect(kindsFor('boost', newDraft('boost', { limit: 'x' }))).not.toContain('SET');
});
