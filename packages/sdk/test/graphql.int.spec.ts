import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tollgateApollo } from '../src/adapters/graphql.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();

interface Context {
  user: string;
}

let server: ApolloServer<Context>;

beforeAll(async () => {
  server = new ApolloServer<Context>({
    typeDefs: 'type Query { one: Int, many(first: Int): [Item!]! } type Item { id: Int }',
    resolvers: { Query: { one: () => 1, many: () => [{ id: 1 }] } },
    plugins: [
      tollgateApollo<Context>({
        client: front.client(),
        tenant: 'acme',
        api: 'shop',
        operation: () => 'checkout',
        subject: ({ user }) => ({ user }),
      }),
    ],
  });
  await server.start();
});
afterAll(() => server?.stop());

async function run(user: string, query: string) {
  const { body, http } = await server.executeOperation({ query }, { contextValue: { user } });
  if (body.kind !== 'single') throw new Error('not one answer');
  return { ...body.singleResult, headers: http.headers, status: http.status };
}

it('charges an operation its cost before it runs; a denial is an error with the problem', async () => {
  const user = front.someone();
  const first = await run(user, '{ one __typename }');
  expect(first.data).toMatchObject({ one: 1 });
  expect(first.headers.get('ratelimit')).toMatch(/^"checkout-hour";r=4;/);
  expect((await run(user, '{ many(first: 3) { id } }')).data).toBeDefined();
  const refused = await run(user, '{ one }');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(refused.errors?.[0]?.extensions).toMatchObject({
    code: 'RATE_LIMITED',
    problem: { status: 429, 'violated-policies': ['checkout-hour'] },
  });
});

it('an operation that costs more than the limit can never be allowed and charges nothing', async () => {
  const user = front.someone();
  const refused = await run(user, '{ many(first: 100) { id } }');
  expect(refused.errors?.[0]?.extensions?.problem).toMatchObject({ retryAfter: null });
  expect((await run(user, '{ one }')).headers.get('ratelimit')).toMatch(/r=4/);
});

describe('the end of an operation releases its permit', () => {
  let limited: ApolloServer<Context>;
  afterEach(() => limited?.stop());

  const start = async (plugin: ApolloServerPlugin<Context>) => {
    limited = new ApolloServer<Context>({
      typeDefs: 'type Query { one: Int, fails: Int }',
      resolvers: {
        Query: {
          one: () => 1,
          fails: () => {
            throw new Error('the resolver failed');
          },
        },
      },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      plugins: [
        tollgateApollo<Context>({
          client: front.client(),
          tenant: 'acme',
          api: 'shop',
          operation: () => 'hold',
          subject: ({ user }) => ({ user }),
        }),
        plugin,
      ],
    });
    await limited.start();
  };
  const permitsLeft = async (user: string) =>
    (await front.client().peek({ tenant: 'acme', api: 'shop', operation: 'hold', subject: { user } }))
      .remaining;
  const broken = () => Promise.reject(new Error('a plugin failed'));

  const ENDS: [string, string, ApolloServerPlugin<Context>][] = [
    ['succeeds', '{ one }', {}],
    ['has an error', '{ fails }', {}],
    [
      'is rejected by another plugin',
      '{ one }',
      { requestDidStart: async () => ({ didResolveOperation: broken }) },
    ],
    ['fails unexpectedly', '{ one }', { requestDidStart: async () => ({ responseForOperation: broken }) }],
  ];
  it.each(ENDS)('that %s', async (_, query, plugin) => {
    await start(plugin);
    const user = front.someone();
    for (let i = 0; i < 4; i++) {
      await limited.executeOperation({ query }, { contextValue: { user } }).catch(() => undefined);
      await expect.poll(() => permitsLeft(user)).toBe(2);
    }
  });
});
