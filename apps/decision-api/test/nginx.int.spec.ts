// @module-tag nginx
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNginx, type TestProxy } from './proxies.js';
import { useRunningServer } from './running-server.js';

const SNIPPET = readFileSync(new URL('../../../examples/nginx/tollgate.conf', import.meta.url), 'utf8');

describe('examples/nginx/tollgate.conf, through the real nginx', () => {
  const running = useRunningServer((relay) => ({
    apis: [
      {
        key: 'url-shortener',
        unknownOperations: 'refuse',
        operations: [
          { name: 'createURL', cost: 1 },
          { name: 'listURLs', cost: 1 },
        ],
      },
    ],
    limits: [
      {
        name: 'create-hour',
        api: 'url-shortener',
        per: ['ip'],
        onUnavailable: 'share',
        alignment: 'first_request',
        operations: ['createURL'],
        algorithm: 'fixed_window',
        limit: 2,
        windowMs: 3_600_000,
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  let app: Server;
  let reached: IncomingMessage[] = [];
  let nginx: TestProxy;
  let origin: string;

  beforeAll(async () => {
    app = createServer((request, response) => {
      reached.push(request);
      response.writeHead(request.url === '/forbidden' ? 403 : 200).end('from the app');
    });
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    nginx = await startWith({});
    origin = nginx.origin;
  });
  afterAll(async () => {
    await nginx?.stop();
    app?.closeAllConnections();
    app?.close();
  });

  /** Starts nginx with the example file and the given changes. */
  function startWith(over: { tollgate?: string; without?: RegExp }): Promise<TestProxy> {
    const text = SNIPPET.replace(
      'server 127.0.0.1:4010;',
      `server ${over.tollgate ?? new URL(running.origin).host};`,
    )
      .replace('server 127.0.0.1:3000;', `server 127.0.0.1:${(app.address() as AddressInfo).port};`)
      .replace('tga_live_...', running.token.token)
      // A loaded machine needs more time than a proxy should wait.
      .replaceAll(/_timeout +\d+ms/g, '_timeout 30s')
      .replace(over.without ?? /^$/, '');
    return startNginx((port) => text.replace('listen 8080;', `listen 127.0.0.1:${port};`));
  }

  it('forwards allowed requests and shows the remaining quota to the client', async () => {
    const response = await fetch(`${origin}/`, {
      method: 'POST',
      body: 'a body',
      headers: { 'X-Forwarded-For': '1.1.1.1' },
    });
    expect([response.status, await response.text()]).toEqual([200, 'from the app']);
    expect(response.headers.get('ratelimit-policy')).toBe('"create-hour";q=2;w=3600');
    expect(response.headers.get('ratelimit')).toMatch(/^"create-hour";r=1;t=\d+$/);
    expect(reached.at(-1)?.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  it('answers denied requests with a real 429 and Retry-After, without calling the app', async () => {
    await fetch(`${origin}/`, { method: 'POST' });
    reached = [];
    // A forged address does not change the counter.
    const response = await fetch(`${origin}/`, { method: 'POST', headers: { 'X-Forwarded-For': '9.9.9.9' } });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 429, title: 'Rate limit exceeded' });
    expect(response.headers.get('ratelimit')).toMatch(/^"create-hour";r=0;t=\d+$/);
    expect(reached).toEqual([]);
  });

  it('does not mistake a 403 of the app for a limit', async () => {
    const response = await fetch(`${origin}/forbidden`);
    expect([response.status, await response.text()]).toEqual([403, 'from the app']);
  });

  it('allows all requests while Tollgate is unreachable', async () => {
    const away = await startWith({ tollgate: '127.0.0.1:1' });
    try {
      const response = await fetch(`${away.origin}/`, { method: 'POST', body: 'a body' });
      expect([response.status, await response.text()]).toEqual([200, 'from the app']);
    } finally {
      await away.stop();
    }
  });

  it('denies all requests then, without the fail-open line', async () => {
    const away = await startWith({
      tollgate: '127.0.0.1:1',
      without: /error_page 500 = @tollgate_failed;/,
    });
    try {
      expect((await fetch(`${away.origin}/`)).status).toBe(500);
    } finally {
      await away.stop();
    }
  });
});
