import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { startLossyProxy } from '@tollgate/decision-plane/testing';
import { startPostgres } from '@tollgate/embedded';
import { startRealRedis } from '@tollgate/test-kit';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';
import { until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { CountedNode, end, type NodeCount, startWorker } from './counted-node.ts';

const SECRET = 'a secret of no use to anybody, long enough';
const CONSUMES = 10_000_000;
const NODE_KILLS = 20;
const WORKER_KILLS = 10;
const NODES = 4;
const WORKERS = 2;
const PER_SECOND = 100_000;
const TENANTS = Array.from({ length: 5 }, (_, i) => `tenant-${i}`);
const API = 'shop';

/** A killed node loses unsent usage: one second, and one write that must be repeated. */
const RISK_MS = 1000 + 250;

/** In a short run, beside other tests, nodes send late. */
const SHORT_RISK_MS = 10_000;
const SHORT_BELOW = 0.1;

/** Share of the replies to nodes and of the frames in the stream. */
const LOST_REPLIES = 0.02;
const REPEATED = 5;

/** Kills nodes and workers, loses replies and repeats frames, and compares stored usage with the nodes' counts. */
export const usageIsNeverHigh: Goal = {
  id: 'C11',
  title: 'usage is exact or low, never high',
  passLine: 'a killed node loses a second, a killed worker nothing',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-c11-'));
    const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false });
    const server = await startRealRedis({ durable: true });
    const proxy = await startLossyProxy(server.port, () => random.next());
    const redis = new Redis(server.url);
    const databaseUrl = postgres.databaseUrl('tollgate');
    const applicationUrl = await migrateForApplication(databaseUrl, SECRET);
    const database = createPrismaClient(databaseUrl, { max: 2 });
    await createPolicy(database);
    const env = {
      DATABASE_URL: applicationUrl,
      REDIS_CONFIG_URL: server.url,
      SESSION_SECRET: SECRET,
      TOKEN_PEPPER: 'a pepper of no use to anybody, long enough',
      LOG_LEVEL: 'silent',
    };
    const workers = Array.from({ length: WORKERS }, () => startWorker(env));
    const counts: NodeCount[] = [];
    let processes = 0;
    const startNode = (index: number) =>
      CountedNode.start(folder, {
        nodeId: `node-${index}`,
        configUrl: `redis://127.0.0.1:${proxy.port}`,
        countersUrl: server.url,
        tenants: TENANTS,
        api: API,
        operation: `run${++processes}`,
        perSecond: PER_SECOND,
      });
    const nodes: CountedNode[] = [];
    try {
      nodes.push(...Array.from({ length: NODES }, (_, index) => startNode(index)));
      const kills = [
        ...Array.from({ length: Math.ceil(NODE_KILLS * scale) }, () => 'node' as const),
        ...Array.from({ length: Math.ceil(WORKER_KILLS * scale) }, () => 'worker' as const),
      ].sort(() => random.next() - 0.5);
      const total = () =>
        nodes.reduce((sum, node) => sum + node.answered, 0) +
        counts.reduce((sum, { answered }) => sum + answered, 0);
      await until('the nodes decide', () => nodes.every(({ answered }) => answered > 0), {
        timeoutMs: 120_000,
      });
      proxy.setLoss(LOST_REPLIES);
      let repeated = 0;
      for (let done = 1; done <= kills.length; done++) {
        await until('the next part is decided', () => total() >= (CONSUMES * scale * done) / kills.length, {
          timeoutMs: 120_000,
          everyMs: 20,
        });
        repeated += await repeatFrames(redis, random);
        if (kills[done - 1] === 'node') {
          const index = random.below(NODES);
          counts.push(
            await (nodes[index] as CountedNode).kill(scale < SHORT_BELOW ? SHORT_RISK_MS : RISK_MS),
          );
          nodes[index] = startNode(index);
        } else {
          const index = random.below(WORKERS);
          await end(workers[index] as (typeof workers)[number], 'SIGKILL');
          workers[index] = startWorker(env);
        }
      }
      // A starting process has nothing to lose and would not stop properly.
      await until('all nodes decide again', () => nodes.every(({ answered }) => answered > 0), {
        timeoutMs: 120_000,
      });
      const lost = proxy.lost;
      proxy.setLoss(0);
      await delay(1500);
      counts.push(...(await Promise.all(nodes.map((node) => node.close()))));
      repeated += await repeatFrames(redis, random);
      await until('all frames are counted', () => isDrained(database, redis), {
        timeoutMs: 120_000,
        everyMs: 200,
      });
      report(
        await judge(database, counts, {
          repeated,
          lost,
          'worker kills': Math.ceil(WORKER_KILLS * scale),
        }),
      );
    } finally {
      await Promise.all(nodes.map((node) => node.kill(0)));
      await Promise.all(workers.map((worker) => end(worker, 'SIGKILL')));
      await database.$disconnect();
      redis.disconnect();
      await proxy.close();
      await server.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function judge(database: PrismaClient, counts: readonly NodeCount[], more: Record<string, number>) {
  const reported = new Map(
    (
      await database.$queryRaw<{ operation: string; count: number }[]>`
        SELECT s.operation, sum(u.count)::float8 AS count
        FROM usage_minute u JOIN usage_series s ON s.id = u.series_id GROUP BY 1`
    ).map(({ operation, count }) => [operation, count]),
  );
  const [sums] = await database.$queryRaw<{ minutes: number; hours: number; days: number }[]>`
    SELECT (SELECT sum(count) FROM usage_minute)::float8 AS minutes, (SELECT sum(count) FROM usage_hour)::float8 AS hours,
      (SELECT sum(count) FROM usage_day)::float8 AS days`;
  const sources = await database.usageSource.findMany();
  const of = ({ operation }: NodeCount) => reported.get(operation) ?? 0;
  const missing = (count: NodeCount) => Math.max(0, count.answered - of(count));
  const killed = counts.filter(({ wasKilled }) => wasKilled);
  const closed = counts.filter(({ wasKilled }) => !wasKilled);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    name: 'usage',
    numbers: {
      decisions: sum(counts.map(({ answered }) => answered)),
      reported: sum([...reported.values()]),
      'node kills': killed.length,
      ...more,
      'frames told again and not counted again': sum(sources.map(({ repeated }) => Number(repeated))),
      'decisions counted twice': sum(counts.map((count) => Math.max(0, of(count) - count.begun))),
      'lost with killed nodes': sum(killed.map(missing)),
      'at risk with killed nodes': sum(killed.map(({ atRisk }) => atRisk)),
      'lost with nodes that were closed': sum(closed.map(missing)),
    },
    failures: failing({
      'more was reported than decided': counts.every((count) => of(count) <= count.begun),
      'a killed node lost more than its last second': killed.every((count) => missing(count) <= count.atRisk),
      'a node that was closed lost something': closed.every((count) => missing(count) === 0),
      'minutes, hours and days say different things':
        sums?.minutes === sums?.hours && sums?.hours === sums?.days,
      'no frame came twice': sources.some(({ repeated }) => repeated > 0n),
    }),
  };
}

