import { setTimeout as delay } from 'node:timers/promises';
import { createPrismaClient } from '@tollgate/database';
import { DecisionPlane } from '@tollgate/decision-plane';
import { type Goal, resultOf } from './goal.ts';
import { Random } from './random.ts';
import { type RunningPlane, startPlane } from './running-plane.ts';
import { percentile, until } from './until.ts';

const CRASHES = 20;
const AWAY_MS = 4000;
const POOL = 10;
const SLOW_QUERIES = 100;
const ASK_EVERY_MS = 10;
const REQUEST = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const READ = '{ tiers(first: 2) { nodes { key } } }';
const REFUSED_WITHIN_MS = 1000;
const BACK_WITHIN_MS = 5000;

/** A few say nothing of how long it takes: short forms run beside others. */
const TIMED_FROM = 5;

/** Postgres is killed and comes back, while a node decides and people read and write. */
export const databaseDown: Goal = {
  name: 'C14',
  title: 'Database down: decisions go on, reads and writes are refused cleanly, all is back in seconds',
  async run({ seed, scale }) {
    const random = new Random(seed);
    const plane = await startPlane(1, { DATABASE_MAX_CONNECTIONS: `${POOL}` });
    const node = await DecisionPlane.start({
      countersUrl: plane.redisUrl,
      configUrl: plane.redisUrl,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'chaos',
      deadlineMs: 2000,
    });
    const decisions = { made: 0, failed: 0, degraded: 0 };
    const refusedMs: number[] = [];
    const backMs: number[] = [];
    const unclean = new Set<string>();
    let halfDone = 0;
    let deciding = true;
    try {
      await until('there is policy', () => node.ready, { timeoutMs: 60_000 });
      const load = (async () => {
        while (deciding) {
          const answer = await node.limit(REQUEST).catch(() => undefined);
          decisions.made++;
          if (answer === undefined) decisions.failed++;
          if (answer?.degraded) decisions.degraded++;
          await delay(ASK_EVERY_MS);
        }
      })();
      for (let crash = 0; crash < Math.ceil(CRASHES * scale); crash++) {
        await plane.postgres.crash();
        const untilMs = performance.now() + random.int(AWAY_MS * Math.min(1, scale * 4));
        const keys: string[] = [];
        do {
          const key = `away-${crash}-${keys.length}`;
          keys.push(key);
          for (const query of [READ, creation(key)]) {
            const { tookMs, code, status } = await ask(plane, query);
            refusedMs.push(tookMs);
            if (code !== 'UNAVAILABLE' || status !== 503) unclean.add(`${status} ${code}`);
          }
        } while (performance.now() < untilMs);
        await plane.postgres.restart();
        backMs.push(
          await until('it is back', async () => (await ask(plane, READ)).code === undefined, {
            timeoutMs: 60_000,
          }),
        );
        // What was refused was not done: it can be done now.
        for (const key of keys) if ((await ask(plane, creation(key))).code !== undefined) halfDone++;
      }
      const connections = await mostConnections(plane);
      deciding = false;
      await load;
      const numbers = {
        crashes: backMs.length,
        decisions: decisions.made,
        'decisions that failed': decisions.failed,
        'requests refused': refusedMs.length,
        'refused otherwise than cleanly': [...unclean].join(', ') || 'none',
        'refused p50 ms': percentile(refusedMs, 0.5),
        'refused p99 ms': percentile(refusedMs, 0.99),
        'back p50 ms': percentile(backMs, 0.5),
        'back at most ms': percentile(backMs, 1),
        'refused and done all the same': halfDone,
        'connections at most': connections,
      };
      const isTimed = backMs.length >= TIMED_FROM;
      return resultOf(numbers, {
        'a decision failed': decisions.failed === 0,
        'decisions felt it': decisions.degraded === 0,
        'something was refused without saying why': unclean.size === 0,
        'something that was refused was done': halfDone === 0,
        'the pool was larger than it may be': connections <= POOL,
        'a refusal took longer than a second': !isTimed || percentile(refusedMs, 0.99) <= REFUSED_WITHIN_MS,
        'it took longer than five seconds to be back': !isTimed || percentile(backMs, 1) <= BACK_WITHIN_MS,
      });
    } finally {
      deciding = false;
      await node.close();
      await plane.stop();
    }
  },
};

function creation(key: string): string {
  return `mutation { result: apiCreate(input: { key: "${key}", name: "A" }) { userErrors { code } } }`;
}

/** @returns the code of what went wrong; undefined: nothing */
async function ask(plane: RunningPlane, query: string) {
  const startMs = performance.now();
  const response = await fetch(`${plane.urls[0]}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plane.admin },
    body: JSON.stringify({ query }),
  });
  const body = (await response.json()) as {
    data?: { result?: { userErrors: { code: string }[] } };
    errors?: { extensions: { code: string } }[];
  };
  const code = body.errors?.[0]?.extensions.code ?? body.data?.result?.userErrors[0]?.code;
  return { tookMs: performance.now() - startMs, status: response.status, code };
}

/** The most connections of the application at once, while far more requests come in than it has. */
async function mostConnections(plane: RunningPlane): Promise<number> {
  const database = createPrismaClient(plane.databaseUrl, { max: 1 });
  let asking = true;
  let most = 0;
  const watching = (async () => {
    while (asking) {
      const [row] = await database.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
      most = Math.max(most, row?.count ?? 0);
    }
  })();
  await Promise.all(Array.from({ length: SLOW_QUERIES }, () => ask(plane, READ)));
  asking = false;
  await watching;
  await database.$disconnect();
  return most;
}
