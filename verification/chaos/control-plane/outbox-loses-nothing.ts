import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';
import { SYSTEM_ACTOR } from '../../../apps/control-plane/src/platform/access/actor.js';
import { ChangeRunner } from '../../../apps/control-plane/src/platform/changes/change.js';
import { Database } from '../../../apps/control-plane/src/platform/prisma/database.js';
import { until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { ChaosStack } from './chaos-stack.ts';

const WRITERS = 32;
const CHANGES = 20_000;
const TENANTS = 64;
const POSTGRES_CRASHES = 20;
const PUBLISHER_KILLS = 40;
const MAX_COMMIT_DELAY_MS = 500;
const KILL_WITHIN_MS = 500;

/** Writers that commit late and out of order, while the publisher and Postgres are killed repeatedly. */
export const outboxLosesNothing: Goal = {
  id: 'C4',
  scale: 0.2,
  title: 'the outbox loses nothing',
  passLine: 'every committed change is published once, in order',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const stack = await ChaosStack.open([]);
    const redis = new Redis(stack.redisUrl);
    const database = stack.context.get(Database);
    const changes = stack.context.get(ChangeRunner);
    const wanted = Math.ceil(CHANGES * scale);
    const crashes = Math.max(1, Math.round(POSTGRES_CRASHES * scale));
    const kills = Math.max(2, Math.round(PUBLISHER_KILLS * scale));
    const counts = { made: 0, failed: 0, workers: 0, crashes: 0 };
    let isGivenUp = false;
    // Independent of the machine's speed: writers run until all planned kills have happened.
    const isOver = () =>
      isGivenUp || (counts.made >= wanted && counts.workers >= kills && counts.crashes >= crashes);
    try {
      await seedTenants(database);
      const maxDelayMs = Math.max(20, MAX_COMMIT_DELAY_MS * Math.min(1, scale * 4));
      const writer = async () => {
        while (!isOver()) {
          const key = `t${random.below(TENANTS)}`;
          const day = 1 + random.below(28);
          const heldMs = random.below(maxDelayMs);
          await changes
            .run(
              { actor: SYSTEM_ACTOR, requestId: 'req_chaos' },
              { reason: null, timeout: 20_000, maxWait: 20_000 },
              async (change) => {
                await change.tx.tenant.update({
                  where: { key },
                  data: { billingAnchorDay: day, version: { increment: 1 } },
                });
                // Not by `publish`, which writes just before the commit. The tenant's row is locked: a waiting writer has a
                // later outbox id and commits later.
                await change.tx.outboxEvent.create({
                  data: { changeId: change.id, kind: 'TENANT', entityKey: key },
                });
                await delay(heldMs / 10);
                return true;
              },
            )
            .then(
              () => counts.made++,
              () => {
                counts.failed++;
                return delay(100);
              },
            );
        }
      };
      const killing = (async () => {
        stack.startWorker();
        while (!isOver()) {
          // Kills it at any point once it has begun to publish.
          const before = await newestRevision(database);
          await until('it publishes', async () => isOver() || (await newestRevision(database)) !== before, {
            everyMs: 50,
          });
          await delay(random.below(KILL_WITHIN_MS));
          await stack.killWorker();
          counts.workers++;
          stack.startWorker();
        }
      })();
      const crashing = (async () => {
        while (!isOver() && counts.crashes < crashes) {
          await delay(1000 + random.below(1500));
          await stack.crashPostgres();
          counts.crashes++;
        }
      })();
      await Promise.all([...Array.from({ length: WRITERS }, writer), crashing, killing]);
      const pending = () => database.client.outboxEvent.count({ where: { revision: null } });
      await until('everything is published', async () => (await pending().catch(() => 1)) === 0, {
        everyMs: 100,
      });
      report(await judge(database, redis, counts));
    } finally {
      isGivenUp = true;
      redis.disconnect();
      await stack.stop();
    }
  },
};

async function judge(database: Database, redis: Redis, counts: Record<string, number>) {
  const events = await database.client.outboxEvent.findMany({ orderBy: { id: 'asc' } });
  const tenants = await database.client.tenant.findMany({ orderBy: { key: 'asc' } });
  let lost = 0;
  for (const { key, billingAnchorDay } of tenants) {
    const stored = (await redis.get(`tg:policy:tenant:${key}`)) ?? '{}';
    const record = JSON.parse(stored.slice(stored.indexOf('{'))) as { billingAnchorDay?: number };
    if ((record.billingAnchorDay ?? 1) !== billingAnchorDay) lost++;
  }
  const last = new Map<string, number>();
  let disordered = 0;
  for (const { entityKey, revision } of events) {
    const number = revision ?? 0;
    if (number < (last.get(entityKey) ?? 0)) disordered++;
    last.set(entityKey, number);
  }
  const revisions = new Set((await database.client.policyRevision.findMany()).map(({ number }) => number));
  const unrecorded = events.filter(({ revision }) => revision === null || !revisions.has(revision)).length;
  // Commits whose acknowledgement was lost are in the outbox too, so rows never fall below acknowledged changes.
  const missing = Math.max(0, (counts.made ?? 0) - events.length);
  const numbers = {
    'changes acknowledged': counts.made ?? 0,
    'changes that failed': counts.failed ?? 0,
    'outbox rows': events.length,
    revisions: revisions.size,
    'publishers killed': counts.workers ?? 0,
    'Postgres killed': counts.crashes ?? 0,
    'rows lost': missing + unrecorded,
    'records behind': lost,
    'out of order': disordered,
  };
  return {
    name: 'outbox',
    numbers,
    failures: failing({
      'a committed change was not published': missing + unrecorded === 0,
      'a record in Redis differs from Postgres': lost === 0,
      'changes of a tenant were published out of order': disordered === 0,
    }),
  };
}

/** 0 while unknown. */
async function newestRevision({ client }: Database): Promise<number> {
  const newest = await client.policyRevision.findFirst({ orderBy: { number: 'desc' } }).catch(() => null);
  return newest?.number ?? 0;
}

async function seedTenants({ client }: Database): Promise<void> {
  const version = { id: 'tv_1', number: 1, status: 'PUBLISHED' as const, publishedAt: new Date() };
  await client.tier.create({
    data: { id: 'tier_1', key: 'basic', name: 'Basic', versions: { create: version } },
  });
  const each = Array.from({ length: TENANTS }, (_, i) => i);
  await client.tenant.createMany({
    data: each.map((i) => ({ id: `ten_${i}`, key: `t${i}`, name: `T${i}` })),
  });
  await client.subscription.createMany({
    data: each.map((i) => ({ id: `sub_${i}`, tenantId: `ten_${i}`, tierId: 'tier_1' })),
  });
}
