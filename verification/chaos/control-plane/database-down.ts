import { createPrismaClient } from '@tollgate/database';
import { randomFrom } from '@tollgate/test-kit/random';
import { percentile } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { startDeciding } from './deciding-node.ts';
import { type Outage, read, simulateOutage } from './postgres-outage.ts';
import { type RunningPlane, startPlane } from './running-plane.ts';

const CRASHES = 20;
const FREEZES = 10;
const AWAY_MS = 4000;
const POOL = 10;
const SLOW_QUERIES = 100;
const REFUSED_WITHIN_MS = 1000;
const BACK_WITHIN_MS = 5000;

/** A silent connection is checked before it counts as down. */
const FROZEN_REFUSED_WITHIN_MS = 6000;

/** Times are not asserted for short runs: other tests run beside them. */
const TIMED_FROM = 5;

/** Kills or freezes Postgres and restores it, while a node decides and clients read and write. */
export const databaseDown: Goal = {
  id: 'C14',
  title: 'database down',
  passLine: 'decisions go on, reads and writes are refused cleanly, all is back in seconds',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const plane = await startPlane(1, { DATABASE_MAX_CONNECTIONS: `${POOL}` });
    const { crash, restart, freeze, thaw } = plane.postgres;
    const awayMs = () => random.below(AWAY_MS * Math.min(1, scale * 4));
    try {
      const stopDeciding = await startDeciding(plane.redisUrl);
      const crashes: Outage[] = [];
      for (let i = 0; i < Math.ceil(CRASHES * scale); i++) {
        const how = { begin: crash, end: restart, forMs: awayMs() };
        crashes.push(await simulateOutage(plane, `killed-${i}`, how));
      }
      const freezes: Outage[] = [];
      for (let i = 0; i < Math.ceil(FREEZES * scale); i++) {
        const how = { begin: async () => freeze(), end: async () => thaw(), forMs: awayMs() };
        freezes.push(await simulateOutage(plane, `frozen-${i}`, how));
      }
      const connections = await mostConnections(plane);
      const decisions = await stopDeciding();
      const [killed, frozen] = [summaryOf(crashes), summaryOf(freezes)];
      const numbers = {
        ...numbersOf('killed', killed),
        ...numbersOf('frozen', frozen),
        decisions: decisions.made,
        'decisions that failed': decisions.failed,
        'connections at most': connections,
      };
      const isTimed = crashes.length >= TIMED_FROM;
      report({
        name: 'outages',
        numbers,
        failures: failing({
          'a decision failed': decisions.failed === 0,
          'decisions felt it': decisions.degraded === 0,
          'something was refused without saying why': killed.unclean + frozen.unclean === '',
          'something that was refused was done': killed.halfDone + frozen.halfDone === 0,
          'the pool was larger than it may be': connections <= POOL,
          'a refusal took longer than a second': !isTimed || killed.p99Ms <= REFUSED_WITHIN_MS,
          'a refusal took longer than six seconds': !isTimed || frozen.mostMs <= FROZEN_REFUSED_WITHIN_MS,
          'it took longer than five seconds to be back':
            !isTimed || Math.max(killed.backMs, frozen.backMs) <= BACK_WITHIN_MS,
        }),
      });
    } finally {
      await plane.stop();
    }
  },
};

function summaryOf(outages: readonly Outage[]) {
  const refusedMs = outages.flatMap((outage) => outage.refusedMs);
  return {
    outages: outages.length,
    refused: refusedMs.length,
    p50Ms: percentile(refusedMs, 0.5),
    p99Ms: percentile(refusedMs, 0.99),
    mostMs: percentile(refusedMs, 1),
    unclean: [...new Set(outages.flatMap(({ unclean }) => [...unclean]))].join(', '),
    halfDone: outages.reduce((sum, { halfDone }) => sum + halfDone, 0),
    backMs: Math.max(...outages.map(({ backMs }) => backMs)),
  };
}

function numbersOf(how: string, summary: ReturnType<typeof summaryOf>): Record<string, number | string> {
  return {
    [`${how}, times`]: summary.outages,
    [`${how}: requests refused`]: summary.refused,
    [`${how}: refused otherwise than cleanly`]: summary.unclean || 'none',
    [`${how}: refused p50 ms`]: summary.p50Ms,
    [`${how}: refused p99 ms`]: summary.p99Ms,
    [`${how}: refused at most ms`]: summary.mostMs,
    [`${how}: back at most ms`]: summary.backMs,
    [`${how}: failed but took effect`]: summary.halfDone,
  };
}

/** Maximum number of connections while far more requests arrive. */
async function mostConnections(plane: RunningPlane): Promise<number> {
  const database = createPrismaClient(plane.ownerUrl, { max: 1 });
  let asking = true;
  let most = 0;
  const watching = (async () => {
    while (asking) {
      const [row] = await database.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
          AND application_name <> 'tollgate-watch'`;
      most = Math.max(most, row?.count ?? 0);
    }
  })();
  await Promise.all(Array.from({ length: SLOW_QUERIES }, () => read(plane)));
  asking = false;
  await watching;
  await database.$disconnect();
  return most;
}
