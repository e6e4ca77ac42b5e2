import { getIntrospectionQuery } from 'graphql';

/** A request that is cheap to send and expensive to answer. */
export interface ExpensiveDocument {
  name: string;
  body: string;
  /** Error of the limit that rejects it. */
  refusedBy: RegExp;
}

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const ask = (query: string, variables?: unknown) => JSON.stringify({ query, variables });

const fanOut = many(40, (i) => `fragment f${i} on Tenant { ...f${i + 1} ...f${i + 1} }`);

/** Twelve expensive requests of attackers. */
export const EXPENSIVE_DOCUMENTS: ExpensiveDocument[] = [
  {
    name: '10,000 aliases',
    body: ask(`{ ${many(10_000, (i) => `a${i}: viewer { id }`)} }`),
    refusedBy: /too large/,
  },
  {
    name: '5,000 times the same field',
    body: ask(`{ ${'viewer{id}'.repeat(5000)} }`),
    refusedBy: /characters/,
  },
  { name: 'depth 2,000', body: ask(`${'{ a '.repeat(2000)}${'} '.repeat(2000)}`), refusedBy: /tokens/ },
  {
    name: 'fragments that double 40 times',
    body: ask(`{ tenants { nodes { ...f0 } } } ${fanOut} fragment f40 on Tenant { key }`),
    refusedBy: /fields/,
  },
  {
    name: 'fragments in a circle',
    body: ask('{ tenants { nodes { ...a } } } fragment a on Tenant { ...b } fragment b on Tenant { ...a }'),
    refusedBy: /contains itself/,
  },
  {
    name: 'variables of 9 MB',
    body: ask('query($s: String) { tenants(search: $s) { totalCount } }', { s: 'x'.repeat(9 << 20) }),
    refusedBy: /too large/,
  },
  {
    name: '900 directives',
    body: ask(`{ viewer ${'@a '.repeat(450)} { id } }`),
    refusedBy: /directives/,
  },
  {
    name: 'lists 400 deep in an input',
    body: ask(`{ tenants(search: ${'['.repeat(400)}${']'.repeat(400)}) { totalCount } }`),
    refusedBy: /input depth/,
  },
  {
    name: 'a batch of 500',
    body: JSON.stringify(Array.from({ length: 500 }, () => ({ query: '{ viewer { id } }' }))),
    refusedBy: /batch/i,
  },
  {
    name: 'introspection of introspection',
    body: ask(
      `${getIntrospectionQuery()} query Nest { __schema { types { ${'fields { type { '.repeat(20)} name ${'} } '.repeat(20)} } } }`,
    ),
    refusedBy: /introspection depth/,
  },
  {
    name: 'a string of 50 kB',
    body: ask(`{ tenants(search: "${'x'.repeat(50_000)}") { totalCount } }`),
    refusedBy: /characters/,
  },
  {
    name: '120 operations',
    body: ask(many(120, (i) => `query q${i} { viewer { id } }`)),
    refusedBy: /operations/,
  },
];
