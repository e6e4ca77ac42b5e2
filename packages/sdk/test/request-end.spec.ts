import { TestPlane } from '@tollgate/decision-plane/testing';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { tollgate as hono } from '../src/adapters/hono.js';
import { withTollgate } from '../src/adapters/next.js';
import { EmbeddedTollgate } from '../src/embedded.js';
import type { GuardOptions } from '../src/guard/guard.js';
import { TollgateStore } from '../src/stores/express-rate-limit.js';
import { LIMITS, SHOP } from './policy.js';

const CALLER = { tenant: 'acme', api: 'shop', subject: { user: 'u1', client: 'c1' } };
const MINUTE_MS = 60_000;

function planeAndClient() {
  const plane = new TestPlane({ limits: LIMITS, apis: [SHOP] });
  return { plane, client: new EmbeddedTollgate({ plane, onUnavailable: 'deny', onFault: 'throw' }) };
}

/** Options of an adapter whose limit is 2 calls at once and 10 an hour. */
function options(more: Partial<GuardOptions<never>> = {}) {
  const { client } = planeAndClient();
  const call = { ...CALLER, operation: 'call' };
  const left = async () => {
    const { policies } = await client.peek(call);
    return Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
  };
  return { left, options: { ...call, client, subject: () => CALLER.subject, ...more } };
}

it('states resets by the clock of the counters, whatever the clock of the service', async () => {
  const { plane, client } = planeAndClient();
  plane.clock.advanceMs(-10 * 365 * 86_400_000);
  const handler = withTollgate(async () => new Response(), {
    ...{ ...CALLER, operation: 'minute', subject: () => CALLER.subject, client },
  });
  const { headers } = await handler(new Request('http://localhost/'));
  expect(headers.get('ratelimit')).toMatch(/;t=60$/);
});

describe('a refund after the window has ended does not credit the next window', () => {
  const minute = { ...CALLER, operation: 'minute' };

  it('of an adapter', async () => {
    const { plane, client } = planeAndClient();
    const refundOn = vi.fn((status: number) => status >= 500);
    const asked = { ...minute, subject: () => CALLER.subject, client, refundOn };
    const handler = withTollgate(async () => {
      plane.clock.advanceMs(MINUTE_MS);
      // The next window is used up.
      expect((await client.limit(minute)).success).toBe(true);
      return new Response(null, { status: 500 });
    }, asked);
    expect((await handler(new Request('http://localhost/'))).status).toBe(500);
    expect(refundOn).toHaveBeenCalledWith(500);
    expect((await client.limit(minute)).success).toBe(false);
  });

  it('of a drop-in store', async () => {
    const { plane, client } = planeAndClient();
    const store = new TollgateStore({ ...minute, client });
    store.init({ limit: 1, windowMs: MINUTE_MS, skipFailedRequests: true });
    await store.increment('c1');
    plane.clock.advanceMs(MINUTE_MS);
    expect((await client.limit(minute)).success).toBe(true);
    await store.decrement('c1');
    expect((await client.limit(minute)).success).toBe(false);
  });
});

/** Servers of `Request` and `Response`, limited by the options. */
const SERVERS: Record<
  string,
  (handler: () => Response | Promise<Response>, all: never) => (request: Request) => unknown
> = {
  Hono: (handler, all) => {
    const app = new Hono();
    app.get('/', hono(all), handler);
    app.onError(() => new Response('failed', { status: 500 }));
    return app.fetch;
  },
  'a handler, as in Next': (handler, all) => withTollgate(handler, all),
};

describe.each(Object.entries(SERVERS))('%s', (_, serverOf) => {
  it('answers HEAD requests without a body, and releases their permits', async () => {
    const one = options();
    const request = new Request('http://localhost/', { method: 'HEAD' });
    await serverOf(() => new Response('served'), one.options as never)(request);
    await expect.poll(one.left).toEqual({ 'call-slots': 2, 'call-hour': 9 });
  });

  it('keeps the charge of a response whose body breaks, and releases the permit', async () => {
    const one = options({ refundOn: () => true });
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the body broke')) });
    const served = serverOf(() => new Response(body), one.options as never);
    const response = (await served(new Request('http://localhost/'))) as Response;
    await expect(response.text()).rejects.toThrow('the body broke');
    await expect.poll(one.left).toEqual({ 'call-slots': 2, 'call-hour': 9 });
  });

  it('holds the permit until the body was sent', async () => {
    const one = options();
    const body = new TransformStream<string, string>();
    const writer = body.writable.getWriter();
    const handler = () => new Response(body.readable.pipeThrough(new TextEncoderStream()));
    const response = (await serverOf(
      handler,
      one.options as never,
    )(new Request('http://localhost/'))) as Response;
    const text = response.text();
    await writer.write('served');
    expect(await one.left()).toEqual({ 'call-slots': 1, 'call-hour': 9 });
    await writer.close();
    expect(await text).toBe('served');
    await expect.poll(one.left).toEqual({ 'call-slots': 2, 'call-hour': 9 });
  });
});

describe('refundOn', () => {
  it('of an exception that Next answers with a redirect or 404 gets that status, not 500', async () => {
    const digests = ['NEXT_REDIRECT;replace;/login;307;', 'NEXT_HTTP_ERROR_FALLBACK;404', undefined];
    const refundOn = vi.fn((status: number) => status >= 500);
    const one = options({ refundOn });
    for (const digest of digests) {
      const handler = withTollgate(() => {
        throw Object.assign(new Error('thrown'), { digest });
      }, one.options as never);
      await expect(handler(new Request('http://localhost/'))).rejects.toThrow('thrown');
    }
    expect(refundOn.mock.calls).toEqual([[307], [404], [500]]);
    await expect.poll(one.left).toEqual({ 'call-slots': 2, 'call-hour': 8 });
  });

  it('that throws refunds nothing, and the permit is released', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const one = options({
      refundOn: () => {
        throw new Error('of the option');
      },
    });
    const handler = withTollgate(() => new Response(null), one.options as never);
    expect((await handler(new Request('http://localhost/'))).status).toBe(200);
    expect(logged).toHaveBeenCalledOnce();
    await expect.poll(one.left).toEqual({ 'call-slots': 2, 'call-hour': 9 });
  });
});

it('a decision without Tollgate releases and refunds nothing', async () => {
  const { client } = planeAndClient();
  const local = Object.assign(Object.create(client), {
    limit: async () => ({ ...(await client.limit({ ...CALLER, operation: 'call' })), fault: {} }),
    release: vi.fn(),
    refund: vi.fn(),
  });
  const one = options({ client: local, refundOn: () => true });
  await withTollgate(() => new Response(null), one.options as never)(new Request('http://localhost/'));
  expect(local.release).not.toHaveBeenCalled();
  expect(local.refund).not.toHaveBeenCalled();
});
