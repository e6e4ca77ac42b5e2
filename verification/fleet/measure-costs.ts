// Measures what Redis spends on the calls of a fleet, for the simulation and docs/operate/scaling.md, and writes it to
// docs/benchmarks/constants.json. Takes about a minute.
// Usage: pnpm simulate:fleet -- --measure
import { readFileSync, writeFileSync } from 'node:fs';
import type { Catalogue } from '@tollgate/contracts';
import { RedisStore } from '@tollgate/limiter/stores';
import { compilePool, newSigningKey, PolicySigner, PolicyVerifier } from '@tollgate/policy';
import { Redis } from 'ioredis';
import { PolicyRecords } from '../../packages/decision-plane/src/feed/policy-records.js';
import {
  readNodeReports,
  writeNodeReport,
} from '../../packages/decision-plane/src/policy-redis/node-reports.js';
import { USAGE_STREAM } from '../../packages/decision-plane/src/policy-redis/node-streams.js';
import {
  PolicyPublisher,
  PolicySource,
  serializeCatalogue,
} from '../../packages/decision-plane/src/policy-redis/policy-store.js';
import { exchangePool } from '../../packages/decision-plane/src/scripts/pools.js';
import { startBenchServer } from '../bench/decisions/bench-server.ts';
import { checkOf, compiledBy, RULES } from '../bench/decisions/fixtures.ts';
import { median, spin } from '../bench/measure.ts';
import { CONSTANTS_FILE, type OperationCosts } from './constants.ts';

const CATALOGUE_BYTES = 100_000;
/** Nodes that call at the same time, each on its connection. */
const NODES = 20;
const CALLS = 10_000;
const LARGE_CALLS = 2000;
const ROUNDS = 3;
const server = await startBenchServer();
const { redis } = server;
const clients = Array.from({ length: NODES }, () => new Redis(server.url));

/** CPU time of the server per call, µs; median of the rounds. @param call as node `n` modulo {@link NODES} */
async function costOf(call: (n: number) => Promise<unknown>, calls = CALLS): Promise<number> {
  const round = async (count: number) => {
    const beforeUs = await server.cpuUs();
    for (let n = 0; n < count; n += NODES) await Promise.all(clients.map((_, node) => call(n + node)));
    return ((await server.cpuUs()) - beforeUs) / count;
  };
  await round(calls / 10);
  const rounds: number[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(calls));
  return median(rounds);
}

const clientOf = (n: number) => clients[n % NODES] as Redis;

/** Cost of a call and of each of its parts, from two sizes. */
async function linear(sizes: [number, number], measure: (size: number) => Promise<number>) {
  const [small, large] = [await measure(sizes[0]), await measure(sizes[1])];
  const each = Math.max(0, (large - small) / (sizes[1] - sizes[0]));
  return { base: Math.max(0, small - each * sizes[0]), each };
}

const reportOf = (node: number) => ({
  nodeId: `node-${node}`,
  epoch: 'simulated',
  version: '0.1.0',
  startedAtMs: 0,
  seenAtMs: 0,
  revision: 1,
  applyLatencyMs: null,
  nack: null,
  degraded: false,
});

async function measurePolicy() {
  const signer = new PolicySigner(newSigningKey());
  const publisher = new PolicyPublisher(redis, signer);
  const catalogue: Catalogue = { kind: 'catalogue', revision: 1, apis: [], tiers: [], serviceTokens: [] };
  const { hash: catalogueHash } = serializeCatalogue(catalogue);
  await publisher.publish({
    head: { revision: 1, catalogueRevision: 1, catalogueHash, publishedAtMs: 0 },
    over: await publisher.readHead(),
    catalogue,
    tenants: [
      Array.from({ length: 1000 }, (_, n) => ({
        tenant: `tenant-${n}`,
        record: {
          kind: 'tenant',
          revision: 1,
          tenant: `tenant-${n}`,
          status: 'active',
          tier: 'free',
          pinnedVersion: null,
        },
      })),
    ],
    announcement: () => ({ revision: 1, previous: 0, catalogueChanged: true, tenants: [] }),
  });
  await redis.set('tg:policy:catalogue', 'x'.repeat(CATALOGUE_BYTES));
  const sources = clients.map((client) => new PolicySource(client));
  const sourceOf = (n: number) => sources[n % NODES] as PolicySource;
  const names = (count: number) => Array.from({ length: count }, (_, n) => `tenant-${n}`);
  return {
    poll: await costOf((n) => sourceOf(n).poll()),
    readTenants: await linear([1, 500], (count) =>
      costOf((n) => sourceOf(n).readTenants(names(count)), count > 1 ? LARGE_CALLS : CALLS),
    ),
    openTenant: await costOfOpening(new PolicyRecords(new PolicyVerifier([signer.publicKey]))),
    readCatalogue: await costOf((n) => sourceOf(n).readCatalogue(), LARGE_CALLS),
    publish: await measurePublish(),
  };
}

