import os from 'node:os';
import * as documents from '../../../apps/console/src/generated/graphql.ts';
import { startPlane } from '../../chaos/control-plane/running-plane.ts';
import { percentile } from '../../until.ts';
import { readOptions } from '../measure.ts';
import { fillInstallation, listFilledKeys } from './large-installation.ts';

// Usage: pnpm bench pages [--tenants 100000] [--rate 50] [--seconds 60] [--overload 200]
// Fills a database with tenants, and sends the queries of the console's pages and of an automation at a steady rate to one built
// control plane: alone, then far above its capacity. Prints latency and goodput, and the capacity that the same run measured.

const { tenants, rate, seconds, overload } = readOptions({
  tenants: 100_000,
  rate: 50,
  seconds: 60,
  overload: 200,
});

const WARM_UP_SECONDS = 15;
const OVERLOAD_SECONDS = 20;
const AT_ONCE = 16;

const AUTOMATION = `query Automation($after: String) {
  tenants(first: 100, after: $after) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { id key name status tags version subscription { pinned tier { key } } }
  }
}`;

// As in the image.
const NODE_ENV = 'production';
const plane = await startPlane(1, { NODE_ENV, GRAPHQL_POINTS_PER_SECOND: '1000000' });
const url = `${plane.urls[0]}/graphql`;
const headers = { ...plane.admin, 'content-type': 'application/json', 'accept-encoding': 'gzip' };

let turn = 0;
/** Spread evenly over all tenants, the same in each run. */
const next = (of) => of[(turn * 7919) % of.length];

async function send({ query, variables }) {
  const startedMs = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  return { tookMs: performance.now() - startedMs, status: response.status, data, errors };
}

/** The queries by name, each with its share of requests. */
async function listQueries() {
  const keys = await listFilledKeys(plane.ownerUrl);
  const board = (variables) => () => ({
    query: String(documents.TenantBoardDocument),
    variables: { first: 50, orderBy: 'UTILIZATION', descending: true, ...variables() },
  });
  const query =
    (document, variables = () => ({})) =>
    () => ({ query: String(document), variables: variables() });
  const cursor = async (orderBy, descending) =>
    (await send(board(() => ({ orderBy, descending }))())).data.tenantUtilization.pageInfo.endCursor;
  const after = await cursor('UTILIZATION', true);
  const afterName = await cursor('NAME', false);
  const { data } = await send({ query: '{ tiers(first: 10) { nodes { key tenantCount } } }' });
  const tiers = data.tiers.nodes.filter(({ tenantCount }) => tenantCount > 0).map(({ key }) => key);
  const words = ['globex', 'hooli-media', 'initech labs 7', 'bank', '12345', 'nobody has this name'];
  const month = () => new Date(Date.now() - 86_400_000).toISOString();
  return {
    'board, first page': [9, board(() => ({}))],
    'board, next page': [2, board(() => ({ after }))],
    'board by name, next page': [1, board(() => ({ orderBy: 'NAME', descending: false, after: afterName }))],
    'board by requests': [1, board(() => ({ orderBy: 'REQUESTS' }))],
    'board by tier': [1, board(() => ({ orderBy: 'TIER', descending: false }))],
    'board, search': [3, board(() => ({ search: next(words) }))],
    'board, of a tier': [2, board(() => ({ tier: next(tiers) }))],
    'board, suspended': [1, board(() => ({ status: 'SUSPENDED' }))],
    'board, from 80 %': [1, board(() => ({ minPercent: 80 }))],
    'board, denied': [1, board(() => ({ denied: true }))],
    count: [5, query(documents.TenantBoardCountDocument)],
    'count, search': [2, query(documents.TenantBoardCountDocument, () => ({ search: next(words) }))],
    'count, of a tier': [1, query(documents.TenantBoardCountDocument, () => ({ tier: next(tiers) }))],
    tenant: [6, query(documents.TenantDetailDocument, () => ({ key: next(keys) }))],
    'tenant, utilization': [4, query(documents.LimitUtilizationDocument, () => ({ tenantKey: next(keys) }))],
    'tenant, on the board': [3, board(() => ({ first: 1, tenantKey: next(keys) }))],
    'search, palette': [
      2,
      query(documents.PaletteSearchDocument, () => ({ text: next(words), status: 'ACTIVE' })),
    ],
    'search, choice': [1, query(documents.MatchingTenantsDocument, () => ({ search: next(words) }))],
    tiers: [2, query(documents.TiersDocument, () => ({ first: 20 }))],
    traffic: [2, query(documents.TrafficDocument, () => ({ from: month() }))],
    'most denied': [
      1,
      query(documents.TrafficLeaderDocument, () => ({ from: month(), to: new Date().toISOString() })),
    ],
    viewer: [1, query(documents.ViewerDocument)],
    'automation, first page': [1, query(AUTOMATION)],
    'automation, middle page': [1, query(AUTOMATION, () => ({ after: cursorOf(next(keys)) }))],
  };
}

