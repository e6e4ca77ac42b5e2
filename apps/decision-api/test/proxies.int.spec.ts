// @module-tag nginx
// @module-tag haproxy
// @module-tag caddy
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCaddy, startHaproxy, startNginx, type TestProxy } from './proxies.js';
import { useRunningServer } from './running-server.js';

const example = (path: string) => readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');

/** Ports of this test, which replace those in an example. */
interface Setting {
  app: number;
  tollgate: number;
  /** Default: a token that does not exist. */
  token?: string;
}

const withAddresses = (text: string, { app, tollgate, token = 'tga_live_...' }: Setting) =>
  text
    .replaceAll('tga_live_...', token)
    .replaceAll('127.0.0.1:4010', `127.0.0.1:${tollgate}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${app}`)
    // A loaded machine needs more time than a proxy should wait.
    .replaceAll(/_timeout +\d+ms/g, '_timeout 30s')
    .replace('timeout = 200', 'timeout = 30000');

const PROXIES = {
  nginx: (setting: Setting) => {
    const text = withAddresses(example('nginx/tollgate.conf'), setting);
    return startNginx((port) => text.replace('listen 8080;', `listen 127.0.0.1:${port};`));
  },
  haproxy: (setting: Setting) => {
    const text = withAddresses(example('haproxy/haproxy.cfg'), setting);
    return startHaproxy((port) => text.replace('bind :8080', `bind 127.0.0.1:${port}`), {
      'tollgate.lua': withAddresses(example('haproxy/tollgate.lua'), setting),
    });
  },
  caddy: (setting: Setting) => {
    const text = withAddresses(example('caddy/Caddyfile'), setting);
    return startCaddy((port) => text.replace(':8080', `http://127.0.0.1:${port}`));
  },
};

/** Client-visible status for each response of Tollgate; `200` comes from the service behind the proxy. */
const EXPECTED: Record<keyof typeof PROXIES, Record<string, number>> = {
  nginx: { allowed: 200, 400: 500, 401: 401, 404: 500, 429: 500, 'a limit': 429, 503: 200, unreachable: 200 },
  haproxy: {
    allowed: 200,
    400: 500,
    401: 401,
    404: 500,
    429: 429,
    'a limit': 429,
    503: 200,
    unreachable: 200,
  },
  caddy: { allowed: 200, 400: 400, 401: 401, 404: 404, 429: 429, 'a limit': 429, 503: 503, unreachable: 502 },
};

const NAMES = ['nginx', 'haproxy', 'caddy'] as const;

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe.each(NAMES)('examples/%s, through the real proxy', (name) => {
  let app: Server;
  let answers: Server;
  let answer: { status: number; headers: Record<string, string> };
  let proxy: TestProxy;
  let alone: TestProxy;

  beforeAll(async () => {
    app = createServer((_, response) => void response.end('from the app'));
    // Returns any status that a version of the decision API may return; the real API returns each only in a specific state.
    answers = createServer((request, response) => {
      if (request.url === '/readyz') response.end();
      else response.writeHead(answer.status, answer.headers).end();
    });
    for (const server of [app, answers]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    proxy = await PROXIES[name]({ app: portOf(app), tollgate: portOf(answers) });
    alone = await PROXIES[name]({ app: portOf(app), tollgate: 1 });
  });
  afterAll(async () => {
    await proxy?.stop();
    await alone?.stop();
    for (const server of [app, answers]) {
      server?.closeAllConnections();
      server?.close();
    }
  });

  const LIMIT = name === 'nginx' ? 403 : 429;

  it.each<[string, number, Record<string, string>]>([
    ['allowed', 200, {}],
    ['400', 400, {}],
    ['401', 401, {}],
    ['404', 404, {}],
    ['429', 429, { 'Retry-After': '7' }],
    ['a limit', LIMIT, { 'X-Tollgate-Status': '429', 'Retry-After': '7' }],
    ['503', 503, {}],
  ])(
    'passes a request on %s only if Tollgate allowed it or is unavailable',
    async (what, status, headers) => {
      answer = { status, headers };
      const response = await fetch(proxy.origin, { method: 'POST', body: 'a body' });
      const expected = EXPECTED[name][what];
      expect([response.status, (await response.text()) === 'from the app']).toEqual([
        expected,
        expected === 200,
      ]);
      if (expected === 429) expect(response.headers.get('retry-after')).toBe('7');
    },
  );

  it('allows or denies a request as its comment states when Tollgate is unreachable', async () => {
    const response = await fetch(alone.origin, { method: 'POST', body: 'a body' });
    const expected = EXPECTED[name].unreachable;
    expect([response.status, (await response.text()) === 'from the app']).toEqual([
      expected,
      expected === 200,
    ]);
  });
});

describe('the examples in front of the decision API', () => {
  const running = useRunningServer((relay) => ({
    limits: [
      {
        name: 'all',
        api: 'url-shortener',
        operations: [],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 1,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  const proxies = new Map<string, TestProxy>();
  let app: Server;

  beforeAll(async () => {
    app = createServer((_, response) => void response.end('from the app')).listen(0, '127.0.0.1');
    await once(app, 'listening');
    const tollgate = Number(new URL(running.origin).port);
    for (const name of NAMES) {
      proxies.set(name, await PROXIES[name]({ app: portOf(app), tollgate, token: running.token.token }));
    }
    await running.post('/v1/limit', { tenant: 'acme', api: 'url-shortener', operation: 'createURL' });
  });
  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.stop();
    app?.closeAllConnections();
    app?.close();
  });

  const HEADERS: [string, Record<string, string>][] = [
    ['no headers', {}],
    ['empty headers', { 'X-Forwarded-For': '', 'X-Api-Key': '', Authorization: '' }],
    ['long headers', { 'X-Forwarded-For': '1.1.1.1,'.repeat(700), 'X-User': 'x'.repeat(2000) }],
    ['malformed headers', { 'X-Forwarded-For': 'unknown', Authorization: 'Bearer', 'X-Api-Key': '\u00ff' }],
    ['headers for Tollgate', { 'X-Tollgate-Token': 'tga_live_x', 'X-Tollgate-Status': '200' }],
    [
      'headers of another client',
      { 'X-Forwarded-For': '9.9.9.9', 'X-Real-IP': '9.9.9.9', 'X-Api-Key': 'tgk_live_x' },
    ],
  ];

  // HAProxy itself rejects more than 16 kB.
  it.each(['nginx', 'caddy'])('%s gets the decision on a request with 19 kB of headers', async (name) => {
    const parts = Array.from({ length: 3 }, (_, part) => [`X-Part-${part}`, 'x'.repeat(6300)]);
    const headers = Object.fromEntries(parts);
    const response = await fetch(proxies.get(name)?.origin ?? '', { method: 'POST', headers });
    expect(response.status).toBe(429);
  });

  it('caddy gets the decision on a request with 100 kB of cookies', async () => {
    const headers = { Cookie: 'x'.repeat(100_000) };
    const response = await fetch(proxies.get('caddy')?.origin ?? '', { method: 'POST', headers });
    expect(response.status).toBe(429);
  });

  it.each(NAMES.flatMap((name) => HEADERS.map(([what, headers]) => [name, what, headers] as const)))(
    '%s denies a request beyond the limit that has %s',
    async (name, _, headers) => {
      const response = await fetch(proxies.get(name)?.origin ?? '', {
        method: 'POST',
        body: 'a body',
        headers,
      });
      expect([response.status, await response.text()]).not.toEqual([200, 'from the app']);
      expect(response.status).toBeGreaterThanOrEqual(400);
    },
  );
});
