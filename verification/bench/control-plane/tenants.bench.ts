// Usage: pnpm bench tenants [--tenants 100_000]
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publicKeyOf } from '@tollgate/policy';
import { Redis } from 'ioredis';
import { RelayService } from '../../../apps/control-plane/src/features/distribution/index.js';
import { Database } from '../../../apps/control-plane/src/platform/prisma/database.js';
import { API, OPERATION, openPolicyStack } from '../../chaos/control-plane/policy-stack.ts';
import { percentile } from '../../until.ts';
import { readOptions } from '../measure.ts';
import { printNumbers } from '../table.ts';

const LIMIT = 1_000_000;
const HOLDING = fileURLToPath(new URL('./holding-node.ts', import.meta.url));
const COLD = 1000;
const MB = 1_048_576;

const { tenants } = readOptions({ tenants: 100_000 });
printNumbers(`${tenants} tenants`, await benchTenants(tenants));
process.exit(0);

/** Cost of many tenants: publication, Redis, a node that holds all of them, and the first decision for one. */
async function benchTenants(tenants: number): Promise<Record<string, number>> {
  const stack = await openPolicyStack({ nodes: 0, limit: LIMIT });
  const redis = new Redis(stack.redisUrl);
  try {
    const { client } = stack.context.get(Database);
    await client.$executeRaw`
      INSERT INTO "tenant" ("id", "key", "name", "updated_at")
      SELECT 'ten_b' || i, 'tenant-' || i, 'Tenant ' || i, now() FROM generate_series(1, ${tenants}::int) AS i`;
    await client.$executeRaw`
      INSERT INTO "subscription" ("id", "tenant_id", "tier_id")
      SELECT 'sub_b' || i, 'ten_b' || i, (SELECT "id" FROM "tier" WHERE "key" = 'basic') FROM generate_series(1, ${tenants}::int) AS i`;
    const before = await usedMemory(redis);
    await redis.del('tg:policy:head');
    const blocked = watchEventLoop();
    const startMs = performance.now();
    await stack.context.get(RelayService, { strict: false }).run();
    const publishMs = performance.now() - startMs;
    const longestBlockMs = blocked();
    const redisBytes = (await usedMemory(redis)) - before;
    const node = await stack.startNode('bench');
    const ask = (i: number) => node.peek({ tenant: `tenant-${i}`, api: API, operation: OPERATION });
    const coldMs: number[] = [];
    for (let i = 1; i <= Math.min(COLD, tenants); i++) {
      const askedMs = performance.now();
      await ask(i);
      coldMs.push(performance.now() - askedMs);
    }
    await node.close();
    const held = await holdAll(stack.redisUrl, publicKeyOf(stack.signingKey), tenants);
    return {
      'publish all s': publishMs / 1000,
      'longest stop of the event loop ms': longestBlockMs,
      'Redis bytes a tenant': redisBytes / tenants,
      'node RSS MB, before': held.before / MB,
      'node RSS MB, all held': held.after / MB,
      'first decision of a cold tenant p50 ms': percentile(coldMs, 0.5),
      'first decision of a cold tenant p99 ms': percentile(coldMs, 0.99),
    };
  } finally {
    redis.disconnect();
    await stack.stop();
  }
}

/** Memory of a separate node, bytes, before and after it has loaded every tenant. */
async function holdAll(
  url: string,
  publicKey: string,
  tenants: number,
): Promise<{ before: number; after: number }> {
  // As docker/decision-api.Dockerfile starts one.
  const flags = ['--no-warnings', '--expose-gc', '--max-semi-space-size=16'];
  const args = [...flags, HOLDING, url, publicKey, String(tenants)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { before: number; after: number };
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** Measures event loop delay. @returns a function that returns the longest one, ms */
function watchEventLoop(): () => number {
  let longestMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 5);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
}
