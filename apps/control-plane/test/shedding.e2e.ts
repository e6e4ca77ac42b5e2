import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Admission } from '@tollgate/logging';
import { eventually } from '@tollgate/test-kit';
import { fastify as createFastify } from 'fastify';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantsService } from '../src/features/customers/index.js';
import { shedRequests } from '../src/platform/http/shedding.js';
import { Metrics } from '../src/platform/metrics/metrics.js';
import { createPolicy } from './support/policy-factory.js';
import { readTenant } from './support/published-policy.js';
import { CALLER, startTestApp, type TestApp } from './support/test-app.js';

const MAX_MS = 100;
const QUERY = JSON.stringify({ query: '{ viewer { id } }' });
const FAILING = JSON.stringify({ query: '{ failing }' });
const JSON_TYPE = { 'content-type': 'application/json' };

describe('while the event loop lags', () => {
  let app: TestApp;
  let owner: Record<string, string>;
  let lagMs = 0;

  beforeAll(async () => {
    app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true' }, undefined, undefined, {
      lagMs: () => lagMs,
      maxMs: MAX_MS,
    });
    await createPolicy(app);
    owner = { ...(await app.bearer(['admin'])), ...JSON_TYPE };
  });
  beforeEach(() => {
    lagMs = MAX_MS + 1;
  });
  afterAll(() => app.stop());

  const post = (path: string, body: string, headers: Record<string, string> = owner) =>
    fetch(`${app.url}${path}`, { method: 'POST', headers, body });

  it.each(['/graphql', '/graphql/stream'])('answers 503 with Retry-After at %s', async (path) => {
    const response = await post(path, QUERY);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'The control plane is overloaded. Try again in 1 s.',
          extensions: { code: 'OVERLOADED', retryAfter: 1, requestId: expect.stringMatching(/^req_/) },
        },
      ],
    });
  });

  it('counts the shed requests by reason', async () => {
    const read = () => readMetric(app, 'tollgate_graphql_shed_total{reason="event_loop_lag"}');
    const before = await read();
    await post('/graphql', QUERY);
    expect(await read()).toBe(before + 1);
  });

  it.each(['/healthz', '/readyz', '/version'])('answers %s', async (path) => {
    expect((await fetch(`${app.url}${path}`)).status).toBe(200);
  });

  it.each(['/webhooks/test', '/api/auth/sign-in/email'])('reads the body sent to %s', async (path) => {
    expect([400, 401]).toContain((await post(path, '{}', JSON_TYPE)).status);
  });

  it('publishes policy', async () => {
    const redis = new Redis(app.redisUrl);
    try {
      const input = { key: 'published', name: 'Published', tierKey: 'basic' };
      await app.app.get(TenantsService, { strict: false }).create(CALLER, input as never);
      await eventually(() => redis.exists('tg:policy:tenant:published'));
      expect(await readTenant(redis, 'published')).toMatchObject({ tenant: 'published', tier: 'basic' });
    } finally {
      redis.disconnect();
    }
  });

  it('answers GraphQL again once the lag is at the bound', async () => {
    lagMs = MAX_MS;
    expect((await post('/graphql', QUERY)).status).toBe(200);
  });
});

async function readMetric({ app }: TestApp, name: string): Promise<number> {
  const text = await app.get(Metrics, { strict: false }).read();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1] ?? 0,
  );
}

describe('with as many GraphQL requests in flight as admitted', () => {
  let url: string;
  let finish: (() => void)[] = [];
  let sockets: Socket[] = [];
  let headsReceived = 0;
  const server = createFastify();
  const admission = new Admission(2);

  beforeAll(async () => {
    shedRequests(server, admission, () => undefined);
    server.addHook('onRequest', async () => {
      headsReceived++;
    });
    server.post('/graphql', async ({ body, raw }) => {
      if (JSON.stringify(body) === FAILING) throw new Error('The query has failed.');
      sockets.push(raw.socket);
      await new Promise<void>((resolve) => finish.push(resolve));
      return { data: {} };
    });
    server.post('/graphql/stream', async () => ({ data: {} }));
    server.get('/healthz', async () => ({}));
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  beforeEach(() => {
    finish = [];
    sockets = [];
  });
  afterAll(() => server.close());

  const send = (signal?: AbortSignal) =>
    fetch(`${url}/graphql`, { method: 'POST', headers: JSON_TYPE, body: QUERY, signal: signal ?? null });
  const inFlight = (count: number) => eventually(() => finish.length === count);

  it('sheds further ones and streams until one is answered', async () => {
    const answers = [send(), send()];
    await inFlight(2);
    expect((await send()).status).toBe(503);
    expect((await fetch(`${url}/graphql/stream`, { method: 'POST' })).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    finish[0]?.();
    expect((await answers[0])?.status).toBe(200);
    const third = send();
    await inFlight(3);
    for (const end of finish) end();
    expect((await third).status).toBe(200);
    expect((await answers[1])?.status).toBe(200);
  });

  it('counts a request whose caller has left until its work ends', async () => {
    const leaving = new AbortController();
    const left = send(leaving.signal).catch(() => 'left');
    await inFlight(1);
    const stays = send();
    await inFlight(2);
    const closed = once(sockets[0] as Socket, 'close');
    leaving.abort();
    expect(await left).toBe('left');
    await closed;
    expect((await send()).status).toBe(503);
    finish[0]?.();
    await eventually(() => admission.shedReason() === undefined);
    const next = send();
    await inFlight(3);
    for (const end of finish) end();
    expect([(await stays).status, (await next).status]).toEqual([200, 200]);
  });

  it('admits others while bodies are incomplete', async () => {
    const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n`;
    const { port } = new URL(url);
    const halves = [1, 2].map(() => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    try {
      const received = headsReceived + 2;
      for (const half of halves) half.write(head);
      await eventually(() => headsReceived === received);
      const answers = [send(), send()];
      await inFlight(2);
      for (const end of finish) end();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      for (const half of halves) half.destroy();
    }
  });

  it('admits another one after one has failed', async () => {
    for (let count = 0; count < 3; count++) {
      const failing = fetch(`${url}/graphql`, { method: 'POST', headers: JSON_TYPE, body: FAILING });
      expect((await failing).status).toBe(500);
    }
    expect(admission.shedReason()).toBeUndefined();
  });
});
