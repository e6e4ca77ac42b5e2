import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@tollgate/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCaddy, startHaproxy, startNginx, type TestProxy } from './proxies.js';

const example = (path: string) => readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');

/** Addresses of this test, which replace those in an example. */
interface Setting {
  port: number;
  app: number;
  tollgate: number;
}

const withAddresses = (text: string, { port, app, tollgate }: Setting, listens: [string, string]) =>
  text
    .replaceAll('127.0.0.1:4010', `127.0.0.1:${tollgate}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${app}`)
    .replace(listens[0], listens[1].replace('PORT', String(port)))
    // A loaded machine needs more time than a proxy should wait.
    .replaceAll(/_timeout +\d+ms/g, '_timeout 30s')
    .replace('timeout = 200', 'timeout = 30000');

const PROXIES = {
  nginx: (setting: Setting) =>
    startNginx(
      withAddresses(example('nginx/tollgate.conf'), setting, ['listen 8080;', 'listen 127.0.0.1:PORT;']),
      setting.port,
    ),
  haproxy: (setting: Setting) =>
    startHaproxy(
      withAddresses(example('haproxy/haproxy.cfg'), setting, ['bind :8080', 'bind 127.0.0.1:PORT']),
      { 'tollgate.lua': withAddresses(example('haproxy/tollgate.lua'), setting, ['', '']) },
      setting.port,
    ),
  caddy: (setting: Setting) =>
    startCaddy(
      withAddresses(example('caddy/Caddyfile'), setting, [':8080', 'http://127.0.0.1:PORT']),
      setting.port,
    ),
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

describe.each(NAMES)('examples/%s, through the real proxy', (name) => {
  let app: Server;
  let answers: Server;
  let answer: { status: number; headers: Record<string, string> };
  let proxy: TestProxy;
  let alone: TestProxy;
  let origin: string;
  let aloneOrigin: string;

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
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    const start = async (tollgate: number) => {
      const setting = { port: await freePort(), app: portOf(app), tollgate };
      const started = await PROXIES[name](setting);
      return { started, at: `http://127.0.0.1:${setting.port}/` };
    };
    const [asked, unasked] = [await start(portOf(answers)), await start(await freePort())];
    [proxy, origin, alone, aloneOrigin] = [asked.started, asked.at, unasked.started, unasked.at];
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
      const response = await fetch(origin, { method: 'POST', body: 'a body' });
      const expected = EXPECTED[name][what];
      expect([response.status, (await response.text()) === 'from the app']).toEqual([
        expected,
        expected === 200,
      ]);
      if (expected === 429) expect(response.headers.get('retry-after')).toBe('7');
    },
  );

  it('allows or denies a request as its comment states when Tollgate is unreachable', async () => {
    const response = await fetch(aloneOrigin, { method: 'POST', body: 'a body' });
    const expected = EXPECTED[name].unreachable;
    expect([response.status, (await response.text()) === 'from the app']).toEqual([
      expected,
      expected === 200,
    ]);
  });
});
