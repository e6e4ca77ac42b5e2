import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { type CostRules, documentCost } from './document-cost.js';

const cost = (text: string, rules?: CostRules, variables = {}, name: string | null = null) =>
  documentCost(parse(text), name, variables, rules);

it.each([
  ['{ a b c }', 3],
  ['{ a { b { c } } }', 3],
  // 1 for the list, 10 times the cost of its selection.
  ['{ list(first: 10) { id name } }', 21],
  ['{ list(first: 10) { inner(last: 5) { id } } }', 61],
  ['{ ... on Query { a } ...F } fragment F on Query { b c }', 3],
  ['{ __typename __schema { types { name } } }', 1],
])('%s costs %i', (text, expected) => {
  expect(cost(text)).toBe(expected);
});

it('uses the costs of named fields, and variables for list lengths', () => {
  const rules = { fields: { createOrder: 10, id: 0 }, listArguments: ['take'] };
  expect(cost('mutation { createOrder { id } }', rules)).toBe(10);
  expect(cost('query ($n: Int) { list(take: $n) { name } }', rules, { n: 7 })).toBe(8);
  expect(cost('query ($n: Int) { list(take: $n) { name } }', rules, { n: -7 })).toBe(2);
});

it.each<[string, Record<string, unknown>, number]>([
  ['query ($n: Int = 1000) { items(first: $n) { id } }', {}, 1001],
  ['query ($n: Int = 1000) { items(first: $n) { id } }', { n: undefined }, 1001],
  ['query ($n: Int = 1000) { items(first: $n) { id } }', { n: 5 }, 6],
  ['query ($n: Int = 1000) { items(first: $n) { id } }', { n: null }, 2],
  ['query A ($n: Int = 7) { ...F } fragment F on Query { items(first: $n) { id } }', {}, 8],
])('%s with %j costs %i: the default of a variable counts', (text, variables, expected) => {
  expect(cost(text, {}, variables)).toBe(expected);
});

it('uses the longest of several lengths, whatever their order', () => {
  expect(cost('{ list(first: 1, last: 1000) { id } }')).toBe(1001);
  expect(cost('{ list(last: 1000, first: 1) { id } }')).toBe(1001);
});

it('of several operations, the one that runs is priced', () => {
  const text = 'query A { a } query B { a b c }';
  expect([cost(text, {}, {}, 'A'), cost(text, {}, {}, 'B')]).toEqual([1, 3]);
});

it('a document that doubles with each fragment is priced at once, and bounded', () => {
  const chain = Array.from({ length: 60 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
  const text = `{ ...F0 } ${chain.join(' ')} fragment F60 on Query { a }`;
  expect(cost(text)).toBe(1_000_000);
  expect(cost('{ ...F } fragment F on Query { a ...F }', { max: 50 })).toBe(1);
});
