// Measures GraphQL of a built control plane: 100 mixed requests a second, alone and beside twelve expensive documents that are
// sent repeatedly; and the time until each of these is rejected.
// Usage: pnpm bench graphql [--seconds 20]

import { EXPENSIVE_DOCUMENTS } from '../../../apps/control-plane/test/support/expensive-documents.ts';
import { startPlane } from '../../chaos/control-plane/running-plane.ts';
import { percentile } from '../../until.ts';
import { readOptions } from '../measure.ts';

const { seconds } = readOptions({ seconds: 20 });
const PER_SECOND = 100;
const EXPENSIVE_PER_SECOND = 24;

const MIX = [
  '{ viewer { id permissions } }',
  '{ tenants(first: 20) { totalCount nodes { key name status subscription { tier { key } } } pageInfo { endCursor } } }',
  '{ tiers(first: 20) { nodes { key tenantCount published { number limits { name summary } } } } }',
  '{ apis(first: 20) { nodes { key operations { name cost } } } }',
  '{ tenant(key: "acme") { effectiveLimits { source limit { name } live { used remaining } } } }',
  '{ auditEntries(first: 20) { nodes { at actor action } } }',
  'mutation { tenantSuspend(input: { tenantKey: "acme", expectedVersion: 0, dryRun: true }) { userErrors { code } } }',
];

const plane = await startPlane(1, { GRAPHQL_POINTS_PER_SECOND: '1000000' });
const url = `${plane.urls[0]}/graphql`;
const headers = { ...plane.admin, 'content-type': 'application/json' };

async function send(body: string): Promise<{ tookMs: number; text: string }> {
  const startedMs = performance.now();
  // A body above the limit is rejected while it is being sent, which closes the connection.
  const text = await fetch(url, { method: 'POST', headers, body }).then(
    (response) => response.text(),
    () => '{"errors":"the connection was ended"}',
  );
  return { tookMs: performance.now() - startedMs, text };
}

/** Sends at a steady rate, whether answers come or not. */
async function offer(bodies: readonly string[], perSecond: number, forSeconds: number) {
  const answers: Promise<Awaited<ReturnType<typeof send>>>[] = [];
  const startedMs = performance.now();
  for (let i = 0; i < perSecond * forSeconds; i++) {
    const waitMs = startedMs + (i * 1000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    answers.push(send(bodies[i % bodies.length] ?? ''));
  }
  return Promise.all(answers);
}

const mix = MIX.map((query) => JSON.stringify({ query }));
const expensive = EXPENSIVE_DOCUMENTS.map(({ body }) => body);

function report(name: string, answers: { tookMs: number; text: string }[]): void {
  const times = answers.map(({ tookMs }) => tookMs);
  const failed = answers.filter(({ text }) => text.includes('"errors"')).length;
  const figures = [50, 99].map((p) => `p${p} ${percentile(times, p / 100).toFixed(1)} ms`).join(', ');
  console.log(`${name}: ${answers.length} requests, ${figures}, ${failed} with errors`);
}

try {
  await offer(mix, PER_SECOND, 5);
  for (const { name, body } of EXPENSIVE_DOCUMENTS) {
    await send(body);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) times.push((await send(body)).tookMs);
    console.log(
      `rejected: ${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
    );
  }
  report(`${PER_SECOND}/s mixed, alone`, await offer(mix, PER_SECOND, seconds));
  const [besides] = await Promise.all([
    offer(mix, PER_SECOND, seconds),
    offer(expensive, EXPENSIVE_PER_SECOND, seconds),
  ]);
  report(`${PER_SECOND}/s mixed, with ${EXPENSIVE_PER_SECOND}/s expensive ones`, besides);
} finally {
  await plane.stop();
}
