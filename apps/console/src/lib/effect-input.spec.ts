import { expect, it } from 'vitest';
import { effectOf, parseFactor } from './effect-input.js';

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
  const draft = { kind: 'SET', amount: '10k' } as const;
  expect(effectOf(draft)).toEqual({ kind: 'SET', limit: 10_000 });
  expect(effectOf({ ...draft, kind: 'ADD', amount: '1,500' })).toEqual({ kind: 'ADD', units: 1_500 });
  expect(effectOf({ ...draft, kind: 'MULTIPLY', amount: '2x' })).toEqual({ kind: 'MULTIPLY', percent: 200 });
  expect(effectOf({ ...draft, amount: '0' })).toBeUndefined();
  expect(effectOf({ ...draft, amount: 'many' })).toBeUndefined();
});
