// A Redis Cluster of three masters compared with a single server, all on this machine.
// Usage: pnpm bench cluster [--rounds 5] [--ms 500]

import { Redis } from 'ioredis';
import { ClusterStore } from '../../../packages/limiter/src/cluster/cluster-store.js';
import { RedisStore } from '../../../packages/limiter/src/redis/redis-store.js';
import { counterKey, globalTag } from '../../../packages/limiter/src/rules/keys.js';
import type { Check, DecisionStore } from '../../../packages/limiter/src/stores/decision-store.js';
import { startRedisCluster } from '../../../packages/limiter/test/redis-cluster.ts';
import { reportGoal } from '../goals.ts';
import { benchOptions, closedLoop, median, medianRound, type Round, whereMeasured } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import { cpuUsOf, scriptRunsOf, startBenchServer } from './bench-server.ts';
import { checkOf, compiledBy, LASTING, randomNumber } from './fixtures.ts';

const KEYS = 100_000;
const TENANTS = 1_000;
const IN_FLIGHT = 512;
const MASTERS = 3;
const WARM_UP_ROUNDS = 3;

const { rounds, ms } = benchOptions();
const limit = compiledBy(LASTING);
const single = await startBenchServer();
const singleStore = new RedisStore({ url: single.url, deadlineMs: 5000 });
const cluster = await startRedisCluster({ masters: MASTERS, replicas: 0 });
const clusterStore = new ClusterStore({ url: cluster.url, deadlineMs: 5000 });
await Promise.all([singleStore.connected(5000), clusterStore.connected(10_000)]);
const masters = cluster.masters.map(({ port }) => new Redis({ host: '127.0.0.1', port }));

/** A limit on all tenants of the API: one counter, in its own slot. */
const onAll: Check = { ...checkOf(limit, 0, 1), key: counterKey(globalTag('url-shortener'), ':g1:all', []) };

interface Contender {
  readonly name: string;
  readonly tenants: number;
  inFlight: number;
  readonly store: DecisionStore;
  readonly servers: readonly Redis[];
  readonly further: readonly Check[];
  readonly rounds: Round[];
  /** Decisions per script run, in each round. */
  readonly batches: number[];
}

function contender(name: string, over: Partial<Contender>): Contender {
  const onSingle = { store: singleStore, servers: [single.redis] };
  const common = { tenants: TENANTS, inFlight: IN_FLIGHT, further: [], ...onSingle };
  return { name, ...common, ...over, rounds: [], batches: [] };
}

const onCluster = { store: clusterStore, servers: masters };
const CLUSTER = contender('cluster', onCluster);
// A master gets a third of the requests, while two others also keep theirs waiting.
const EQUAL = contender('single server, batches of the size of the cluster', {
  inFlight: Math.ceil(IN_FLIGHT / MASTERS),
});
const ALL_TENANTS = contender('cluster, and a limit on all tenants', { ...onCluster, further: [onAll] });
const CONTENDERS = [
  contender('single server', {}),
  CLUSTER,
  EQUAL,
  contender('single server', { tenants: 10 }),
  contender('cluster', { ...onCluster, tenants: 10 }),
  contender('single server, and a limit on all tenants', { further: [onAll] }),
  ALL_TENANTS,
];

async function sumOf(servers: readonly Redis[], figure: (server: Redis) => Promise<number>): Promise<number> {
  const all = await Promise.all(servers.map(figure));
  return all.reduce((sum, one) => sum + one, 0);
}

/** A round, and the decisions per script run in it. */
async function measure({ store, servers, tenants, inFlight, further }: Contender) {
  let decisions = 0;
  const decide = () => {
    decisions++;
    return store.charge({ checks: [checkOf(limit, randomNumber(KEYS), tenants), ...further], peek: false });
  };
  const before = await sumOf(servers, scriptRunsOf);
  const round = await closedLoop(decide, inFlight, ms, () => sumOf(servers, cpuUsOf));
  return { round, batch: decisions / ((await sumOf(servers, scriptRunsOf)) - before) };
}

console.log(
  `${whereMeasured()}; gcra, ${thousands(KEYS)} keys, ${MASTERS} masters; median of ${rounds} rounds of ${ms} ms`,
);
for (let i = -WARM_UP_ROUNDS; i < rounds; i++) {
  let batchOfCluster = Number.NaN;
  for (const contender of CONTENDERS) {
    const { round, batch } = await measure(contender);
    if (contender === CLUSTER) batchOfCluster = batch;
    // A server's batches grow with the requests in flight. The root damps the correction, because rounds vary.
    if (contender === EQUAL) EQUAL.inFlight = Math.round(EQUAL.inFlight * Math.sqrt(batchOfCluster / batch));
    if (i < 0) continue;
    contender.rounds.push(round);
    contender.batches.push(batch);
  }
}
/** The median of the rounds' ratios. */
function relative(of: Contender, base: Contender, pick: (round: Round) => number): number {
  return median(of.rounds.map((round, i) => pick(round) / pick(base.rounds[i] as Round)));
}
printTable(
  'Cluster and single server',
  [
    '',
    'tenants',
    'in flight',
    'decisions per run',
    'decisions/s',
    'client CPU',
    'CPU of the servers',
    'client ÷ equal batches',
    'servers ÷ equal batches',
  ],
  CONTENDERS.map((of) => {
    const round = medianRound(of.rounds);
    return [
      of.name,
      thousands(of.tenants),
      String(of.inFlight),
      median(of.batches).toFixed(0),
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
      times(relative(of, EQUAL, ({ cpuUsPerOp }) => cpuUsPerOp)),
      times(relative(of, EQUAL, ({ serverUsPerOp }) => serverUsPerOp)),
    ];
  }),
);
reportGoal(
  'cluster-server',
  relative(CLUSTER, EQUAL, ({ serverUsPerOp }) => serverUsPerOp),
);
reportGoal(
  'cluster-client',
  relative(CLUSTER, EQUAL, ({ cpuUsPerOp }) => cpuUsPerOp),
);
reportGoal('cluster-all-tenants', medianRound(ALL_TENANTS.rounds).opsPerSecond);
reportGoal('cluster-all-tenants-cpu', median(ALL_TENANTS.rounds.map(({ serverUsPerOp }) => serverUsPerOp)));
for (const master of masters) master.disconnect();
await Promise.all([singleStore.close(), clusterStore.close()]);
await Promise.all([single.stop(), cluster.stop()]);
