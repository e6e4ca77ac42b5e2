import { randomUUID } from 'node:crypto';
import { startFaultProxy } from '@tollgate/decision-plane/testing';
import {
  createDocumentedUsers,
  createTestRedis,
  eventually,
  ProgramProcess,
  startOtlpReceiver,
  WITHOUT_OPENTELEMETRY,
} from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, testVariables } from './support/test-app.js';

// Logs, start-up errors and shutdown of the built control plane and worker.

/** The programs under test use its Postgres and Redis. */
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await app.stop();
});

type Program = 'main' | 'worker';

function start(program: Program, env: Record<string, string> = {}): ProgramProcess {
  const services = { databaseUrl: app.config.databaseUrl, redisUrl: app.redisUrl };
  const started = new ProgramProcess(`control-plane/dist/${program}.js`, {
    ...testVariables(services),
    LOG_LEVEL: 'debug',
    NODE_OPTIONS: env.TRACING === undefined ? WITHOUT_OPENTELEMETRY : '',
    ...env,
  });
  closing.push(() => started.kill());
  return started;
}

async function startServer(env: Record<string, string> = {}) {
  const program = start('main', { WORKER: 'separate', ...env });
  const { port } = await program.line('control plane ready');
  return { program, url: `http://127.0.0.1:${String(port)}` };
}

/** Requests a path of the metrics port. */
async function fetchPrivate(program: ProgramProcess, name: 'healthz' | 'readyz' | 'metrics') {
  const { port } = await program.line('metrics server listening');
  return fetch(`http://127.0.0.1:${String(port)}/${name}`);
}

async function proxyTo(url: string) {
  const target = new URL(url);
  const proxy = await startFaultProxy(Number(target.port));
  closing.push(() => proxy.close());
  target.port = String(proxy.port);
  target.hostname = '127.0.0.1';
  return { proxy, url: target.href };
}

describe.concurrent('a failed start', () => {
  it('reports all invalid settings in one line', async () => {
    const program = start('worker', { PORT: 'hunter2', SESSION_SECRET: 'hunter2', TOKEN_PEPPER: '' });
    expect(await program.exited).toEqual([1, null]);
    expect(program.output.trimEnd().split('\n')).toHaveLength(1);
    expect(program.lines[0]).toMatchObject({ level: 'fatal', service: 'worker' });
    expect(program.lines[0]?.msg).toMatch(
      /^Invalid configuration: .*PORT .*SESSION_SECRET .*TOKEN_PEPPER is not set/,
    );
    expect(program.output).not.toContain('hunter2');
  });

  it('names the command that the Redis user of a worker lacks', async () => {
    const server = await createTestRedis();
    closing.push(server.stop);
    const admin = new Redis(server.url);
    const urlAs = await createDocumentedUsers(admin);
    await admin.acl('SETUSER', 'control-plane', '-bzpopmin');
    admin.disconnect();
    const urls = { REDIS_CONFIG_URL: urlAs('control-plane'), REDIS_COUNTERS_URL: urlAs('node-counters') };
    const started = start('worker', urls);
    expect(await started.exited).toEqual([1, null]);
    expect(started.lines.at(-1)).toMatchObject({
      level: 'fatal',
      msg: 'REDIS_CONFIG_URL: user control-plane may not run BZPOPMIN: ACL SETUSER control-plane +bzpopmin',
    });
    expect(started.output).not.toContain('change-me');
  });

  it('names unavailable services and keeps running', async () => {
    const nowhere = '//user:hunter2@127.0.0.1:1';
    const program = start('worker', {
      DATABASE_URL: `postgresql:${nowhere}/x`,
      REDIS_CONFIG_URL: `redis:${nowhere}`,
      METRICS_PORT: '0',
    });
    const redis = await program.line('redis unavailable; connecting again');
    expect(redis).toMatchObject({ setting: 'REDIS_CONFIG_URL', address: '127.0.0.1:1' });
    const postgres = await program.line('database unavailable; its login is checked later');
    expect(postgres).toMatchObject({ setting: 'DATABASE_URL', address: '127.0.0.1:1' });
    expect((await fetchPrivate(program, 'healthz')).status).toBe(200);
    const ready = await fetchPrivate(program, 'readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not ready', checks: { postgres: false, redis: false } });
    expect(await program.stop()).toEqual([0, null]);
    expect(program.output).not.toContain('hunter2');
  });
});

describe.concurrent('readiness', () => {
  it('stays ready without Redis, while the probe on its metrics port fails', async () => {
    const redis = await proxyTo(app.redisUrl);
    const env = { REDIS_CONFIG_URL: redis.url, METRICS_PORT: '0' };
    const { program, url } = await startServer(env);
    expect((await fetchPrivate(program, 'readyz')).status).toBe(200);
    // Without jobs, it has not verified the audit trail.
    expect(await (await fetchPrivate(program, 'metrics')).text()).toContain('tollgate_audit_chain_ok Nan');
    redis.proxy.freeze();
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'degraded', checks: { postgres: true, redis: false } });
    expect((await fetchPrivate(program, 'readyz')).status).toBe(503);
    expect(await program.stop()).toEqual([0, null]);
  });
});

