import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokenPromises } from './schema-contract.js';

const TODAY = '2026-11-21';
const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

it('schema.graphql keeps every promise of schema.released.graphql', () => {
  // Says what to do: keep it, deprecated, with "Kept until YYYY-MM-DD." in the reason, and remove it after that day.
  const today = new Date().toISOString().slice(0, 10);
  expect(brokenPromises(read('schema.released.graphql'), read('schema.graphql'), today)).toEqual([]);
});

describe('a promise', () => {
  const OVER = '@deprecated(reason: "Use b. Kept until 2026-11-20.")';
  const OPEN = '@deprecated(reason: "Use b. Kept until 2026-12-24.")';
  const schema = (field: string, more = '') =>
    `type Query { ${field} b(x: Int, y: Int): E c: T } enum E { ONE TWO } type T { id: ID } input I { p: Int } ${more}`;
  const all = schema('a: String');

  it.each([
    ['a new field', all, schema('a: String n: Int')],
    ['a new optional argument', all, all.replace('y: Int', 'y: Int z: Int')],
    ['the end of a field that was kept long enough', schema(`a: String ${OVER}`), schema('')],
    ['the end of an argument that was', all.replace('y: Int', `y: Int ${OVER}`), all.replace(', y: Int', '')],
    ['the end of an enum value that was', all.replace('TWO', `TWO ${OVER}`), all.replace('TWO', '')],
    [
      'the end of a type that only such a field used',
      all.replace('c: T', `c: T ${OVER}`),
      all.replace('c: T', '').replace('type T { id: ID }', ''),
    ],
  ])('is kept by %s', (_name, before, after) => {
    expect(brokenPromises(before, after, TODAY)).toEqual([]);
  });

  it.each([
    ['the end of a field', all, schema(''), 'Query.a was removed.'],
    [
      'the end of a field that is kept for longer',
      schema(`a: String ${OPEN}`),
      schema(''),
      'Query.a was removed.',
    ],
    [
      'the end of a field that has no day',
      schema('a: String @deprecated(reason: "Use b.")'),
      schema(''),
      'Query.a was removed.',
    ],
    ['another type', all, schema('a: Int'), 'Query.a changed type from String to Int.'],
    [
      'an argument that is needed',
      all,
      all.replace('y: Int', 'y: Int!'),
      'Query.b arg y has changed type from Int to Int!.',
    ],
    [
      'a field that an input needs',
      all,
      all.replace('p: Int', 'p: Int q: Int!'),
      'A required field q on input type I was added.',
    ],
    ['the end of an enum value', all, all.replace('TWO', ''), 'TWO was removed from enum type E.'],
  ])('is broken by %s', (_name, before, after, broken) => {
    expect(brokenPromises(before, after, TODAY)).toContain(broken);
  });
});
