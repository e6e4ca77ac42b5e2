// A Redis Cluster of three masters and three replicas compared with a single server, all on this machine.
// Usage: pnpm bench -- --only cluster [--rounds 5] [--ms 2000]
import { type DecisionStore, RedisStore } from '@tollgate/decision-plane/internals';
import { Redis } from 'ioredis';
import { ClusterStore } from '#src/store/cluster/cluster-store.js';
import { startRedisCluster } from '../test/redis-cluster.ts';
import { cpuUsOf, startBenchServer, whereMeasured } from './bench-server.ts';
import { checkOf, compiledBy, LASTING, randomNumber } from './fixtures.ts';
import { benchOptions, closedLoop, medianRound, type Round } from './measure.ts';
import { printTable, thousands, times } from './table.ts';

const KEYS = 100_000;
const IN_FLIGHT = 512;

const { rounds, ms } = benchOptions();
const limit = compiledBy(LASTING);
const single = await startBenchServer();
const singleStore = new RedisStore({ url: single.url, deadlineMs: 5000 });
const cluster = await startRedisCluster();
const clusterStore = new ClusterStore({ url: cluster.url, deadlineMs: 5000 });
await Promise.all([singleStore.connected(5000), clusterStore.connected(10_000)]);
const nodes = cluster.nodes.map(({ port }) => new Redis({ host: '127.0.0.1', port }));
const masters = nodes.slice(0, cluster.masters.length);

async function cpuOf(servers: readonly Redis[]): Promise<number> {
  const all = await Promise.all(servers.map(cpuUsOf));
  return all.reduce((sum, one) => sum + one, 0);
}

interface Contender {
  readonly name: string;
  readonly store: DecisionStore;
  readonly cpuUs: () => Promise<number>;
  readonly tenants: number;
}

const CONTENDERS: Contender[] = [1_000, 10].flatMap((tenants) => [
  { name: 'single server', store: singleStore, cpuUs: single.cpuUs, tenants },
  { name: 'cluster, CPU of its masters', store: clusterStore, cpuUs: () => cpuOf(masters), tenants },
  { name: 'cluster, CPU of all six', store: clusterStore, cpuUs: () => cpuOf(nodes), tenants },
]);
const measured = CONTENDERS.map(() => [] as Round[]);
console.log(
  `${whereMeasured()}; gcra, ${thousands(KEYS)} keys, ${IN_FLIGHT} in flight; median of ${rounds} rounds of ${ms} ms`,
);
for (let i = 0; i < rounds; i++) {
  for (const [c, { store, cpuUs, tenants }] of CONTENDERS.entries()) {
    const decide = () => store.decide({ checks: [checkOf(limit, randomNumber(KEYS), tenants)], peek: false });
    measured[c]?.push(await closedLoop(decide, IN_FLIGHT, ms, cpuUs));
  }
}
const medians = measured.map(medianRound);
printTable(
  'Cluster and single server',
  ['', 'tenants', 'decisions/s', 'client CPU', 'servers CPU', 'relative to the single server'],
  CONTENDERS.map(({ name, tenants }, c) => {
    const round = medians[c] as Round;
    const base = medians[CONTENDERS.findIndex((of) => of.tenants === tenants)] as Round;
    return [
      name,
      thousands(tenants),
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
      times(round.opsPerSecond / base.opsPerSecond),
    ];
  }),
);
for (const node of nodes) node.disconnect();
await Promise.all([singleStore.close(), clusterStore.close()]);
await Promise.all([single.stop(), cluster.stop()]);