const cursorOf = (key) => Buffer.from(JSON.stringify(['tenants', key])).toString('base64url');

/** Names in an order that mixes them: each as often as its share. */
function mixOf(queries) {
  const deck = Object.entries(queries).flatMap(([name, [share]]) =>
    Array.from({ length: share }, (_, i) => ({ name, at: (i + 0.5) / share })),
  );
  return deck.sort((a, b) => a.at - b.at).map(({ name }) => name);
}

async function answer(queries, name) {
  turn += 1;
  const result = await send(queries[name][1]()).catch((error) => ({ tookMs: 0, status: 0, errors: [error] }));
  const codes = (result.errors ?? []).map(({ extensions, message }) => extensions?.code ?? message);
  return { name, tookMs: result.tookMs, status: result.status, code: codes[0] };
}

/** Sends at a steady rate, whether answers come or not. */
async function offer(queries, perSecond, forSeconds) {
  const mix = mixOf(queries);
  const answers = [];
  const startedMs = performance.now();
  for (let i = 0; i < perSecond * forSeconds; i++) {
    const waitMs = startedMs + (i * 1000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    answers.push(answer(queries, mix[i % mix.length]));
  }
  const all = await Promise.all(answers);
  return { all, tookS: (performance.now() - startedMs) / 1000 };
}

/** Answers per second of callers that each send the next request after an answer. */
async function measureCapacity(queries, forSeconds) {
  const mix = mixOf(queries);
  const startedMs = performance.now();
  let count = 0;
  const caller = async (first) => {
    for (let i = first; performance.now() - startedMs < forSeconds * 1000; i += AT_ONCE) {
      await answer(queries, mix[i % mix.length]);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => caller(i)));
  return count / ((performance.now() - startedMs) / 1000);
}

const figures = (times) =>
  `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms`;

function report(title, { all, tookS }) {
  const good = all.filter(({ code }) => code === undefined);
  const codes = Map.groupBy(
    all.filter(({ code }) => code !== undefined),
    ({ status, code }) => `${status} ${code}`,
  );
  const failed = [...codes].map(
    ([code, some]) => `, ${code}: ${some.length} (${figures(some.map((one) => one.tookMs))})`,
  );
  console.log(
    `${title}: ${all.length} requests, ${(good.length / tookS).toFixed(1)}/s answered, ${figures(good.map(({ tookMs }) => tookMs))}${failed.join('')}`,
  );
}

const load = () => os.loadavg()[0]?.toFixed(2);

try {
  const filledMs = performance.now();
  await fillInstallation(plane.ownerUrl, tenants);
  console.log(
    `${os.cpus()[0]?.model} × ${os.cpus().length}, Node ${process.version}, load ${load()}; ${tenants} tenants filled in ${((performance.now() - filledMs) / 1000).toFixed(0)} s`,
  );
  const queries = await listQueries();
  await offer(queries, rate / 2, WARM_UP_SECONDS);
  const steady = await offer(queries, rate, seconds);
  report(`${rate}/s`, steady);
  for (const [name, some] of Map.groupBy(steady.all, ({ name }) => name))
    console.log(`  ${name.padEnd(26)} ${figures(some.map(({ tookMs }) => tookMs))}`);
  const p99 = percentile(
    steady.all.map(({ tookMs }) => tookMs),
    0.99,
  );
  console.log(`p99 ${p99.toFixed(0)} ms at ${rate}/s; load ${load()}`);
  console.log(
    `capacity, ${AT_ONCE} callers: ${(await measureCapacity(queries, OVERLOAD_SECONDS)).toFixed(0)}/s`,
  );
  report(`${overload}/s`, await offer(queries, overload, OVERLOAD_SECONDS));
  console.log(`load ${load()} at the end`);
} finally {
  await plane.stop();
}
process.exit(0);
