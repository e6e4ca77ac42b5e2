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

describe('price of a document', () => {
  it.each([
    ['an object is 1, its scalars nothing', '{ tenant { id name } }', 1],
    ['objects inside it count', '{ tenant { tier { key parent { key } } } }', 3],
    [
      'a page: itself, and each entry with what is in it',
      '{ tenants(first: 10) { nodes { tier { key } } } }',
      1 + 10 * 2,
    ],
    ['an edge and its node', '{ tenants(first: 10) { edges { node { name } } } }', 1 + 10 * 2],
    ['a page of nobody said how many is the usual page', '{ tenants { nodes { name } } }', 1 + 50],
    ['no page is larger than the largest', '{ tenants(first: 100000) { nodes { name } } }', 1 + 100],
    ['a page of less than nothing', '{ tenants(first: -5) { nodes { name } } }', 1],
    ['pageInfo', '{ tenants(first: 1) { pageInfo { hasNextPage } totalCount } }', 2],
    ['a list without pages is taken for ten', '{ tier { limits { name } } }', 1 + 10],
    ['a list of scalars', '{ tier { limits { tags } } }', 1 + 10],
    [
      'lists in pages multiply',
      '{ tenants(first: 5) { nodes { tier { limits { name } } } } }',
      1 + 5 * (1 + 1 + 10),
    ],
    ['each alias', '{ a: tenant { id } b: tenant { id } }', 2],
    ['what is written twice, once', '{ tenant { id } tenant { tier { id } tier { key } } }', 2],
    ['fragments', '{ tenant { ...f } } fragment f on Tenant { tier { id } }', 2],
    [
      'all that an abstract type may be',
      '{ node { ... on Tenant { tier { id } } ... on Tier { parent { id } } } }',
      3,
    ],
    ['a mutation', 'mutation { tenantCreate { tenant { id } } }', 10 + 1],
    [
      'each of several mutations',
      'mutation { a: tenantCreate { tenant { id } } b: tenantCreate { tenant { id } } }',
      22,
    ],
    ['nothing that is skipped', '{ tenant @skip(if: true) { id } tier @include(if: false) { id } }', 0],
    ['__typename', '{ __typename tenant { __typename } }', 1],
  ])('%s', (_name, query, cost) => {
    expect(costOf(query).requested()).toBe(cost);
  });

  it('goes by variables, by their defaults, and by neither', () => {
    const query =
      'query($n: Int = 3, $x: Boolean = true) { tenants(first: $n) { nodes { tier @include(if: $x) { id } } } }';
    expect(costOf(query).requested()).toBe(1 + 3 * 2);
    expect(costOf(query, { n: 7, x: false }).requested()).toBe(1 + 7);
    expect(costOf(query, { n: null }).requested()).toBe(1 + 50 * 2);
  });
});

describe('cost of an answer', () => {
  it('counts returned objects', () => {
    const cost = costOf('{ tenants(first: 10) { nodes { tier { limits { name tags } } } } }');
    const limits = [
      { name: 'a', tags: [] },
      { name: 'b', tags: ['x'] },
    ];
    expect(cost.actual({ tenants: { nodes: [{ tier: { limits } }, { tier: null }] } })).toBe(1 + 2 + 1 + 2);
  });

  it('is the price of its root fields at least', () => {
    expect(costOf('{ tenant { tier { id } } }').actual({ tenant: null })).toBe(1);
    expect(costOf('{ tenant { tier { id } } }').actual(null)).toBe(1);
    expect(
      costOf('mutation { a: tenantCreate { tenant { id } } b: tenantCreate { tenant { id } } }').actual(
        undefined,
      ),
    ).toBe(20);
  });

  it('never exceeds the price when pages and lists keep their declared lengths', () => {
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
