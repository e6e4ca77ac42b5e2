import { expect, it } from 'vitest';
import { describeDifference } from './difference-text.js';

const create = { name: 'create', api: 'shop', algorithm: 'gcra', limit: 10, window: '1m' };
const list = { name: 'list', api: 'shop', algorithm: 'gcra', limit: 100, window: '1m', per: ['user'] };

it.each<[title: string, before: unknown, after: unknown, lines: string[]]>([
  ['one number', [create, list], [{ ...create, limit: 20 }, list], ['limits[shop/create].limit: 10 -> 20']],
  ['a new limit', [create], [create, list], [`limits[shop/list]: none -> ${JSON.stringify(list)}`]],
  ['a removed limit', [create, list], [list], [`limits[shop/create]: ${JSON.stringify(create)} -> none`]],
  ['a field that is new', [create], [{ ...create, burst: 4 }], ['limits[shop/create].burst: none -> 4']],
  ['a list of words', [list], [{ ...list, per: ['ip'] }], ['limits[shop/list].per: ["user"] -> ["ip"]']],
  ['the order only', [create, list], [list, create], ['limits: order changed']],
  ['equal values', [create], [create], []],
  ['the first limit of a tier', [], [create], [`limits[shop/create]: none -> ${JSON.stringify(create)}`]],
])('describes %s without repeating the rest', (_title, before, after, lines) => {
  expect(describeDifference('limits', before, after)).toEqual(lines);
});

it('describes scalars and nested objects by their path', () => {
  expect(describeDifference('name', 'Free', 'Basic')).toEqual(['name: "Free" -> "Basic"']);
  expect(describeDifference('operations', { a: { cost: 1 } }, { a: { cost: 2 } })).toEqual([
    'operations.a.cost: 1 -> 2',
  ]);
});
