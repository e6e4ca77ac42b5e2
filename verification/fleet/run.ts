// Simulates a fleet: 200 nodes, 20 masters and a million tenants, with the engine's policy feed, lease book and pool book,
// on a virtual clock. Server costs are those of docs/benchmarks/constants.json. Takes a minute or two.
// Usage: pnpm simulate:fleet [-- --nodes 200 --masters 20 --tenants 1000000 --seed 7 --only propagation,leases,pools]
import { parseArgs } from 'node:util';
import { seededRandom } from '@tollgate/test-kit/random';
import { printTable } from '../bench/table.ts';
import { readOperationCosts } from './constants.ts';
import { LeaseModel, type LeaseOptions } from './leases.ts';
import { PoolModel } from './pools.ts';
import { type Change, PropagationModel } from './propagation.ts';
import { VirtualTime } from './virtual-time.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    nodes: { type: 'string', default: '200' },
    masters: { type: 'string', default: '20' },
    tenants: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string', default: 'propagation,leases,pools' },
    measure: { type: 'boolean', default: false },
  },
});
const [nodes, masters, tenants, seed] = [values.nodes, values.masters, values.tenants, values.seed].map(
  Number,
) as [number, number, number, number];
const ONE_WAY_MS = 0.1;
/** Changed records that a node reads before it yields to its event loop. */
const RECORDS_PER_YIELD = 32;

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
const percent = (part: number) => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
const count = (value: number) => Math.round(value).toLocaleString('en-US');

if (values.measure) await import('./measure-costs.ts');
const costs = readOperationCosts();
console.log(`${nodes} nodes, ${masters} masters, ${count(tenants)} tenants, seed ${seed}`);
const chosen = values.only.split(',');
if (chosen.includes('propagation')) await simulate(propagation);
if (chosen.includes('leases')) await leases();
if (chosen.includes('pools')) await pools();

/** Each simulation has its own time and numbers, so that it gives the same result alone. */
function simulate<T>(work: (time: VirtualTime, random: () => number) => Promise<T>): Promise<T> {
  const time = new VirtualTime((costs.openTenant * RECORDS_PER_YIELD) / 1000);
  return time.during(() => work(time, seededRandom(seed)));
}

async function propagation(time: VirtualTime, random: () => number): Promise<void> {
  const model = new PropagationModel(
    time,
    costs,
    { nodes, tenants, cached: 1000, oneWayMs: ONE_WAY_MS },
    random,
  );
  await model.start();
  const unnamed = '501 tenants, announced without names';
  const changes: [string, Change, number][] = [
    ['1 tenant', { tenants: 1 }, 1_000_000],
    ['50 tenants', { tenants: 50 }, 1_000_000],
    ['500 tenants', { tenants: 500 }, 1_000_000],
    ['catalogue of 100 kB', 'catalogue', 1_000_000],
    [unnamed, { tenants: 501 }, 10_000],
    [unnamed, { tenants: 501 }, 100_000],
    [unnamed, { tenants: 501 }, 300_000],
    [unnamed, { tenants: 501 }, 1_000_000],
  ];
  const rows: string[][] = [];
  for (const [name, change, decisionsPerSecond] of changes) {
    const { medianMs, lastMs, decidedByPast, reads, policyServer } = await model.publish(
      change,
      decisionsPerSecond,
    );
    rows.push([
      ...[name, count(decisionsPerSecond), ms(medianMs), ms(lastMs), count(reads)],
      ...[ms(policyServer.maxWaitMs), percent(policyServer.utilization), count(decidedByPast)],
    ]);
  }
  await model.close();
  printTable(
    `Propagation to ${nodes} nodes with 1,000 tenants each`,
    [
      ...['change', 'decisions/s', 'half of the nodes, ms', 'all nodes, ms', 'records read'],
      ...['longest queue, ms', 'policy Redis, 2 s', 'decided by the former record'],
    ],
    rows,
  );
}

async function leases(): Promise<void> {
  const rows: string[][] = [];
  for (const decisionsPerSecond of [100_000, 300_000, 1_000_000, 3_000_000]) {
    for (const [consistency, routing] of [
      ['strict', 'any node'],
      ['leased', 'any node'],
      ['leased', 'two nodes per tenant'],
    ] as const) {
      const options: LeaseOptions = {
        ...{ nodes, masters, tenants, decisionsPerSecond, consistency, routing },
        ...{ limit: 100_000_000, oneWayMs: ONE_WAY_MS, batch: 16 },
      };
      const run = await simulate(async (time, random) => {
        const model = new LeaseModel(time, costs, options, random);
        const result = await model.run(700, 500);
        return result;
      });
      const { utilization, p99WaitMs } = run.masters;
      rows.push([
        count(decisionsPerSecond),
        consistency === 'strict' ? 'strict' : `leased, ${routing}`,
        percent(run.localPart),
        count(run.amendments),
        percent(utilization),
        utilization < 1 ? ms(p99WaitMs) : 'grows',
      ]);
    }
  }
  printTable(
    `${masters} masters, ${nodes} nodes, one limit of each of ${count(tenants)} tenants (Zipf)`,
    ['decisions/s', '', 'decided by the node', 'leases/s', 'busiest master', 'p99 wait, ms'],
    rows,
  );
}

async function pools(): Promise<void> {
  const rows: string[][] = [];
  for (const shared of [nodes / 4, nodes / 2, nodes]) {
    for (const demand of [0.5, 0.95, 2]) {
      const run = await simulate(async (time, random) => {
        const options = { nodes: shared, capacity: 100_000, oneWayMs: ONE_WAY_MS };
        const model = new PoolModel(time, costs, options, random);
        const result = await model.run(demand, 1500, 2000);
        model.close();
        return result;
      });
      const { utilization, p99WaitMs } = run.master;
      rows.push([
        String(shared),
        percent(demand),
        count(run.exchanges),
        percent(utilization),
        ms(p99WaitMs),
        percent(run.worstSecond),
        percent(run.denied),
      ]);
    }
  }
  printTable(
    'One pool of 100,000 units/s on one master',
    ['nodes', 'demand', 'exchanges/s', 'master', 'p99 wait, ms', 'worst second, of the capacity', 'denied'],
    rows,
  );
}
