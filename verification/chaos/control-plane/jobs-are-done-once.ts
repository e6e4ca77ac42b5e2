import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { startPostgres } from '@tollgate/embedded';
import { randomFrom } from '@tollgate/test-kit/random';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';
import { percentile, until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { end, startWorker } from './counted-node.ts';
import { QueueRedis } from './queue-redis.ts';

const SECRET = 'a secret of no use to anybody, long enough';
const PIECES = 10_000;
const WORKER_KILLS = 200;
const REDIS_CRASHES = 20;
const WORKERS = 2;
const TENANTS = 16;
const KILL_WITHIN_MS = 800;
const RESUMED_WITHIN_MS = 60_000;
const OPERATOR = 'operator@example.com';

/** Shorter runs, beside other tests, measure no times. */
const TIMED_FROM = 0.05;

/**
 * Two kinds of jobs with one effect each: a notice sends one mail, a tenant's change is published. Kills workers while they
 * run, and the Redis of their queue.
 */
export const jobsAreDone: Goal = {
  id: 'C12',
  scale: 0.2,
  title: 'jobs are done once',
  passLine: 'none is lost, each takes effect once, and jobs of a dead worker are resumed',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-c12-'));
    const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false });
    const queue = await QueueRedis.start();
    const databaseUrl = postgres.databaseUrl('tollgate');
    const applicationUrl = await migrateForApplication(databaseUrl, SECRET);
    const database = createPrismaClient(databaseUrl, { max: 2 });
    await createTenants(database);
    const env = {
      DATABASE_URL: applicationUrl,
      REDIS_CONFIG_URL: queue.url,
      SESSION_SECRET: SECRET,
      TOKEN_PEPPER: 'a pepper of no use to anybody, long enough',
      LOG_LEVEL: 'silent',
      // Stored, not sent.
      MAIL_TRANSPORT: 'mailbox',
    };
    const workers = Array.from({ length: WORKERS }, () => startWorker(env));
    const resumedMs: number[] = [];
    const watches: Promise<void>[] = [];
    const counts = { made: 0, kills: 0, crashes: 0 };
    try {
      const harms = [
        ...Array.from({ length: Math.ceil(WORKER_KILLS * scale) }, () => 'worker' as const),
        ...Array.from({ length: Math.ceil(REDIS_CRASHES * scale) }, () => 'redis' as const),
      ].sort(() => random.next() - 0.5);
      const wanted = Math.ceil(PIECES * scale);
      for (const [i, harm] of harms.entries()) {
        const upTo = Math.ceil((wanted * (i + 1)) / harms.length);
        await makeWork(database, counts.made, upTo);
        counts.made = upTo;
        // Waits until a worker is busy: a starting worker has nothing to lose.
        const before = await doneOf(database);
        await until('a worker is busy', async () => (await doneOf(database)) > before, WAIT);
        await delay(random.below(KILL_WITHIN_MS));
        if (harm === 'worker') {
          const index = random.below(WORKERS);
          const begun = await queue.active();
          await end(workers[index] as (typeof workers)[number], 'SIGKILL');
          workers[index] = startWorker(env);
          counts.kills++;
          if (scale >= TIMED_FROM) watches.push(watch(queue, begun, resumedMs));
        } else {
          await queue.crash();
          counts.crashes++;
        }
      }
      const startMs = performance.now();
      await until('all work is done', async () => (await doneOf(database)) >= counts.made, WAIT);
      const drainedMs = performance.now() - startMs;
      await Promise.all(watches);
      report(await judge(database, queue, counts, { drainedMs, resumedMs }));
    } finally {
      await Promise.all(workers.map((worker) => end(worker, 'SIGKILL')));
      await database.$disconnect();
      await queue.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const WAIT = { timeoutMs: 120_000, everyMs: 20 };

async function judge(
  database: PrismaClient,
  queue: QueueRedis,
  { made, kills, crashes }: { made: number; kills: number; crashes: number },
  { drainedMs, resumedMs }: { drainedMs: number; resumedMs: number[] },
) {
  const notices = await database.notice.count({ where: { kind: NOTICE } });
  const told = await database.mail.groupBy({
    by: ['noticeId'],
    where: { recipient: OPERATOR },
    _count: true,
  });
  const published = await database.outboxEvent.count({ where: { revision: { not: null } } });
  const lost = notices - told.length + (made - notices - published);
  const numbers = {
    'pieces of work': made,
    lost,
    'done twice': told.filter(({ _count }) => _count > 1).length,
    'workers killed': kills,
    'queues killed': crashes,
    'schedules at the end': await queue.scheduled(),
    'all done after the last kill ms': drainedMs,
    'begun by the dead, resumed': resumedMs.length,
    'resumed after p50 ms': percentile(resumedMs, 0.5),
    'resumed after at most ms': percentile(resumedMs, 1),
  };
  return {
    name: 'jobs',
    numbers,
    failures: failing({
      'work was lost': lost === 0,
      'an effect came twice': numbers['done twice'] === 0,
      'nothing was killed': kills > 0 && crashes > 0,
      'resuming the jobs of a dead worker took longer than a minute':
        percentile(resumedMs, 1) <= RESUMED_WITHIN_MS && drainedMs <= RESUMED_WITHIN_MS,
    }),
  };
}

/** Time until the jobs that a dead worker had started are started again. */
async function watch(queue: QueueRedis, begun: ReadonlySet<string>, resumedMs: number[]): Promise<void> {
  const startMs = performance.now();
  const isOpen = async () => {
    // While the queue is down, nothing is known.
    const active = await queue.active().catch(() => begun);
    return [...begun].some((job) => active.has(job));
  };
  await until('it is resumed', async () => !(await isOpen()), { timeoutMs: 120_000, everyMs: 100 }).catch(
    () => undefined,
  );
  resumedMs.push(performance.now() - startMs);
}

const NOTICE = 'node.stale';

/** Jobs `from` to `to`: alternately a notice for operators and a change of a tenant. */
async function makeWork(database: PrismaClient, from: number, to: number): Promise<void> {
  await database.$transaction([
    database.$executeRaw`
      INSERT INTO notice (id, kind, data)
      SELECT 'ntc_' || md5(n::text), ${NOTICE}, '{"nodeId": "a", "version": "1", "revision": 1}'
      FROM generate_series(${from}::int, ${to - 1}::int) n WHERE n % 2 = 0`,
    database.$executeRaw`
      INSERT INTO outbox_event (change_id, kind, entity_key)
      SELECT 'chg_' || md5(n::text), 'TENANT'::"OutboxKind", 't' || n % ${TENANTS}::int
      FROM generate_series(${from}::int, ${to - 1}::int) n WHERE n % 2 = 1`,
  ]);
}

/** Finished jobs. */
async function doneOf(database: PrismaClient): Promise<number> {
  const [notices, events] = await Promise.all([
    database.notice.count({ where: { kind: NOTICE, dispatchedAt: { not: null } } }),
    database.outboxEvent.count({ where: { revision: { not: null } } }),
  ]);
  return notices + events;
}

async function createTenants(database: PrismaClient): Promise<void> {
  const version = { id: 'tv_1', number: 1, status: 'PUBLISHED' as const, publishedAt: new Date() };
  await database.tier.create({
    data: { id: 'tier_1', key: 'basic', name: 'Basic', versions: { create: version } },
  });
  for (let i = 0; i < TENANTS; i++) {
    const subscription = { create: { id: `sub_${i}`, tierId: 'tier_1' } };
    await database.tenant.create({ data: { id: `ten_${i}`, key: `t${i}`, name: `T${i}`, subscription } });
  }
  const user = {
    id: 'usr_1',
    name: 'Operator',
    email: OPERATOR,
    emailVerified: true,
    role: 'OWNER' as const,
  };
  await database.user.create({ data: user });
}
