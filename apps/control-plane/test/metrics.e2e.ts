import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from '../src/platform/metrics/metrics.js';
import { eventually } from './support/eventually.js';
import { startTestApp, type TestApp, testVariables } from './support/test-app.js';

const WORKER = fileURLToPath(new URL('../dist/worker.js', import.meta.url));

let app: TestApp;
let metrics: Metrics;

beforeAll(async () => {
  app = await startTestApp();
  metrics = app.app.get(Metrics, { strict: false });
});
afterAll(() => app.stop());

/** Values by series. */
async function read(): Promise<Map<string, number>> {
  const lines = (await metrics.read()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

it('counts requests by route and GraphQL operations by outcome, and serves nothing on the public port', async () => {
  await app.graphql('{ tiers { nodes { key } } }');
  await app.graphql('{ nothing }');
  const values = await read();
  expect(values.get('tollgate_graphql_operations_total{type="query",outcome="ok"}')).toBeGreaterThan(0);
  expect(values.get('tollgate_graphql_operations_total{type="invalid",outcome="rejected"}')).toBe(1);
  expect(
    values.get('tollgate_http_requests_total{route="/graphql",method="POST",status="200"}'),
  ).toBeGreaterThan(0);
  expect(values.get('tollgate_http_request_duration_seconds_count{route="/graphql"}')).toBeGreaterThan(0);
  expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
});

it('counts runs of jobs, and reads the backlog of the installation', async () => {
  const values = await eventually(async () => {
    const now = await read();
    return now.get('tollgate_job_runs_total{job="usage-ingest",outcome="ok"}') === undefined
      ? undefined
      : now;
  });
  expect(values.get('tollgate_job_interval_seconds{job="usage-ingest"}')).toBe(1);
  for (const name of [
    'tollgate_outbox_pending',
    'tollgate_outbox_oldest_age_seconds',
    'tollgate_webhook_oldest_pending_seconds',
    'tollgate_mail_oldest_pending_seconds',
    'tollgate_purchases_awaiting_operator',
    'tollgate_usage_lag_seconds',
    'tollgate_nodes{state="live"}',
    'tollgate_db_pool_connections{state="idle"}',
    'bullmq_job_count{queue="jobs",state="failed"}',
  ])
    expect([name, values.get(name)]).toEqual([name, expect.any(Number)]);
  expect([...values].filter(([, value]) => Number.isNaN(value))).toEqual([]);
});

/** The port in a process's log line. */
async function portOf(lines: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface(lines)) {
    const { msg, port } = JSON.parse(line) as { msg: string; port: number };
    if (msg === 'metrics server listening') return port;
  }
  throw new Error('the process ended');
}

it('a separate worker serves its metrics on a private port', async () => {
  const services = { databaseUrl: app.config.databaseUrl, redisUrl: app.redisUrl };
  const settings = { WORKER: 'separate', METRICS_PORT: '0', LOG_LEVEL: 'info' };
  const env = { PATH: process.env.PATH ?? '', ...testVariables(services), ...settings };
  const worker = spawn(process.execPath, [WORKER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(worker, 'exit');
  try {
    const origin = `http://127.0.0.1:${await portOf(worker.stdout)}`;
    worker.stdout.resume();
    const text = await (await fetch(`${origin}/metrics`)).text();
    for (const name of ['tollgate_outbox_pending', 'tollgate_job_interval_seconds', 'tollgate_build_info'])
      expect(text).toContain(`\n${name}`);
    expect((await fetch(`${origin}/graphql`, { method: 'POST' })).status).toBe(404);
  } finally {
    worker.kill('SIGTERM');
    await exited;
  }
});
