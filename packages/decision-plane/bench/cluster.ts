// A Redis Cluster of three masters compared with a single server, all on this machine.
// Usage: pnpm bench -- --only cluster [--rounds 5] [--ms 500]
import { type Check, counterKey, type DecisionStore, RedisStore } from '@tollgate/decision-plane/internals';
import { reportGoal } from '@tollgate/test-kit/bench-goals';
import { Redis } from 'ioredis';
import { ClusterStore } from '#src/store/cluster/cluster-store.js';
import { globalTag } from '#src/store/keys.js';
import { startRedisCluster } from '../test/redis-cluster.ts';
import { cpuUsOf, startBenchServer, whereMeasured } from './bench-server.ts';
import { checkOf, compiledBy, LASTING, randomNumber } from './fixtures.ts';
import { benchOptions, closedLoop, median, medianRound, type Round } from './measure.ts';
import { printTable, thousands, times } from './table.ts';

const KEYS = 100_000;
const IN_FLIGHT = 512;
const MASTERS = 3;

const { rounds, ms } = benchOptions();
const limit = compiledBy(LASTING);
const single = await startBenchServer();
const singleStore = new RedisStore({ url: single.url, deadlineMs: 5000 });
const cluster = await startRedisCluster({ masters: MASTERS, replicas: 0 });
const clusterStore = new ClusterStore({ url: cluster.url, deadlineMs: 5000 });
await Promise.all([singleStore.connected(5000), clusterStore.connected(10_000)]);
const masters = cluster.masters.map(({ port }) => new Redis({ host: '127.0.0.1', port }));

async function mastersCpuUs(): Promise<number> {
  const all = await Promise.all(masters.map(cpuUsOf));
  return all.reduce((sum, one) => sum + one, 0);
}

/** A limit on all tenants of the API: one counter, in its own slot. */
const onAll: Check = { ...checkOf(limit, 0, 1), key: counterKey(globalTag('url-shortener'), ':g1:all', []) };

interface Contender {
  readonly name: string;
  readonly tenants: number;
  readonly inFlight: number;
  readonly store: DecisionStore;
  readonly cpuUs: () => Promise<number>;
  readonly further: readonly Check[];
  readonly rounds: Round[];
}

function contender(name: string, over: Partial<Contender>): Contender {
  const onSingle = { store: singleStore, cpuUs: single.cpuUs };
  return { name, tenants: 1_000, inFlight: IN_FLIGHT, ...onSingle, further: [], ...over, rounds: [] };
}

const onCluster = { store: clusterStore, cpuUs: mastersCpuUs };
// A batch of the cluster is divided between the masters, so each master's batch is a third of a single server's.
const EQUAL = contender('single server, batches of the size of a master', {
  inFlight: Math.ceil(IN_FLIGHT / MASTERS),
});
const CLUSTER = contender('cluster', onCluster);
const ALL_TENANTS = contender('cluster, and a limit on all tenants', { ...onCluster, further: [onAll] });
const CONTENDERS = [
  contender('single server', {}),
  EQUAL,
  CLUSTER,
  contender('single server', { tenants: 10 }),
  contender('cluster', { ...onCluster, tenants: 10 }),
  contender('single server, and a limit on all tenants', { further: [onAll] }),
  ALL_TENANTS,
];

console.log(
  `${whereMeasured()}; gcra, ${thousands(KEYS)} keys, ${MASTERS} masters; median of ${rounds} rounds of ${ms} ms`,
);
for (let i = 0; i < rounds; i++) {
  for (const { store, tenants, inFlight, further, cpuUs, rounds: done } of CONTENDERS) {
    const decide = () =>
      store.decide({ checks: [checkOf(limit, randomNumber(KEYS), tenants), ...further], peek: false });
    done.push(await closedLoop(decide, inFlight, ms, cpuUs));
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
    'decisions/s',
    'client CPU',
    'CPU of the servers',
    'CPU of the servers ÷ the second',
  ],
  CONTENDERS.map((of) => {
    const round = medianRound(of.rounds);
    return [
      of.name,
      thousands(of.tenants),
      String(of.inFlight),
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
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
