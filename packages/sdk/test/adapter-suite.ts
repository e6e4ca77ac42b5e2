import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GuardOptions } from '../src/guard/guard.js';
import type { Limiter } from '../src/index.js';
import { FAULTS, type Failure, OUTAGES, type ShopFront } from './shop-front.js';

export interface RunningApp {
  url: string;
  close(): Promise<unknown> | unknown;
}

export type HandlerKind = 'serves' | 'fails' | 'throws' | 'waits' | 'streams';

/** A route of the app under test: what its handler does, and the options that limit it. */
export interface RouteUnderTest<R> {
  path: string;
  handler: HandlerKind;
  options: GuardOptions<R>;
  /** Whether its client is another one than that of the other routes. */
  hasOwnClient: boolean;
}

export interface HandlerAnswer {
  status: number;
  body: string | ReadableStream<Uint8Array>;
}

/** The handler of a route. `waits`: never answers. `streams`: its body never ends. */
export async function answerOf(handler: HandlerKind): Promise<HandlerAnswer> {
  if (handler === 'throws') throw new Error('the handler failed');
  if (handler === 'waits') await new Promise(() => undefined);
  if (handler === 'streams') return { status: 200, body: unfinishedBody() };
  return { status: handler === 'fails' ? 500 : 200, body: 'served' };
}

function unfinishedBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('served')),
  });
}

/** `onFault` and `onUnavailable` of a route, and the status that its callers receive. */
const FAILURES: { failure: Failure; choice: 'allow' | 'deny' | 'throw'; status: number }[] = [
  ...[...FAULTS, ...OUTAGES].flatMap((failure) => [
    { failure, choice: 'allow' as const, status: 200 },
    { failure, choice: 'deny' as const, status: 503 },
  ]),
  ...FAULTS.map((failure) => ({ failure, choice: 'throw' as const, status: 500 })),
];
const pathOf = ({ failure, choice }: (typeof FAILURES)[number]) => `/${failure.replace(' ', '-')}-${choice}`;

/** Routes of every adapter's tests. @param header returns a header of the framework's request */
function routesFor<R>(
  front: ShopFront,
  tenant: string,
  header: (request: R, name: string) => string | undefined,
): RouteUnderTest<R>[] {
  const client: Limiter = front.client();
  const common = { client, tenant, api: 'shop' };
  const user = (request: R) => ({ user: header(request, 'x-user') ?? 'nobody' });
  const failing = Object.fromEntries(
    FAILURES.map((one) => {
      const { failure, choice } = one;
      const onUnavailable = choice === 'deny' ? 'deny' : 'allow';
      const options = front.failing(failure, { onFault: choice, onUnavailable });
      return [pathOf(one), { ...options, api: 'shop', operation: 'checkout', headers: [] }];
    }),
  );
  const unreachable = front.failing('unreachable', { onUnavailable: 'deny' });
  const cost = (request: R) => Number(header(request, 'x-cost') ?? 1);
  const options: Record<string, GuardOptions<R>> = {
    '/browse': { ...common, operation: 'browse', headers: ['draft-11', 'x-ratelimit'] },
    '/checkout': { ...common, operation: 'checkout', subject: user, cost },
    '/free': {
      ...unreachable,
      api: 'shop',
      operation: 'checkout',
      skip: (request) => header(request, 'x-skip') === 'yes',
    },
    '/keyed': { client, api: 'shop', operation: 'checkout', key: (request) => header(request, 'x-api-key') },
    '/paced': { ...common, operation: 'export', subject: user },
    ...failing,
  };
  const call = { ...common, operation: 'call', subject: user };
  return [
    ...Object.entries(options).map(([path, one]) => ({
      path,
      handler: 'serves' as const,
      options: one,
      hasOwnClient: one.client !== client,
    })),
    ...HANDLERS.flatMap((handler) => [
      { path: `/call/${handler}`, handler, options: call, hasOwnClient: false },
      {
        path: `/refund/${handler}`,
        handler,
        options: { ...call, refundOn: (status: number) => status >= 500 },
        hasOwnClient: false,
      },
    ]),
  ];
}

const HANDLERS: HandlerKind[] = ['serves', 'fails', 'throws', 'waits', 'streams'];
/** Status, and units of `call-hour` that a request costs in the end with `refundOn` of 5xx; without, it is 1. */
const ENDS: { handler: HandlerKind; status: number; refunding: number }[] = [
  { handler: 'serves', status: 200, refunding: 1 },
  { handler: 'fails', status: 500, refunding: 0 },
  { handler: 'throws', status: 500, refunding: 0 },
];

