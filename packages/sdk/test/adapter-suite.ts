import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GuardOptions } from '../src/guard/guard.js';
import type { Limiter } from '../src/index.js';
import { FAULTS, type Failure, OUTAGES, type ShopFront } from './shop-front.js';

export interface RunningApp {
  url: string;
  close(): Promise<unknown> | unknown;
}

/** A route of the app under test: its handler answers with `status`, and the options that limit it. */
export interface RouteUnderTest<R> {
  path: string;
  status: number;
  options: GuardOptions<R>;
  /** Whether its client is another one than that of the other routes. */
  hasOwnClient: boolean;
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
    '/fails': { ...common, operation: 'checkout', subject: user, refundOn: (status) => status >= 500 },
    '/keyed': { client, api: 'shop', operation: 'checkout', key: (request) => header(request, 'x-api-key') },
    '/paced': { ...common, operation: 'export', subject: user },
    ...failing,
  };
  return Object.entries(options).map(([path, one]) => ({
    path,
    status: path === '/fails' ? 500 : 200,
    options: one,
    hasOwnClient: one.client !== client,
  }));
}

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

  it('refunds the charge of a failed request', async () => {
    const user = randomUUID();
    expect((await get('/fails', { 'x-user': user })).status).toBe(500);
    const peek = () => front.client().peek({ tenant, api: 'shop', operation: 'checkout', subject: { user } });
    await expect.poll(async () => (await peek()).remaining).toBe(5);
  });

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
