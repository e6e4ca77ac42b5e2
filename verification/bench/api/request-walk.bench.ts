import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { DecisionPlane } from '@tollgate/decision-plane';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis } from '@tollgate/test-kit';
import { pino } from 'pino';

// pnpm bench request-walk: lists the files of ours that run for one strict `POST /v1/limit`, by V8's coverage, and how many of their functions. Files that also run without a request, such as timers, are left out.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PEPPERS = new Map([[1, 'a pepper for this program, 32 characters or more']]);
const ROUNDS = 20;

// Compiled, as in production.
const { createDecisionServer }: typeof import('../../../apps/decision-api/src/server.js') = await import(
  built('server.js')
);
const { ServerMetrics }: typeof import('../../../apps/decision-api/src/metrics/metrics.js') = await import(
  built('metrics/metrics.js')
);

const redis = await createTestRedis();
const relay = new TestRelay(redis.url);
const token = issueToken('tga', 'live');
await relay.publish({
  limits: [
    {
      name: 'per-minute',
      api: 'url-shortener',
      operations: [],
      per: ['user'],
      onUnavailable: 'share',
      algorithm: 'gcra',
      limit: 1_000_000,
      windowMs: 60_000,
      burst: 999_999,
    },
  ],
  tenants: [relay.tenant('acme')],
  serviceTokens: [
    {
      publicId: token.publicId,
      hash: hashToken(token.token, PEPPERS.get(1) ?? ''),
      scopes: ['decide'],
      expiresAtMs: null,
    },
  ],
});
const plane = await DecisionPlane.start({
  countersUrl: redis.url,
  configUrl: redis.url,
  policyKeys: 'unsigned',
  nodeId: 'walk',
  version: 'walk',
  recordTraffic: true,
});
const server = createDecisionServer({
  plane,
  metrics: new ServerMetrics(),
  peppers: PEPPERS,
  logger: pino({ level: 'silent' }),
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/limit`;

function built(file: string): string {
  return new URL(`../../../apps/decision-api/dist/${file}`, import.meta.url).href;
}

async function ask(): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      tenant: 'acme',
      api: 'url-shortener',
      operation: 'createURL',
      subject: { user: 'u1' },
    }),
  });
  if (!(await response.text()).includes('"success":true')) throw new Error(`answered ${response.status}`);
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Functions of ours that ran since the last call, by file. */
async function ran(): Promise<Map<string, Set<string>>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Map<string, Set<string>>();
  for (const { url: script, functions } of result) {
    if (!script.startsWith(`file://${ROOT}`) || script.includes('/node_modules/')) continue;
    const names = functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName, ranges }) => `${functionName}@${ranges[0]?.startOffset}`);
    const file = path.relative(ROOT, fileURLToPath(script));
    if (names.length > 0 && !file.includes('/bench/')) files.set(file, new Set(names));
  }
  return files;
}

/** What each of several samples has in common. */
function common(samples: readonly Map<string, Set<string>>[]): Map<string, Set<string>> {
  const [first = new Map<string, Set<string>>(), ...others] = samples;
  return new Map(
    [...first].flatMap(([file, names]) => {
      const kept = [...names].filter((name) => others.every((other) => other.get(file)?.has(name) ?? false));
      return kept.length > 0 ? [[file, new Set(kept)] as const] : [];
    }),
  );
}

for (let i = 0; i < ROUNDS; i++) await ask();
const walks: Map<string, Set<string>>[] = [];
for (let i = 0; i < ROUNDS; i++) {
  await delay(1);
  await ran();
  await ask();
  walks.push(await ran());
}
const idle: Map<string, Set<string>>[] = [];
for (let i = 0; i < ROUNDS; i++) {
  await ran();
  await delay(20);
  idle.push(await ran());
}
const timers = common(idle);
const walk = [...common(walks)]
  .map(([file, names]) => [file, [...names].filter((name) => !timers.get(file)?.has(name)).length] as const)
  .filter(([, functions]) => functions > 0)
  .sort();
for (const [file, functions] of walk) console.log(`${String(functions).padStart(4)}  ${file}`);
console.log(`${walk.length} files (goal: 20)`);

server.closeAllConnections();
server.close();
await plane.close();
relay.close();
await redis.stop();