/** Tests of every adapter. @param sent headers of each request, for frameworks without a client address */
export function describeAdapter<R>(
  front: ShopFront,
  tenant: string,
  header: (request: R, name: string) => string | undefined,
  start: (routes: RouteUnderTest<R>[]) => Promise<RunningApp>,
  sent: Record<string, string> = {},
): void {
  let app: RunningApp;
  beforeAll(async () => {
    app = await start(routesFor(front, tenant, header));
  });
  afterAll(() => app?.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(app.url + path, { headers: { ...sent, ...headers } });

  it('counts by the client’s address, sends rate-limit headers and denies with a problem', async () => {
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await get('/browse'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const [first, , , refused] = answers as [Response, Response, Response, Response];
    expect(await first.text()).toBe('served');
    expect(first.headers.get('ratelimit-policy')).toBe('"browse-hour";q=3;w=3600');
    expect(first.headers.get('ratelimit')).toMatch(/^"browse-hour";r=2;t=\d+$/);
    expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
    expect(first.headers.get('retry-after')).toBeNull();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await refused.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      reason: 'RATE_EXCEEDED',
      'violated-policies': ['browse-hour'],
      docs: 'https://tollgate.example/docs/denied-requests',
      explain: expect.stringMatching(/^https:\/\/tollgate\.example\/explain#1\.RATE_EXCEEDED\.browse-hour\./),
    });
  });

  it('uses subject and cost of the request', async () => {
    const one = { 'x-user': randomUUID(), 'x-cost': '4' };
    expect((await get('/checkout', one)).status).toBe(200);
    expect((await get('/checkout', one)).status).toBe(429);
    expect((await get('/checkout', { ...one, 'x-cost': '1' })).status).toBe(200);
    expect((await get('/checkout', { 'x-user': randomUUID() })).status).toBe(200);
  });

  it('does not check skipped requests', async () => {
    expect((await get('/free', { 'x-skip': 'yes' })).status).toBe(200);
    expect((await get('/free')).status).toBe(503);
  });

  /** Permits and units of a user that are not in use. */
  const left = async (user: string) => {
    const { policies } = await front
      .client()
      .peek({ tenant, api: 'shop', operation: 'call', subject: { user } });
    return Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
  };

  it.each(ENDS)('releases the permit of a request whose handler $handler', async ({ handler, status }) => {
    const user = randomUUID();
    for (let i = 1; i <= 4; i++) {
      expect((await get(`/call/${handler}`, { 'x-user': user })).status).toBe(status);
      await expect.poll(() => left(user)).toEqual({ 'call-slots': 2, 'call-hour': 10 - i });
    }
  });

  it.each(ENDS)(
    'refunds 5xx only: a request whose handler $handler costs $refunding',
    async ({ handler, refunding }) => {
      const user = randomUUID();
      await get(`/refund/${handler}`, { 'x-user': user });
      await expect.poll(() => left(user)).toEqual({ 'call-slots': 2, 'call-hour': 10 - refunding });
    },
  );

  it.each(['call', 'refund'])(
    'of a client that leaves early, releases the permit and keeps the charge (/%s)',
    async (path) => {
      const user = randomUUID();
      const leave = new AbortController();
      const asked = { headers: { ...sent, 'x-user': user }, signal: leave.signal };
      const waiting = fetch(`${app.url}/${path}/waits`, asked).catch(() => undefined);
      const streamed = await fetch(`${app.url}/${path}/streams`, asked);
      expect(new TextDecoder().decode((await streamed.body?.getReader().read())?.value)).toBe('served');
      await expect.poll(() => left(user)).toEqual({ 'call-slots': 0, 'call-hour': 8 });
      leave.abort();
      await waiting;
      await expect.poll(() => left(user)).toEqual({ 'call-slots': 2, 'call-hour': 8 });
    },
  );

  it('answers a missing or wrong API key with 401', async () => {
    for (const headers of [{}, { 'x-api-key': 'tgk_live_invented' }] as Record<string, string>[]) {
      const refused = await get('/keyed', headers);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      expect(await refused.json()).toMatchObject({
        code: headers['x-api-key'] === undefined ? 'key-missing' : 'key-invalid',
      });
    }
  });

  it('delays queued requests', async () => {
    const user = randomUUID();
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 3 }, () => get('/paced', { 'x-user': user })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Twenty a second: the third runs 100 ms after the first, whenever that was.
    expect(performance.now() - startedAt).toBeGreaterThan(90);
  });

  it.each(FAILURES)('answers $status under $choice when Tollgate fails with: $failure', async (one) => {
    const answer = await get(pathOf(one));
    expect(answer.status).toBe(one.status);
    expect(answer.headers.get('ratelimit')).toBeNull();
    const isOutage = (OUTAGES as readonly string[]).includes(one.failure);
    expect(answer.headers.get('retry-after')).toBe(one.status === 503 && isOutage ? '1' : null);
  });
}
