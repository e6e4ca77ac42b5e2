import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ClientOptions,
  type LimitRequest,
  Tollgate,
  type TollgateEvent,
  TollgateFault,
} from '../src/index.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const request = { tenant: 'acme', api: 'shop', operation: 'checkout' };

let server: Server;
let url: string;
let answer: Answer;

beforeEach(async () => {
  server = createServer((incoming, response) => answer(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json = (status: number, body: object): Answer => {
  return (incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
};
const client = (options: ClientOptions = {}) => new Tollgate({ url, token: 'tga_live_x', ...options });
const problem = (code: string, status: number, retryable: boolean) => ({
  type: `urn:tollgate:problem:${code}`,
  title: code,
  status,
  code,
  retryable,
});

describe('an outage on the console', () => {
  const logged: string[] = [];

  beforeEach(() => {
    logged.length = 0;
    for (const level of ['warn', 'info'] as const)
      vi.spyOn(console, level).mockImplementation((line) => void logged.push(`${level} ${line}`));
  });
  afterEach(() => void vi.restoreAllMocks());

  it('is written once at its start and once at its end', async () => {
    const tollgate = client({ timeoutMs: WAIT_LIMIT_MS });
    answer = (incoming) => incoming.socket.destroy();
    for (let i = 0; i < 3; i++) await tollgate.limit(request);
    expect(logged).toEqual([
      expect.stringMatching(/^warn tollgate: unavailable: network: .+; onUnavailable decides$/),
    ]);
    answer = json(200, { success: true, policies: [], reason: 'WITHIN_LIMIT' });
    for (let i = 0; i < 2; i++) await tollgate.limit(request);
    expect(logged.slice(1)).toEqual([
      expect.stringMatching(/^info tollgate: available after \d+\.\d s; onUnavailable decided 3 requests$/),
    ]);
    // Further outages of the same minute fill no log.
    answer = (incoming) => incoming.socket.destroy();
    await tollgate.limit(request);
    expect(logged).toHaveLength(2);
  });

  it('is not written with an event handler, which receives its start and its end', async () => {
    const events: TollgateEvent[] = [];
    const tollgate = client({ timeoutMs: WAIT_LIMIT_MS, onEvent: (event) => void events.push(event) });
    answer = json(503, problem('overloaded', 503, true));
    for (let i = 0; i < 2; i++) await tollgate.limit(request);
    answer = json(401, problem('token-invalid', 401, false));
    await tollgate.limit(request);
    expect(events).toMatchObject([
      { kind: 'unavailable' },
      { kind: 'unavailable' },
      { kind: 'available', requests: 2 },
      { kind: 'fault', code: 'token-invalid' },
    ]);
    expect(logged).toEqual([]);
  });
});

describe('answers within the deadline in every failure', () => {
  const cases: { when: string; answer: Answer; cause: string }[] = [
    { when: 'nothing is answered', answer: () => undefined, cause: 'timeout' },
    {
      when: 'an answer begins and never ends',
      answer: (_, response) => void response.writeHead(200).write('{"success":'),
      cause: 'timeout',
    },
    { when: 'the connection breaks', answer: (incoming) => incoming.socket.destroy(), cause: 'network' },
    { when: 'the server sheds load', answer: json(503, problem('overloaded', 503, true)), cause: 'server' },
    { when: 'the server fails', answer: json(500, problem('internal', 500, true)), cause: 'server' },
    {
      when: 'a proxy answers in its place',
      answer: (_, response) => void response.writeHead(502).end('<html>'),
      cause: 'server',
    },
    {
      when: 'something else listens there',
      answer: (_, response) => void response.end('hello'),
      cause: 'unreadable',
    },
    { when: 'the answer is of another kind', answer: json(200, { ok: true }), cause: 'unreadable' },
  ];
  for (const one of cases) {
    it(`when ${one.when}, onUnavailable decides, and the decision reports it`, async () => {
      answer = one.answer;
      const events: string[] = [];
      const options = {
        // Any other cause is found at once, however late the process is.
        timeoutMs: one.cause === 'timeout' ? 300 : WAIT_LIMIT_MS,
        onEvent: (event: TollgateEvent) =>
          events.push(event.kind === 'unavailable' ? event.cause : event.kind),
      };
      const allowed = await client(options).limit(request);
      expect(allowed).toMatchObject({ success: true, degraded: true, reason: 'DEGRADED' });
      expect(allowed.unavailable?.cause).toBe(one.cause);
      expect(events).toEqual([one.cause]);
      expect(await client({ ...options, onUnavailable: 'deny' }).limit(request)).toMatchObject({
        success: false,
        retryAfter: 1,
      });
    });
  }

  it('also without an event handler; other operations return unavailable', async () => {
    server.close();
    const asked = client({ onUnavailable: 'deny' });
    expect((await asked.limit(request)).unavailable?.cause).toBe('network');
    expect((await asked.limitMany([request, request])).map(({ success }) => success)).toEqual([false, false]);
    expect(await asked.refund({ tenant: 'acme', requestId: 'r1' })).toEqual({
      status: 'unavailable',
      returned: 0,
    });
    const held = await client().reserve(request);
    if (!held.success) throw new Error('refused');
    expect([held.expiresAt, (await held.settle(1)).status]).toEqual([null, 'unavailable']);
  });
});

it('a verb that the server could not do is an answer, not an outage', async () => {
  answer = json(503, { status: 'unavailable', returned: 0, revision: 1, requestId: null });
  expect((await client().report({ tenant: 'acme', requestId: 'r1', outcome: 'failure' })).status).toBe(
    'unavailable',
  );
});

it('a function decides per request, and onFault: throw throws for rejected calls', async () => {
  answer = json(503, problem('overloaded', 503, true));
  const onUnavailable = ({ operation }: LimitRequest) => (operation === 'checkout' ? 'deny' : 'allow');
  const asked = client({ onUnavailable, onFault: 'throw', onEvent: () => undefined });
  expect((await asked.limit(request)).success).toBe(false);
  expect((await asked.limit({ ...request, operation: 'browse' })).success).toBe(true);
  answer = json(401, {
    ...problem('token-invalid', 401, false),
    errors: [{ field: 'a.b', message: 'is wrong' }],
  });
  const fault = await asked.limit(request).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(TollgateFault);
  expect(fault).toMatchObject({
    code: 'token-invalid',
    problem: { status: 401 },
    message: 'token-invalid · a.b: is wrong',
  });
});

it('local applies the limits of the last answer', async () => {
  const policy = {
    name: 'hour',
    limit: 9,
    remaining: 2,
    reset: 0,
    window: 3600,
    mode: 'enforce',
    success: true,
  };
  answer = json(200, { success: true, degraded: false, delayMs: 0, policies: [policy] });
  const asked = client({ onUnavailable: 'local' });
  await asked.limit(request);
  answer = json(503, problem('overloaded', 503, true));
  const decisions = [];
  for (let i = 0; i < 3; i++) decisions.push(await asked.limit(request));
  expect(decisions.map(({ success, remaining }) => [success, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  expect(decisions[2]).toMatchObject({ policy: 'hour', degraded: true, retryAfter: 400 });
});

it('requests waiting for a free call are sent together, and none exceeds the deadline', async () => {
  const paths: string[] = [];
  const waiting: (() => void)[] = [];
  answer = (incoming, response) => {
    const isBatch = incoming.url?.endsWith('/batch') === true;
    paths.push(incoming.url ?? '');
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const one = { success: true, degraded: false, delayMs: 0, policies: [] };
      const count = isBatch ? (JSON.parse(body) as { requests: object[] }).requests.length : 1;
      const text = JSON.stringify(isBatch ? { answers: Array.from({ length: count }, () => one) } : one);
      waiting.push(() => response.end(text));
      if (waiting.length === 2) for (const go of waiting) go();
      if (waiting.length > 2) response.end(text);
    });
  };
  const asked = client({ maxCalls: 2, timeoutMs: WAIT_LIMIT_MS });
  const decisions = await Promise.all(Array.from({ length: 30 }, () => asked.limit(request)));
  expect(decisions.every(({ unavailable }) => unavailable === null)).toBe(true);
  expect(paths.slice(0, 2)).toEqual(['/v1/limit', '/v1/limit']);
  expect(paths[2]).toBe('/v1/limit/batch');
  expect(paths.length).toBeLessThan(6);

  answer = () => undefined;
  const late = client({ maxCalls: 1, timeoutMs: 200 });
  const [first, second] = await Promise.all([late.limit(request), late.limit(request)]);
  expect([first.unavailable?.cause, second.unavailable?.cause]).toEqual(['timeout', 'timeout']);
});
