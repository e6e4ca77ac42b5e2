import fc from 'fast-check';
import { buildSchema, parse } from 'graphql/index.js';
import { describe, expect, it } from 'vitest';
import { DocumentCost } from './document-cost.js';

const schema = buildSchema(`
  interface Node { id: ID! }
  type PageInfo { hasNextPage: Boolean! }
  type Limit { name: String! tags: [String!]! }
  type Tier implements Node { id: ID! key: String! limits: [Limit!]! parent: Tier }
  type Tenant implements Node { id: ID! name: String tier: Tier }
  type TenantEdge { cursor: String! node: Tenant! }
  type TenantConnection { edges: [TenantEdge!]! nodes: [Tenant!]! pageInfo: PageInfo! totalCount: Int! }
  type Payload { tenant: Tenant }
  type Query { tenants(first: Int = 50, after: String): TenantConnection! tenant(key: String): Tenant node(id: ID): Node tier: Tier }
  type Mutation { tenantCreate(key: String): Payload }
`);

function costOf(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  const operation = document.definitions.find((node) => node.kind === 'OperationDefinition');
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
  return new DocumentCost({ schema, document, operation, variables });
}

describe('the requested cost', () => {
  it.each([
    ['counts an object as 1 and its scalars as 0', '{ tenant { id name } }', 1],
    ['counts nested objects', '{ tenant { tier { key parent { key } } } }', 3],
    [
      'counts a page and each of its entries',
      '{ tenants(first: 10) { nodes { tier { key } } } }',
      1 + 10 * 2,
    ],
    ['counts an edge and its node', '{ tenants(first: 10) { edges { node { name } } } }', 1 + 10 * 2],
    ['uses the default page size without `first`', '{ tenants { nodes { name } } }', 1 + 50],
    ['limits the page size to the maximum', '{ tenants(first: 100000) { nodes { name } } }', 1 + 100],
    ['counts a negative page size as 0', '{ tenants(first: -5) { nodes { name } } }', 1],
    ['pageInfo', '{ tenants(first: 1) { pageInfo { hasNextPage } totalCount } }', 2],
    ['assumes ten entries in a list without pages', '{ tier { limits { name } } }', 1 + 10],
    ['counts lists of scalars', '{ tier { limits { tags } } }', 1 + 10],
    [
      'multiplies nested lists',
      '{ tenants(first: 5) { nodes { tier { limits { name } } } } }',
      1 + 5 * (1 + 1 + 10),
    ],
    ['counts each alias', '{ a: tenant { id } b: tenant { id } }', 2],
    ['counts repeated fields once', '{ tenant { id } tenant { tier { id } tier { key } } }', 2],
    ['fragments', '{ tenant { ...f } } fragment f on Tenant { tier { id } }', 2],
    [
      'counts the fields of all possible types',
      '{ node { ... on Tenant { tier { id } } ... on Tier { parent { id } } } }',
      3,
    ],
    ['counts a mutation', 'mutation { tenantCreate { tenant { id } } }', 10 + 1],
    [
      'counts each of several mutations',
      'mutation { a: tenantCreate { tenant { id } } b: tenantCreate { tenant { id } } }',
      22,
    ],
    ['ignores skipped fields', '{ tenant @skip(if: true) { id } tier @include(if: false) { id } }', 0],
    ['__typename', '{ __typename tenant { __typename } }', 1],
  ])('%s', (_name, query, cost) => {
    expect(costOf(query).requested()).toBe(cost);
  });

  it('uses variables, their defaults, or neither', () => {
    const query =
      'query($n: Int = 3, $x: Boolean = true) { tenants(first: $n) { nodes { tier @include(if: $x) { id } } } }';
    expect(costOf(query).requested()).toBe(1 + 3 * 2);
    expect(costOf(query, { n: 7, x: false }).requested()).toBe(1 + 7);
    expect(costOf(query, { n: null }).requested()).toBe(1 + 50 * 2);
  });
});

describe('the actual cost', () => {
  it('counts the returned values', () => {
    const cost = costOf('{ tenants(first: 10) { nodes { tier { limits { name tags } } } } }');
    const limits = [
      { name: 'a', tags: [] },
      { name: 'b', tags: ['x'] },
    ];
    expect(cost.actual({ tenants: { nodes: [{ tier: { limits } }, { tier: null }] } })).toBe(1 + 2 + 1 + 2);
  });

  it('is at least the cost of the root fields', () => {
    expect(costOf('{ tenant { tier { id } } }').actual({ tenant: null })).toBe(1);
    expect(costOf('{ tenant { tier { id } } }').actual(null)).toBe(1);
    expect(
      costOf('mutation { a: tenantCreate { tenant { id } } b: tenantCreate { tenant { id } } }').actual(
        undefined,
      ),
    ).toBe(20);
  });

  it('is at most the requested cost for pages and lists of the assumed length', () => {
    const answer = fc.record({
      tenants: fc.record({
        nodes: fc.array(
          fc.record({
            tier: fc.option(
              fc.record({ limits: fc.array(fc.record({ name: fc.string() }), { maxLength: 10 }) }),
            ),
          }),
          { maxLength: 20 },
        ),
      }),
    });
    const cost = costOf('{ tenants(first: 20) { nodes { tier { limits { name } } } } }');
    fc.assert(fc.property(answer, (data) => cost.actual(data) <= cost.requested()));
  });
});