/** CPU time of this process per tenant record, µs. */
async function costOfOpening(records: PolicyRecords): Promise<number> {
  const names = Array.from({ length: 500 }, (_, n) => `tenant-${n}`);
  const stored = await new PolicySource(redis).readTenants(names);
  const open = () => names.forEach((name, n) => void records.tenant(name, stored[n] ?? ''));
  return 1e6 / ((await spin(open, 1000)) * names.length);
}

async function measurePublish() {
  const measure = async (count: number) => {
    const subscribers = Array.from({ length: count }, () => new Redis(server.url));
    await Promise.all(subscribers.map((subscriber) => subscriber.subscribe('announcements')));
    const us = await costOf((n) => clientOf(n).publish('announcements', 'x'.repeat(200)), LARGE_CALLS);
    for (const subscriber of subscribers) subscriber.disconnect();
    return us;
  };
  return linear([1, 50], measure);
}

async function measureNodes() {
  const writeReport = await costOf((n) => writeNodeReport(clientOf(n), reportOf(n % 200)));
  const readReports = await linear([20, 200], async (nodes) => {
    await redis.del('tg:nodes');
    for (let n = 0; n < nodes; n++) await writeNodeReport(redis, reportOf(n));
    return costOf((n) => readNodeReports(clientOf(n)), LARGE_CALLS);
  });
  const row = {
    tenant: 'acme',
    api: 'shop',
    operation: 'buy',
    limit: 'per-minute',
    outcome: 'allowed',
  } as const;
  const writeFrame = await linear([1, 1000], (rows) =>
    costOf(
      (n) =>
        USAGE_STREAM.write(clientOf(n), {
          nodeId: 'n1',
          epoch: 'e1',
          sequence: n + 1,
          atMs: 0,
          rows: Array.from({ length: rows }, () => ({ ...row, minute: 1, count: 1, units: 1 })),
        }),
      rows > 1 ? LARGE_CALLS : CALLS,
    ),
  );
  return { writeReport, readReports, writeFrame };
}

async function measureCounters() {
  const exchange = await linear([10, 200], async (nodes) => {
    const pool = compilePool('shop', {
      name: `of-${nodes}`,
      operations: [],
      capacity: 1e6,
      reclaimPercent: 80,
    });
    const report = (n: number) => ({
      ...{ node: `node-${n % nodes}`, own: [0, 10, 0] as const, demand: [0, 10, 0] as const },
      ...{ borrowers: [], services: [] },
    });
    for (let n = 0; n < nodes; n++) await exchangePool(redis, pool, report(n));
    return costOf((n) => exchangePool(clientOf(n), pool, report(n)), LARGE_CALLS);
  });
  const stores = clients.map(() => new RedisStore({ url: server.url, deadlineMs: 5000 }));
  const storeOf = (n: number) => stores[n % NODES] as RedisStore;
  await Promise.all(stores.map((store) => store.connected(5000)));
  const limit = compiledBy(RULES.fixed_window ?? raise());
  const take = await costOf((n) => storeOf(n).amend({ op: 'take', check: checkOf(limit, n % 1000, 1000) }));
  const requestOf = (n: number) => ({ checks: [checkOf(limit, n % 100_000, 1000)], peek: false });
  const decide = await linear([1, 64], (size) =>
    costOf(
      (n) => Promise.all(Array.from({ length: size }, (_, i) => storeOf(n).charge(requestOf(n * size + i)))),
      size > 1 ? LARGE_CALLS : CALLS,
    ),
  );
  const decideBytes = await bytesOf(async () => {
    for (let n = 0; n < 200; n++)
      await Promise.all(Array.from({ length: 16 }, (_, i) => storeOf(n).charge(requestOf(n * 16 + i))));
  }, 200 * 16);
  await Promise.all(stores.map((store) => store.close()));
  return { exchange, take, decide, decideBytes };
}

/** Bytes that the server received and sent, per operation. */
async function bytesOf(work: () => Promise<void>, operations: number): Promise<number> {
  const read = async () => {
    const stats = await redis.info('stats');
    const bytes = (name: string) =>
      Number(new RegExp(`^total_net_${name}_bytes:(.*)$`, 'm').exec(stats)?.[1]);
    return bytes('input') + bytes('output');
  };
  const before = await read();
  await work();
  return ((await read()) - before) / operations;
}

function raise(): never {
  throw new Error('no such rule');
}

/** Two significant digits are more than a busy machine repeats. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(2));
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, rounded(part)]));
}

const operations = rounded({
  ...(await measurePolicy()),
  ...(await measureNodes()),
  ...(await measureCounters()),
}) as OperationCosts;
for (const client of clients) client.disconnect();
await server.stop();
const constants = JSON.parse(readFileSync(CONSTANTS_FILE, 'utf8'));
writeFileSync(CONSTANTS_FILE, `${JSON.stringify({ ...constants, operations }, null, 2)}\n`);
console.log(JSON.stringify(operations, null, 2));
