import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PROBLEMS } from '@tollgate/contracts';
import { BUILD } from '@tollgate/contracts/environment';
import { createRegistry } from '@tollgate/logging';
import { eventually } from '@tollgate/test-kit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Drain } from '../src/http/admission.js';
import { ServerMetrics } from '../src/metrics/metrics.js';
import { registerNodeMetrics } from '../src/metrics/node-metrics.js';
import { openApiDocument } from '../src/openapi/document.js';
import { limitAnswerSchema, problemSchema, readinessSchema } from '../src/openapi/schemas.js';
import { createDecisionServer } from '../src/server.js';
import { metricsText, sumOf } from './metrics-text.js';
import { PEPPERS, useRunningServer } from './running-server.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('operations endpoints', () => {
  const running = useRunningServer((relay) => ({
    limits: [
      {
        name: 'create-hour',
        api: 'url-shortener',
        operations: ['createURL'],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 2,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  const textOf = async (path: string) => (await fetch(running.origin + path)).text();

  it('the metrics port counts decisions by API, result and reason, and other requests, without tenants', async () => {
    for (let i = 0; i < 3; i++) await running.post('/v1/limit', create);
    await running.post('/v1/limit/batch', { requests: [create, { ...create, tenant: 'nobody' }] });
    await running.post('/v1/peek', create);
    await running.post('/v1/limit', {});
    await fetch(`${running.origin}/healthz`);
    const lines = (await running.metricsText()).split('\n');
    const requests = (route: string, labels: string) => `tollgate_requests_total{route="${route}",${labels}}`;
    const onApi = (result: string, reason: string) =>
      `api="${create.api}",result="${result}",reason="${reason}"`;
    expect(lines).toContain(`${requests('/v1/limit', onApi('allowed', 'WITHIN_LIMIT'))} 2`);
    expect(lines).toContain(`${requests('/v1/limit', onApi('denied', 'RATE_EXCEEDED'))} 1`);
    expect(lines).toContain(`${requests('/v1/limit/batch', onApi('denied', 'RATE_EXCEEDED'))} 1`);
    expect(lines).toContain(
      `${requests('/v1/limit/batch', 'api="",result="rejected",reason="tenant-unknown"')} 1`,
    );
    expect(lines).toContain(`${requests('/v1/limit', 'api="",result="rejected",reason="body-invalid"')} 1`);
    expect(lines).toContain(`${requests('/v1/peek', 'api="",result="ok",reason=""')} 1`);
    expect(lines).toContain('tollgate_request_duration_seconds_count{route="/v1/limit"} 4');
    expect(lines.join('\n')).not.toContain('healthz');
    expect(lines).toContain('tollgate_shed_total{reason="in_flight"} 0');
    expect(lines.join('\n')).not.toContain('acme');
  });

  it('the public port does not serve metrics, and the metrics port nothing else', async () => {
    expect((await fetch(`${running.origin}/metrics`)).status).toBe(404);
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(running.metricsOrigin + path, { method })).status;
    expect(
      await Promise.all([statusOf('/'), statusOf('/v1/limit', 'POST'), statusOf('/metrics', 'POST')]),
    ).toEqual([404, 404, 405]);
  });

  it('/openapi.json describes the responses and contains every path', async () => {
    expect(JSON.parse(await textOf('/openapi.json'))).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(limitAnswerSchema.parse(await (await running.post('/v1/peek', create)).json())).toBeTruthy();
    expect(problemSchema.parse(await (await running.post('/v1/peek', {})).json())).toBeTruthy();
    const { paths } = openApiDocument() as { paths: Record<string, object> };
    for (const path of Object.keys(paths)) {
      const { status } = await fetch(running.origin + path, { method: 'OPTIONS' });
      expect([path, status]).toEqual([path, 405]);
    }
  });

  it('the reference and a page for each error need no script and load nothing from elsewhere', async () => {
    const pages = ['/docs', ...Object.keys(PROBLEMS).map((code) => `/docs/errors/${code}`)];
    for (const page of pages) {
      const response = await fetch(running.origin + page);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'self';/,
      );
      const html = await response.text();
      expect(html).not.toMatch(/<script|<[^>]* (?:on\w+|style)=|(?:src|href)="(?:https?:)?\/\//i);
    }
    expect((await fetch(`${running.origin}/docs/errors/nothing`)).status).toBe(404);
  });

  it('stays ready with a warning while the counter Redis may evict, and measures its memory', async () => {
    const configure = async (setting: string) => {
      const socket = connect(running.redis.port, '127.0.0.1').end(`CONFIG SET ${setting}\r\nQUIT\r\n`);
      await once(socket.resume(), 'close');
    };
    const readiness = async () => readinessSchema.parse(JSON.parse(await textOf('/readyz')));
    await configure('maxmemory-policy volatile-ttl');
    await configure('maxmemory 1000000000');
    await eventually(async () => (await readiness()).warnings.length > 0);
    expect(await readiness()).toMatchObject({
      status: 'ready',
      warnings: [expect.stringMatching(/maxmemory-policy is volatile-ttl.*set it to noeviction/)],
    });
    const registry = createRegistry(BUILD.version);
    registerNodeMetrics(registry, { plane: running.plane, certificateExpiresAtS: () => undefined });
    const text = await registry.metrics();
    expect(text).toContain('tollgate_counters_memory_max_bytes 1000000000');
    expect(text).toMatch(/tollgate_counters_memory_used_bytes [1-9]/);
    expect(text).toContain('tollgate_counters_evicted_keys_total 0');
    await configure('maxmemory 0');
    await eventually(async () => (await readiness()).warnings.length === 0);
  });

  async function startServer(over: Partial<Parameters<typeof createDecisionServer>[0]>) {
    const logger = pino({ level: 'silent' });
    const server = createDecisionServer({ plane: running.plane, peppers: PEPPERS, logger, ...over });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('sheds requests beyond its capacity with a reason and counts them, but not probes', async () => {
    const metrics = new ServerMetrics();
    const { server, origin } = await startServer({ maxInFlight: 0, metrics });
    const response = await fetch(`${origin}/v1/limit`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'overloaded', retryable: true });
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const text = await metricsText(metrics);
    expect(text).toContain('tollgate_shed_total{reason="in_flight"} 1');
    expect(sumOf(text, 'tollgate_requests_total', 'result="failed",reason="overloaded"')).toBe(1);
    server.closeAllConnections();
    server.close();
  });

  it('sheds requests while the event loop lags, before they are decided', async () => {
    const metrics = new ServerMetrics();
    let lagMs = 101;
    const { server, origin } = await startServer({ metrics, lag: { lagMs: () => lagMs, maxMs: 100 } });
    const ask = () => fetch(`${origin}/v1/limit`, { method: 'POST', body: '{}' });
    const shed = await ask();
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await shed.json()).toMatchObject({ code: 'overloaded', retryable: true });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${origin}/version`)).json()).toEqual(BUILD);
    expect(await metricsText(metrics)).toContain('tollgate_shed_total{reason="event_loop_lag"} 1');
    lagMs = 100;
    expect((await ask()).status).toBe(401);
    server.closeAllConnections();
    server.close();
  });

  it('a draining server fails readiness first, answers open requests and closes idle connections', async () => {
    const drain = new Drain();
    const { server, origin } = await startServer({ drain });
    const agent = new Agent({ keepAlive: true });
    const ask = async (path: string) => {
      const [response] = await once(get(origin + path, { agent }), 'response');
      response.resume();
      await once(response, 'end');
      return [response.statusCode, response.headers.connection];
    };
    expect(await ask('/readyz')).toEqual([200, 'keep-alive']);
    const notice = Promise.withResolvers<void>();
    const ended = drain.run(server, notice.promise, 60_000);
    expect(await ask('/readyz')).toEqual([503, 'close']);
    expect(await ask('/healthz')).toEqual([200, 'close']);
    notice.resolve();
    await ended;
    await expect(ask('/healthz')).rejects.toThrow();
    agent.destroy();
  });
});
