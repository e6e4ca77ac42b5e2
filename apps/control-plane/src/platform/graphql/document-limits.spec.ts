import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_LIMITS, screenDocument } from './document-limits.js';

const screen = (query: unknown, variables?: unknown, introspection = false) =>
  screenDocument({ query, variables }, { introspection });

const levels = (count: number) => `${'{ a '.repeat(count)}${'} '.repeat(count)}`;
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('a document at its limits gets in, one step further it does not', () => {
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
    ['operations', repeat(10, (i) => `query q${i} { a }`), repeat(11, (i) => `query q${i} { a }`)],
    [
      'depth in an input',
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

  it('fields, counted with fragments put in', () => {
    const fanOut = (steps: number) =>
      `{ ...f0 } ${repeat(steps, (i) => `fragment f${i} on Q { ...f${i + 1} ...f${i + 1} }`)} fragment f${steps} on Q { a }`;
    expect(screen(fanOut(9))).toBeUndefined();
    expect(screen(fanOut(10))).toMatch('fields');
    expect(screen(fanOut(80))).toMatch('fields');
  });

  it('variables inside each other', () => {
    const nested = (count: number): unknown => (count === 0 ? 1 : [nested(count - 1)]);
    expect(screen('{ a }', { x: nested(11) })).toBeUndefined();
    expect(screen('{ a }', { x: nested(12) })).toMatch('depth in an input');
    expect(screen('{ a }', JSON.parse(`{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`))).toMatch('depth');
  });
});

describe('a document is refused', () => {
  it.each([
    [
      'that contains itself',
      '{ ...a } fragment a on Q { x { ...b } } fragment b on Q { ...a }',
      /"a" contains itself/,
    ],
    ['that cannot be read', '{ a', /^Syntax Error/],
    ['that asks for the schema', '{ __schema { types { name } } }', /Introspection is off/],
    [
      'that asks for a type in a fragment',
      '{ ...a } fragment a on Query { __type(name: "Q") { name } }',
      /Introspection is off/,
    ],
  ])('%s', (_name, query, message) => {
    expect(screen(query)).toMatch(message);
  });

  it('for tokens only when there are too many, independent of their text', () => {
    expect(screen('{ tokens(')).toMatch(/^Syntax Error/);
  });
});

describe('introspection, where it is on', () => {
  it('is answered to the usual tools', () => {
    expect(screen(getIntrospectionQuery(), undefined, true)).toBeUndefined();
  });

  it('is no way around depth', () => {
    const nest = `{ __schema { types { ${'fields { type { '.repeat(10)} name ${'} } '.repeat(10)} } } }`;
    expect(screen(nest, undefined, true)).toMatch('introspection depth');
  });
});

describe('text that is not a document', () => {
  it.each([undefined, 7, null])('%s is left to the door', (query) => {
    expect(screen(query)).toBeUndefined();
  });
});
