import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PointsMeter } from '../src/platform/graphql/cost/points-meter.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

interface Cost {
  requestedQueryCost: number;
  actualQueryCost: number;
  throttleStatus: { maximumAvailable: number; currentlyAvailable: number; restoreRate: number };
  degraded?: true;
}

/** 50 points per second, burst 1,000: slow enough to observe the spending. */
const RATE = 50;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ GRAPHQL_POINTS_PER_SECOND: String(RATE), TRUSTED_PROXY_HOPS: '1' });
  await createPolicy(app);
});
afterAll(() => app.stop());

async function ask(query: string, headers: Record<string, string>) {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  const body = (await response.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape.
    data?: any;
    errors?: { message: string; extensions: Record<string, unknown> }[];
    extensions?: { cost: Cost };
  };
  return { response, ...body, cost: body.extensions?.cost };
}

/** Repeats an expensive query with a small result until the budget is spent. */
const DEAR = '{ tenants(first: 50) { nodes { subscription { tier { published { limits { name } } } } } } }';
const CHEAP = '{ viewer { id } }';

describe('the reported query cost', () => {
  it('includes the requested and the actual cost', async () => {
    const { cost, errors } = await ask(DEAR, await app.bearer(['admin']));
    expect(errors).toBeUndefined();
    // Requested: entry, subscription, tier, version, ten limits. Returned: one tenant with one limit.
    expect(cost).toMatchObject({ requestedQueryCost: 1 + 50 * 14, actualQueryCost: 1 + 5 });
  });

  it('includes the entries that a count reads', async () => {
    const { cost } = await ask('{ tenants(first: 1) { totalCount } }', await app.bearer(['admin']));
    expect(cost).toMatchObject({ requestedQueryCost: 1 + 20, actualQueryCost: 1 + 20 });
  });

  it('refunds the unused part', async () => {
    const headers = await app.bearer(['admin']);
    const first = await ask('{ tenants(first: 50) { nodes { id } } }', headers);
    expect(first.cost).toMatchObject({ requestedQueryCost: 51, actualQueryCost: 2 });
    const second = await ask(CHEAP, headers);
    expect(second.cost?.throttleStatus.maximumAvailable).toBe(20 * RATE);
    expect(second.cost?.throttleStatus.restoreRate).toBe(RATE);
    expect(second.cost?.throttleStatus.currentlyAvailable).toBeGreaterThanOrEqual(20 * RATE - 3);
  });

  it('covers each mutation of a request', async () => {
    const suspend = (alias: string) =>
      `${alias}: tenantSuspend(input: { tenantKey: "none", expectedVersion: 1 }) { tenant { id } userErrors { code } }`;
    const { cost } = await ask(`mutation { ${suspend('a')} ${suspend('b')} }`, await app.bearer(['admin']));
    expect(cost?.actualQueryCost).toBe(2 * (10 + 1));
  });
});

describe('a document above the maximum cost', () => {
  it('is rejected before execution, with cost and maximum', async () => {
    const query = '{ tenants(first: 100) { edges { node { id effectiveLimits { limit { id } } } } } }';
    const { response, data, errors } = await ask(query, await app.bearer(['admin']));
    expect(response.status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'MAX_COST_EXCEEDED', cost: 2201, maximum: 1000 });
  });
});

describe('a caller without points', () => {
  it('is rate limited with code, status and header before execution, without effect on others', async () => {
    const headers = await app.bearer(['admin']);
    const create = Array.from(
      { length: 15 },
      (_, i) =>
        `m${i}: tenantSuspend(input: { tenantKey: "none", expectedVersion: 1 }) { userErrors { code } }`,
    );
    // At the same time, so that a slow machine does not restore the points in between.
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ask(`mutation { ${create.join(' ')} }`, headers)),
    );
    const throttled = answers.find(({ response }) => response.status === 429);
    expect(throttled?.data).toBeUndefined();
    expect(throttled?.errors?.[0]?.extensions.code).toBe('THROTTLED');
    const retryAfter = Number(throttled?.response.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(throttled?.errors?.[0]?.extensions.retryAfter).toBe(retryAfter);
    expect(throttled?.cost).toMatchObject({ actualQueryCost: 0 });
    expect((await ask(CHEAP, await app.bearer(['admin']))).response.status).toBe(200);
    const before = throttled?.cost?.throttleStatus.currentlyAvailable ?? Number.NaN;
    expect(before).toBeLessThan(15 * 11);
  });

  it('without a session is counted by address, with a lower limit', async () => {
    const { cost, errors } = await ask(CHEAP, {});
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(cost?.throttleStatus).toMatchObject({
      maximumAvailable: 20 * (RATE / 10),
      restoreRate: RATE / 10,
    });
  });

  it('is identified by its token, not by its name', async () => {
    const one = await app.bearer(['admin']);
    const other = await app.bearer(['admin']);
    await ask(
      'mutation { tenantSuspend(input: { tenantKey: "none", expectedVersion: 1 }) { userErrors { code } } }',
      one,
    );
    expect((await ask(CHEAP, other)).cost?.throttleStatus.currentlyAvailable).toBe(20 * RATE - 1);
  });
});