describe.concurrent('SIGTERM', () => {
  it('ends a process that starts while Postgres and Redis hang', async () => {
    const postgres = await proxyTo(app.config.databaseUrl);
    const redis = await proxyTo(app.redisUrl);
    for (const { proxy } of [postgres, redis]) proxy.freeze();
    const program = start('main', { DATABASE_URL: postgres.url, REDIS_CONFIG_URL: redis.url });
    await eventually(() => program.lines.length > 0);
    expect(await program.stop()).toEqual([0, null]);
  });

  it('fails readiness, then ends open streams; the log has one format, request ids and no secrets', async () => {
    // Enough for two requests on a busy machine; tests run concurrently.
    const { program, url } = await startServer({ DRAIN_NOTICE_MS: '5000' });
    const json = { 'content-type': 'application/json', origin: app.config.publicOrigin };
    const stream = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: { ...json, accept: 'text/event-stream', ...(await app.bearer(['admin'])) },
      body: JSON.stringify({ query: 'subscription { noticeAdded { __typename } }' }),
    });
    expect(stream.status).toBe(200);
    const traceId = 'a'.repeat(32);
    const secrets = {
      password: `wrong ${randomUUID()}`,
      bearer: `tga_live_${randomUUID()}`,
      query: randomUUID(),
    };
    const signIn = await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: {
        ...json,
        cookie: `session=${secrets.query}`,
        traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
      },
      body: JSON.stringify({ email: 'nobody@example.com', password: secrets.password }),
    });
    expect(signIn.status).toBe(401);
    await fetch(`${url}/graphql?token=${secrets.query}`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${secrets.bearer}` },
      body: JSON.stringify({ query: '{ viewer { __typename } }' }),
    });
    const stopped = program.stop();
    await program.line('stopping');
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'draining' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await stopped).toEqual([0, null]);
    // The server completed the stream; the connection was not cut.
    expect(await stream.text()).toContain('event: complete');

    expect(program.output.trimEnd().split('\n')).toHaveLength(program.lines.length);
    for (const line of program.lines) {
      expect(line).toMatchObject({ service: 'control-plane', msg: expect.any(String) });
      expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(['debug', 'info', 'warn', 'error']).toContain(line.level);
    }
    const requests = program.lines.filter(({ msg }) => msg === 'request');
    expect(requests.find(({ path }) => path === '/api/auth/sign-in/email')).toMatchObject({
      level: 'info',
      status: 401,
      requestId: signIn.headers.get('x-request-id'),
      traceId,
    });
    expect(requests.find(({ path }) => path === '/graphql')?.traceId).toBeUndefined();
    expect(requests.find(({ path }) => path === '/readyz')?.level).toBe('debug');
    for (const secret of [...Object.values(secrets), app.config.sessionSecret, app.config.tokenPepper])
      expect(program.output).not.toContain(secret);
  });

  it('stops a worker whose jobs wait for a hung Postgres', async () => {
    const postgres = await proxyTo(app.config.databaseUrl);
    const program = start('worker', { DATABASE_URL: postgres.url, METRICS_PORT: '0' });
    expect((await fetchPrivate(program, 'readyz')).status).toBe(200);
    const metrics = await (await fetchPrivate(program, 'metrics')).text();
    for (const name of ['tollgate_outbox_pending', 'tollgate_job_interval_seconds', 'tollgate_build_info'])
      expect(metrics).toContain(`\n${name}`);
    postgres.proxy.freeze();
    const [code, signal] = await program.stop();
    expect(signal).toBeNull();
    // 1: its jobs did not end in time.
    expect([0, 1]).toContain(code);
  });
});

describe.concurrent('tracing', () => {
  it('follows a change from the request through its statements to the jobs of the worker', async () => {
    const receiver = await startOtlpReceiver();
    // A separate Redis, because workers of other tests would take the job.
    const redis = await createTestRedis();
    closing.push(() => Promise.all([receiver.stop(), redis.stop()]));
    const env = { ...receiver.env, REDIS_CONFIG_URL: redis.url, REDIS_COUNTERS_URL: redis.url };
    const worker = start('worker', env);
    const { program, url } = await startServer(env);
    await worker.line('worker ready');
    const traceId = 'c'.repeat(32);
    const secret = randomUUID();
    const response = await fetch(`${url}/graphql?token=${secret}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${'d'.repeat(16)}-01`,
        ...(await app.bearer(['admin'])),
      },
      body: JSON.stringify({
        query: 'mutation { apiCreate(input: { key: "traced", name: "Traced" }) { userErrors { message } } }',
      }),
    });
    expect(await response.json()).toMatchObject({ data: { apiCreate: { userErrors: [] } } });
    const names = (service: string) =>
      receiver.spans
        .filter((span) => span.service === service && span.traceId === traceId)
        .map(({ name }) => name);
    const hasAll = () =>
      names('tollgate-worker').some((name) => /policy/.test(name)) &&
      names('tollgate-control-plane').some((name) => /prisma/.test(name));
    await eventually(hasAll);
    expect(names('tollgate-control-plane')).toContain('POST /graphql');
    await Promise.all([program.stop(), worker.stop()]);
    expect(JSON.stringify(receiver.spans)).not.toContain(secret);
    const logged = program.lines.find(({ msg, path }) => msg === 'request' && path === '/graphql');
    expect(logged?.traceId).toBe(traceId);
  });
});
