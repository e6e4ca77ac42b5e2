import { ApolloServer } from '@apollo/server';
import { assertNoTextPasses } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tollgateApollo } from '../src/adapters/graphql.js';
import { type RouteHandlerOptions, withTollgate } from '../src/adapters/next.js';
import { type LimitRequest, Tollgate } from '../src/index.js';
import { TollgateStore } from '../src/stores/express-rate-limit.js';
import { fetchUntilTakenIn, useShopFront } from './shop-front.js';

/** Asks with one text in the place of one value. Returns whether the caller's request passes. */
type Ask = (text: string) => Promise<boolean>;

const front = useShopFront();
const CALL = { tenant: 'acme', api: 'whole', operation: 'create' };

/** With the defaults: `onFault` and `onUnavailable` allow. */
let client: Tollgate;
let apollo: ApolloServer<object>;

beforeAll(async () => {
  const quiet = { onEvent: () => undefined, fetch: fetchUntilTakenIn, timeoutMs: 60_000 };
  client = new Tollgate({ url: front.api.url, token: front.token, ...quiet });
  apollo = new ApolloServer<object>({
    typeDefs: 'type Query { one(text: String): Int }',
    resolvers: { Query: { one: () => 1 } },
    plugins: [tollgateApollo<object>({ client, tenant: 'acme', api: 'whole' })],
  });
  await apollo.start();
  // Nothing remains.
  expect(await limit(CALL)).toBe(true);
});
afterAll(() => apollo?.stop());

async function limit(request: object): Promise<boolean> {
  return (await client.limit(request as LimitRequest)).success;
}

async function limitMany(request: object): Promise<boolean> {
  const [first] = await client.limitMany([request, { ...CALL, subject: { user: 'u1' } }] as LimitRequest[]);
  return first?.success === true;
}

async function reserve(request: object): Promise<boolean> {
  return (await client.reserve(request as LimitRequest)).success;
}

/** An adapter whose option functions read the text from the request. */
async function adapted(options: Partial<RouteHandlerOptions>, text: string): Promise<boolean> {
  const all = { client, ...CALL, ...options } as RouteHandlerOptions;
  const handler = withTollgate(() => new Response('served'), all);
  const body = JSON.stringify({ text });
  return (await handler(new Request('http://localhost/', { method: 'POST', body }))).status === 200;
}
const sent = async (request: Request) => ((await request.clone().json()) as { text: string }).text;

/** The name of a GraphQL operation: letters, digits and `_`. */
async function graphql(text: string): Promise<boolean> {
  const name = text.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, 500);
  const query = `query _${name} { one(text: ${JSON.stringify(text.toWellFormed())}) }`;
  const { body } = await apollo.executeOperation({ query }, { contextValue: {} });
  if (body.kind !== 'single') throw new Error('not one answer');
  const [error] = body.singleResult.errors ?? [];
  // Denied by the limit, not by GraphQL.
  if (error !== undefined) expect(error.extensions?.code).toBe('RATE_LIMITED');
  return error === undefined;
}

const CASES: Record<string, Ask> = {};
for (const [verb, ask] of Object.entries({ limit, limitMany, reserve })) {
  for (const field of ['operation', 'requestId', 'cost']) {
    CASES[`${verb}: ${field}`] = (text) => ask({ ...CALL, [field]: text });
  }
  CASES[`${verb}: a cost of a number`] = (text) => ask({ ...CALL, cost: Number(text) });
  CASES[`${verb}: a value of a dimension`] = (text) => ask({ ...CALL, subject: { user: text } });
  CASES[`${verb}: a name of a dimension`] = (text) => ask({ ...CALL, subject: { [text]: 'u1' } });
  CASES[`${verb}: an address`] = (text) => ask({ ...CALL, subject: { ip: text } });
  CASES[`${verb}: twenty dimensions`] = (text) =>
    ask({ ...CALL, subject: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`d${i}`, text])) });
}
CASES['adapter: a tenant of the request'] = (text) => adapted({ tenant: sent }, text);
CASES['adapter: a key of the request'] = (text) => adapted({ tenant: undefined as never, key: sent }, text);
CASES['adapter: a cost of the request'] = (text) =>
  adapted({ cost: async (request) => Number(await sent(request)) }, text);
CASES['adapter: a user of the request'] = (text) =>
  adapted({ subject: async (request) => ({ user: await sent(request) }) }, text);
CASES['adapter: a large body'] = (text) =>
  adapted({ subject: async (request) => ({ user: (await sent(request)).padEnd(200_000, 'x') }) }, text);
CASES['GraphQL: an operation name'] = graphql;

describe('a text of a client never makes a request pass uncounted, with the default options', () => {
  it.each(Object.entries(CASES))('%s', async (_, ask) => {
    await assertNoTextPasses(ask);
  });
});

describe('an address with a port counts as the address', () => {
  const addresses = ['198.51.100.1:4711', '198.51.100.1:4712', '[2001:db8::1]:443', '2001:db8::1'];
  const browse = () => ({ client, tenant: 'handler', api: 'shop', operation: 'browse' });

  it('in an adapter', async () => {
    const handler = withTollgate(() => new Response('served'), { ...browse(), trustedHops: 1 });
    const left: (string | undefined)[] = [];
    for (const address of addresses) {
      const request = new Request('http://localhost/', { headers: { 'X-Forwarded-For': address } });
      left.push((await handler(request)).headers.get('ratelimit')?.split(';')[1]);
    }
    expect(left).toEqual(['r=2', 'r=1', 'r=2', 'r=1']);
  });

  it('in a drop-in store', async () => {
    const store = new TollgateStore({ ...browse(), tenant: 'express', dimension: 'ip', limit: 3 });
    store.init({ limit: 3, windowMs: 60_000 });
    const hits: number[] = [];
    for (const address of addresses) hits.push((await store.increment(address)).totalHits);
    store.shutdown();
    expect(hits).toEqual([1, 2, 1, 2]);
  });
});

it('an invalid request of limitMany does not affect the others', async () => {
  const user = { tenant: 'acme', api: 'shop', operation: 'checkout', subject: { user: front.someone() } };
  const decisions = await client.limitMany([user, { ...user, cost: Number.NaN }, user]);
  expect(decisions.map((one) => one.success)).toEqual([true, false, true]);
});

it('a request that is denied for its values is a 400', async () => {
  const handler = withTollgate(() => new Response('served'), { client, ...CALL, cost: () => Number.NaN });
  const response = await handler(new Request('http://localhost/'));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: 'urn:tollgate:denial:uncountable', status: 400 });
});
