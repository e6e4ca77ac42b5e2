import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_LIMITS, screenDocument } from './document-limits.js';

const screen = (query: unknown, variables?: unknown, operationName?: unknown) =>
  screenDocument({ query, variables, operationName });

const levels = (count: number) => `${'{ a '.repeat(count)}${'} '.repeat(count)}`;
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('allows a document at its limits and rejects one above', () => {
  it.each([
    ['depth', levels(DOCUMENT_LIMITS.depth), levels(DOCUMENT_LIMITS.depth + 1)],
    [
      'depth',
      `{ a { ${'... { '.repeat(10)} b ${'} '.repeat(10)} } }`,
      `{ a { ${'... { '.repeat(11)} b ${'} '.repeat(11)} } }`,
    ],
    ['aliases', `{ ${repeat(15, (i) => `a${i}: b`)} }`, `{ ${repeat(16, (i) => `a${i}: b`)} }`],
    ['directives', `{ a ${'@skip(if: false) '.repeat(20)} }`, `{ a ${'@skip(if: false) '.repeat(21)} }`],
    ['directives', `query ${'@x '.repeat(20)} { a }`, `query ${'@x '.repeat(20)} { a @x }`],
    [
      'input depth',
      `{ a(x: ${'['.repeat(12)}${']'.repeat(12)}) }`,
      `{ a(x: ${'['.repeat(13)}${']'.repeat(13)}) }`,
    ],
    ['characters', `{ a(x: "${'x'.repeat(16_000)}") }`, `{ a(x: "${'x'.repeat(17_000)}") }`],
    // 4 tokens around, 1 a field.
    ['tokens', `{ ${'a '.repeat(990)} }`, `{ ${'a '.repeat(1000)} }`],
  ])('%s', (what, within, beyond) => {
    expect(screen(within)).toBeUndefined();
    expect(screen(beyond)).toMatch(what);
  });

  it('fields, with expanded fragments', () => {
    const fanOut = (steps: number) =>
      `{ ...f0 } ${repeat(steps, (i) => `fragment f${i} on Q { ...f${i + 1} ...f${i + 1} }`)} fragment f${steps} on Q { a }`;
    expect(screen(fanOut(9))).toBeUndefined();
    expect(screen(fanOut(10))).toMatch('fields');
    expect(screen(fanOut(80))).toMatch('fields');
  });

  it('operations', () => {
    const operations = (count: number) => repeat(count, (i) => `query q${i} { a }`);
    expect(screen(operations(10), {}, 'q9')).toBeUndefined();
    expect(screen(operations(11), {}, 'q9')).toMatch('operations');
  });

  it('nested variables', () => {
    const nested = (count: number): unknown => (count === 0 ? 1 : [nested(count - 1)]);
    expect(screen('{ a }', { x: nested(11) })).toBeUndefined();
    expect(screen('{ a }', { x: nested(12) })).toMatch('input depth');
    expect(screen('{ a }', JSON.parse(`{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`))).toMatch('depth');
  });
});

describe('rejects a document', () => {
  it.each([
    [
      'with a circular fragment',
      '{ ...a } fragment a on Q { x { ...b } } fragment b on Q { ...a }',
      /"a" contains itself/,
    ],
    ['with a syntax error', '{ a', /^Syntax Error/],
  ])('%s', (_name, query, message) => {
    expect(screen(query)).toMatch(message);
  });

  it('reports tokens only if there are too many', () => {
    expect(screen('{ tokens(')).toMatch(/^Syntax Error/);
  });
});

describe('the operation to run', () => {
  const TWO = 'query one { a } mutation two { b }';

  it.each([
    ['{ a }', undefined],
    ['{ a }', null],
    ['query one { a }', undefined],
    ['query one { a }', 'one'],
    [TWO, 'two'],
  ])('of %j is found by operationName %j', (query, name) => {
    expect(screen(query, {}, name)).toBeUndefined();
  });

  it.each([
    ['{ a }', 'one', 'no operation with the operationName "one"'],
    ['query one { a }', '', 'no operation with the operationName ""'],
    [TWO, 'three', 'no operation with the operationName "three"'],
    [TWO, 1, 'no operation with the operationName 1'],
    [TWO, undefined, 'contains 2 operations. Set operationName'],
    [TWO, null, 'contains 2 operations. Set operationName'],
    ['fragment f on Query { a }', undefined, 'contains no operation'],
  ])('of %j is named by the error for operationName %j', (query, name, message) => {
    expect(screen(query, {}, name)).toContain(message);
  });
});

describe('introspection', () => {
  it('is allowed for common tools', () => {
    expect(screen(getIntrospectionQuery())).toBeUndefined();
  });

  it('is limited in depth', () => {
    const nest = `{ __schema { types { ${'fields { type { '.repeat(10)} name ${'} } '.repeat(10)} } } }`;
    expect(screen(nest)).toMatch('introspection depth');
  });
});

describe('a body that is not a document', () => {
  it.each([undefined, 7, null])('%s is passed on', (query) => {
    expect(screen(query)).toBeUndefined();
  });
});
