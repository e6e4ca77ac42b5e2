import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { DecisionPlane } from '@tollgate/decision-plane';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServerMetrics } from '../src/metrics/metrics.js';
import { createDecisionServer } from '../src/server.js';
import { metricsText, sumOf } from './metrics-text.js';

const PEPPER = 'a pepper for tests, 32 characters or more';

describe('HTTP connections', () => {
  const token = issueToken('tga', 'live');
  let redis: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let plane: DecisionPlane;
  let server: Server;

  beforeAll(async () => {
    redis = await createTestRedis();
    relay = new TestRelay(redis.url);
    const hash = hashToken(token.token, PEPPER);
    await relay.publish({
      serviceTokens: [{ publicId: token.publicId, hash, scopes: ['decide'], expiresAtMs: null }],
      limits: [],
      tenants: [],
    });
    plane = await DecisionPlane.start({
      countersUrl: redis.url,
      configUrl: redis.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      deadlineMs: 5000,
    });
    await eventually(() => plane.ready);
  });
  afterAll(async () => {
    await plane.close();
    relay.close();
    await redis.stop();
  });

  async function start(over: Partial<Parameters<typeof createDecisionServer>[0]> = {}) {
    const peppers = new Map([[1, PEPPER]]);
    server = createDecisionServer({ plane, peppers, logger: pino({ level: 'silent' }), ...over });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  beforeEach(() => start());
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const port = (of = server) => (of.address() as AddressInfo).port;

  /** Sends text on a new connection and returns everything until the server closes it. */
  async function converse(text: string, to = port()): Promise<string> {
    const socket = connect(to, '127.0.0.1');
    socket.write(text);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400, 'request-malformed'],
    ['headers of 70 kB', `GET / HTTP/1.1\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'headers-too-large'],
  ])('%s: a problem, and the end of the connection', async (_name, text, status, code) => {
    const [head = '', body = ''] = (await converse(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code, status });
  });

  it('refuses a body that does not arrive in time, before a server with default settings does', async () => {
    const byDefault = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(byDefault, 'listening');
    for (const each of [server, byDefault]) each.headersTimeout = each.requestTimeout = 100;
    const text = `POST /v1/limit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const first = await Promise.race([converse(text), converse(text, port(byDefault))]);
    byDefault.closeAllConnections();
    byDefault.close();
    expect(first).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request-timeout"/);
  });

  describe('beyond the limit of concurrent requests', () => {
    const HEAD = `POST /v1/limit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
    const metrics = new ServerMetrics();

    beforeEach(async () => {
      server.close();
      await start({ maxInFlight: 1, maxWaitMs: 60_000, metrics });
    });

    const opened = () => connect(port(), '127.0.0.1');
    const status = async (socket: Socket) => {
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return Number(answer.toString().slice(9, 12));
    };
    /** The server's side of the connection whose request arrives next. */
    const arrived = async () => {
      const [request] = (await once(server, 'request')) as [IncomingMessage];
      return request.socket;
    };

    it('a shed connection waits with its next request until another one ends; closed ones are skipped', async () => {
      const [busy, closed, waiting] = [opened(), opened(), opened()];
      busy.write(`${HEAD}{`);
      await arrived();
      const served: Socket[] = [];
      for (const socket of [closed, waiting]) {
        socket.write(`${HEAD}{}`);
        expect(await status(socket)).toBe(503);
        socket.write(`${HEAD}{}`);
        served.push(await arrived());
      }
      closed.destroy();
      await once(served[0] as Socket, 'close');
      busy.write('}');
      expect(await Promise.all([status(busy), status(waiting)])).toEqual([400, 400]);
      const text = await metricsText(metrics);
      expect(text).toContain('tollgate_shed_total{reason="in_flight"} 2');
      expect(sumOf(text, 'tollgate_requests_total', 'result="rejected",reason="body-invalid"')).toBe(2);
      for (const socket of [busy, waiting]) socket.destroy();
    });
  });

  it('the announced idle time is shorter than that of load balancers, and theirs than that of the server', async () => {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    await response.text();
    expect(response.headers.get('keep-alive')).toBe('timeout=50');
    expect(server.keepAliveTimeout + server.keepAliveTimeoutBuffer).toBeGreaterThan(60_000);
  });

  it('a server that stops ends its busy connections with their next answer', async () => {
    const socket = connect(port(), '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\n');
    await once(server, 'connection');
    const closed = new Promise((resolve) => server.close(resolve));
    socket.write('Host: x\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/);
    await closed;
  });
});