/** Appends some frames of the stream again. */
async function repeatFrames(redis: Redis, random: Random): Promise<number> {
  const entries = await redis.xrevrange('tg:usage', '+', '-', 'COUNT', 200);
  for (let i = 0; i < REPEATED && entries.length > 0; i++) {
    await redis.xadd('tg:usage', '*', ...(random.pick(entries)[1] as [string, string]));
  }
  return entries.length === 0 ? 0 : REPEATED;
}

async function isDrained(database: PrismaClient, redis: Redis): Promise<boolean> {
  const position = await database.streamPosition.findUnique({ where: { stream: 'usage' } });
  const [[newest] = []] = await redis.xrevrange('tg:usage', '+', '-', 'COUNT', 1);
  return newest === undefined || position?.lastId === newest;
}

/** An API, a tier with one large leased limit, and tenants on it: the worker's relay publishes them. */
async function createPolicy(database: PrismaClient): Promise<void> {
  await database.api.create({ data: { id: 'api', key: API, name: API } });
  await database.tier.create({ data: { id: 'tier', key: 'free', name: 'Free' } });
  await database.tierVersion.create({ data: { id: 'version', tierId: 'tier', number: 1 } });
  await database.limit.create({
    data: {
      id: 'limit',
      tierVersionId: 'version',
      position: 0,
      name: 'per-hour',
      apiId: 'api',
      operations: [],
      per: [],
      algorithm: 'FIXED_WINDOW',
      limitMax: 1_000_000_000_000,
      windowMs: 3_600_000,
      alignment: 'CLOCK',
      terms: { consistency: { mode: 'leased', leaseMs: 1000 } },
    },
  });
  await database.tierVersion.update({
    where: { id: 'version' },
    data: { status: 'PUBLISHED', publishedAt: new Date() },
  });
  for (const key of TENANTS) {
    const subscription = { create: { id: `sub-${key}`, tierId: 'tier' } };
    await database.tenant.create({ data: { id: key, key, name: key, subscription } });
  }
}