describe('the price of a document', () => {
  const post = (path: string, query: string, headers: Record<string, string> = {}, extensions = {}) =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7', ...headers },
      body: JSON.stringify({ query, extensions }),
    });
  const DEEP = '{ tenants(first: 100) { edges { node { id effectiveLimits { limit { id } } } } } }';

  /** Payments and refunds of documents during `work`. */
  async function observed(work: () => Promise<unknown>) {
    const meter = app.app.get(PointsMeter, { strict: false });
    const [take, adjust] = [vi.spyOn(meter, 'take'), vi.spyOn(meter, 'adjust')];
    await work();
    const paid = take.mock.calls.filter(([{ kind }]) => kind === 'document');
    const refunded = adjust.mock.calls.filter(([{ check }, actual]) =>
      check.key.includes('points-document') ? actual === 0 : false,
    );
    for (const spy of [take, adjust]) spy.mockRestore();
    return { paid, refunded: refunded.length };
  }

  const PAID = [[{ kind: 'document', keyValue: '~198.51.100.7' }, 2]];

  it.each([
    ['invalid', '/graphql', '{ nothing }'],
    ['damaged', '/graphql', '{ '],
    ['too expensive', '/graphql', DEEP],
    ['free', '/graphql', '{ __typename }'],
    ['an invalid subscription', '/graphql/stream', 'subscription { nothing }'],
  ])('is paid by the address of a document that is %s', async (_, path, query) => {
    const headers = await app.bearer(['admin']);
    const read = async () => (await post(path, query, headers)).text();
    expect(await observed(read)).toEqual({ paid: PAID, refunded: 0 });
  });

  it('is refunded after the caller has paid for the operation', async () => {
    const read = async () => (await post('/graphql', CHEAP)).text();
    expect(await observed(read)).toEqual({ paid: PAID, refunded: 1 });
  });

  const UNKNOWN = 'subscription { propagationChanged(changeId: "chg_none") { state } }';

  it.each([
    ['kept if one of them is invalid', 'subscription { nothing }', 0],
    ['refunded after all were paid for', UNKNOWN, 1],
  ])('is charged for each subscription of a stream, and %s', async (_, additional, refunded) => {
    const headers = await app.bearer(['admin']);
    const extensions = { additionalSubscriptions: [{ query: additional }] };
    // Both end, and so does the stream.
    const read = async () => (await post('/graphql/stream', UNKNOWN, headers, extensions)).text();
    const payer = { kind: 'document', keyValue: '~198.51.100.7' };
    expect(await observed(read)).toEqual({ paid: [[payer, 4]], refunded });
  });

  it('is charged before the document is read: without points it is rate limited', async () => {
    const meter = app.app.get(PointsMeter, { strict: false });
    const take = meter.take.bind(meter);
    const denied = vi.spyOn(meter, 'take').mockImplementation(async (payer, points) => {
      const payment = await take(payer, points);
      return payer.kind === 'document' ? { ...payment, allowed: false, retryAfterSeconds: 7 } : payment;
    });
    for (const path of ['/graphql', '/graphql/stream']) {
      const response = await post(path, '{ nothing }');
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: 'THROTTLED', retryAfter: 7, requestId: expect.any(String) } }],
      });
    }
    denied.mockRestore();
  });
});

describe('without the counter Redis', () => {
  it('counts per process, and reports that in the response', async () => {
    const away = await startTestApp({
      REDIS_COUNTERS_URL: 'redis://127.0.0.1:1',
      GRAPHQL_POINTS_PER_SECOND: '50',
    });
    try {
      const ask = async () => {
        const response = await fetch(`${away.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ query: '{ tenants(first: 90) { nodes { members { id } } } }' }),
        });
        const { extensions } = (await response.json()) as { extensions: { cost: Cost } };
        return { status: response.status, cost: extensions.cost };
      };
      const headers = await away.bearer(['admin']);
      const first = await ask();
      expect(first.status).toBe(200);
      expect(first.cost).toMatchObject({ degraded: true, actualQueryCost: 1 });
      expect((await ask()).status).toBe(200);
    } finally {
      await away.stop();
    }
  });
});
