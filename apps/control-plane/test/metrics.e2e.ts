import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from '../src/platform/metrics/metrics.js';
import { startTestApp, type TestApp } from './support/test-app.js';

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

it('counts requests by route and GraphQL operations by outcome', async () => {
  await app.graphql('{ tiers { nodes { key } } }');
  await app.graphql('{ nothing }');
  const values = await read();
  expect(values.get('tollgate_graphql_operations_total{type="query",outcome="ok"}')).toBeGreaterThan(0);
  expect(values.get('tollgate_graphql_operations_total{type="invalid",outcome="rejected"}')).toBe(1);
  expect(
    values.get('tollgate_http_requests_total{route="/graphql",method="POST",status="200"}'),
  ).toBeGreaterThan(0);
  expect(values.get('tollgate_http_request_duration_seconds_count{route="/graphql"}')).toBeGreaterThan(0);
});

it('counts runs of jobs, and reads the backlog of the installation', async () => {
  const names = [
    'tollgate_job_runs_total{job="usage-ingest",outcome="ok"}',
    'tollgate_outbox_pending',
    'tollgate_outbox_oldest_age_seconds',
    'tollgate_webhook_oldest_pending_seconds',
    'tollgate_mail_oldest_pending_seconds',
    'tollgate_purchases_awaiting_operator',
    'tollgate_usage_lag_seconds',
    'tollgate_usage_export_lag_seconds',
    'tollgate_nodes{state="live"}',
    'tollgate_db_pool_connections{state="idle"}',
    'bullmq_job_count{queue="jobs",state="failed"}',
  ];
  // A reading that takes too long on a busy machine is left out of its scrape.
  const values = await eventually(async () => {
    const now = await read();
    return names.every((name) => now.has(name)) && ![...now.values()].includes(Number.NaN) && now;
  });
  expect(values.get('tollgate_job_interval_seconds{job="usage-ingest"}')).toBe(1);
});
