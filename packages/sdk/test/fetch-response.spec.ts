import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestPlane } from '@tollgate/decision-plane/testing';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { tollgate as hono } from '../src/adapters/hono.js';
import { withTollgate } from '../src/adapters/next.js';
import { EmbeddedTollgate } from '../src/embedded.js';
import { LIMITS, SHOP } from './policy.js';

type Handler = () => Response | Promise<Response>;

/** A limit of 1 a minute. */
function options() {
  const client = new EmbeddedTollgate({ plane: new TestPlane({ limits: LIMITS, apis: [SHOP] }) });
  const subject = () => ({ client: 'c1' });
  return { client, tenant: 'acme', api: 'shop', operation: 'minute', subject };
}

const SERVERS: Record<string, (handler: Handler) => (request: Request) => Promise<Response> | Response> = {
  Hono: (handler) => new Hono().get('/', hono(options()), handler).fetch,
  'a handler, as in Next': (handler) => withTollgate(handler, options()),
};

describe.each(Object.entries(SERVERS))('%s', (_, serverOf) => {
  const serve = async (handler: Handler) => serverOf(handler)(new Request('http://localhost/'));

  it.each([
    ['Response.redirect', () => Response.redirect('http://localhost/login'), 302, ''],
    ['fetch', () => fetch('data:text/plain,served'), 200, 'served'],
  ])('adds headers to the immutable response of %s', async (_name, handler, status, text) => {
    const response = await serve(handler);
    expect(response.status).toBe(status);
    expect(response.headers.get('ratelimit')).toContain('"minute";r=0');
    expect(await response.text()).toBe(text);
  });

  it('replaces the rate-limit headers of a proxied response', async () => {
    const upstream = createServer((_request, response) => {
      response.setHeader('RateLimit', '"upstream";r=1;t=1').end('served');
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const response = await serve(() => fetch(`http://127.0.0.1:${port}/`));
    expect(response.headers.get('ratelimit')).toContain('"minute";r=0');
    expect(await response.text()).toBe('served');
    upstream.closeAllConnections();
    upstream.close();
  });
});
