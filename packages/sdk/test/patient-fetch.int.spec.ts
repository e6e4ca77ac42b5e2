import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PatientFetchOptions, patientFetch } from '../src/adapters/fetch.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();

let server: Server;
let url: string;
let asked: { atMs: number; body: string }[];
let answers: ((response: ServerResponse) => unknown)[];

beforeAll(async () => {
  server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ atMs: performance.now(), body });
    const answer = answers.shift();
    if (answer === undefined) response.end('served');
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  answers = [];
});

const refuse = (status: number, retryAfter: string) => (response: ServerResponse) =>
  response.writeHead(status, { 'Retry-After': retryAfter }).end('later');

it('waits for Retry-After and sends the same request again', async () => {
  answers = [refuse(429, '1'), refuse(503, new Date(Date.now() + 500).toUTCString())];
  const response = await patientFetch()(url, { method: 'POST', body: 'order' });
  expect([response.status, await response.text()]).toEqual([200, 'served']);
  expect(asked.map(({ body }) => body)).toEqual(['order', 'order', 'order']);
  const [first, second] = asked.map(({ atMs }) => atMs) as [number, number, number];
  expect(second - first).toBeGreaterThan(990);
});

it('returns a 429 whose wait is too long, repeated too often or missing', async () => {
  answers = [refuse(429, '60')];
  expect((await patientFetch({ maxWaitMs: 1000 })(url)).status).toBe(429);
  answers = [refuse(429, '0'), refuse(429, '0')];
  expect((await patientFetch({ retries: 1 })(url)).status).toBe(429);
  answers = [(response) => response.writeHead(429).end()];
  expect((await patientFetch()(url)).status).toBe(429);
  expect(asked).toHaveLength(4);
});

it('a body that is a stream is sent once', async () => {
  answers = [refuse(429, '0')];
  const body = new Blob(['streamed']).stream();
  const response = await patientFetch()(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
  expect([response.status, asked.length]).toEqual([429, 1]);
});

it('a wait ends with the signal', async () => {
  answers = [
    (response) => {
      refuse(429, '20')(response);
      setTimeout(() => abort.abort(new Error('enough')), 50);
    },
  ];
  const abort = new AbortController();
  await expect(patientFetch()(url, { signal: abort.signal })).rejects.toThrow('enough');
});

it('checks Tollgate first: waits for its delays, sends nothing when denied; with an undici agent', async () => {
  const user = front.someone();
  const limit = {
    client: front.client(),
    request: (input: unknown) => ({
      tenant: 'acme',
      api: 'shop',
      operation: String(input).endsWith('/export') ? 'export' : 'checkout',
      subject: { user },
    }),
  };
  const agent = new Agent({ keepAliveTimeout: 1000 });
  const overUndici = (input: unknown, init?: object) =>
    undiciFetch(input as string, { ...init, dispatcher: agent });
  const paced = patientFetch({ limit, fetch: overUndici as never, maxWaitMs: 1000 });
  const startedAt = performance.now();
  await Promise.all([paced(`${url}export`), paced(`${url}export`), paced(`${url}export`)]);
  // Twenty per second: the third request runs 100 ms after the first was checked.
  expect(Math.max(...asked.map(({ atMs }) => atMs)) - startedAt).toBeGreaterThan(90);
  const answered = [];
  for (let i = 0; i < 6; i++) answered.push(await paced(url));
  expect(answered.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(Number(answered[5]?.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(asked).toHaveLength(8);
  await agent.close();
});

describe('a permit is held until the request has ended', () => {
  const asked = (user: string) => ({ tenant: 'acme', api: 'shop', operation: 'hold', subject: { user } });
  const permitsLeft = async (user: string) => (await front.client().peek(asked(user))).remaining;
  const fetchAs = (user: string, more: PatientFetchOptions = {}) =>
    patientFetch({ limit: { client: front.client(), request: () => asked(user) }, ...more });

  it('with a response whose body was read', async () => {
    const user = front.someone();
    for (let i = 0; i < 4; i++) {
      const response = await fetchAs(user)(url);
      expect(response.url).toBe(url);
      expect(await permitsLeft(user)).toBe(1);
      expect(await response.text()).toBe('served');
      await expect.poll(() => permitsLeft(user)).toBe(2);
    }
  });

  it('with a canceled body, an exception, or a signal that aborts', async () => {
    const user = front.someone();
    await (await fetchAs(user)(url)).body?.cancel();
    await expect.poll(() => permitsLeft(user)).toBe(2);

    const failing = fetchAs(user, { fetch: () => Promise.reject(new Error('no route')) });
    await expect(failing(url)).rejects.toThrow('no route');
    await expect.poll(() => permitsLeft(user)).toBe(2);

    const leave = new AbortController();
    answers = [() => leave.abort()];
    await expect(fetchAs(user)(url, { signal: leave.signal })).rejects.toThrow();
    await expect.poll(() => permitsLeft(user)).toBe(2);
  });
});
