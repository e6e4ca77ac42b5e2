import { seededRandom } from '@tollgate/test-kit/random';
import { describe, expect, it } from 'vitest';
import { readOperationCosts } from './constants.ts';
import { LeaseModel, type LeaseOptions, type LeaseRun } from './leases.ts';
import { PoolModel } from './pools.ts';
import { type Change, PropagationModel } from './propagation.ts';
import { ServerModel } from './server-model.ts';
import { VirtualTime } from './virtual-time.ts';

const SEED = 7;
const costs = readOperationCosts();

function simulate<T>(work: (time: VirtualTime, random: () => number) => Promise<T>): Promise<T> {
  const time = new VirtualTime(0.3);
  return time.during(() => work(time, seededRandom(SEED)));
}

it('a server executes calls one after another, and reports their waits', async () => {
  const load = await simulate(async (time) => {
    const server = new ServerModel(time, 1);
    const ends: number[] = [];
    const call = () => server.call(2000, () => undefined).then(() => ends.push(performance.now()));
    const calls = [call(), call(), call()];
    await time.advance(100);
    await Promise.all(calls);
    expect(ends).toEqual([4, 6, 8]);
    return server.load();
  });
  expect(load).toMatchObject({ calls: 3, utilization: 0.06 });
  expect(load.maxWaitMs).toBeCloseTo(4, 1);
  expect(performance.now()).not.toBe(100);
});

describe(`a simulated fleet, seed ${SEED}`, () => {
  const leases = (more: Partial<LeaseOptions>): Promise<LeaseRun> =>
    simulate(async (time, random) => {
      const fleet = { nodes: 10, masters: 4, tenants: 500, decisionsPerSecond: 50_000, limit: 1_000_000 };
      const how = { consistency: 'leased', routing: 'any node', oneWayMs: 0.1, batch: 16 } as const;
      const model = new LeaseModel(time, costs, { ...fleet, ...how, ...more }, random);
      const run = await model.run(600, 400);
      await model.close();
      return run;
    });

  it('never admits more than a limit, with leases of all nodes and decisions of all masters', async () => {
    const run = await leases({ limit: 300 });
    expect(run.mostAdmitted).toBe(300);
    expect(run.denied).toBeGreaterThan(0);
  });

  it('decides more by leases if the requests of a tenant arrive at fewer nodes', async () => {
    const spread = await leases({});
    const routed = await leases({ routing: 'two nodes per tenant' });
    expect(routed.localPart).toBeGreaterThan(spread.localPart);
    expect(routed.amendments).toBeLessThan(spread.amendments);
    expect(await leases({ routing: 'two nodes per tenant' })).toEqual(routed);
  });

  it('brings a change to all nodes, and reads changed records once per node', async () => {
    const publish = (...changes: Change[]) =>
      simulate(async (time, random) => {
        const fleet = { nodes: 10, tenants: 1000, cached: 100, oneWayMs: 0.1 };
        const model = new PropagationModel(time, costs, fleet, random);
        await model.start();
        const results = [];
        for (const change of changes) results.push(await model.publish(change, 20_000));
        await model.close();
        return results;
      });
    const [named, catalogue] = await publish({ tenants: 40 }, 'catalogue');
    expect(named).toMatchObject({ reads: 400, decidedByPast: 0 });
    expect(named?.lastMs).toBeLessThan(2000);
    expect(catalogue).toMatchObject({ reads: 0, decidedByPast: 0 });
    expect(catalogue?.lastMs).toBeLessThan(2000);
  });

  it('keeps a pool at its capacity, and denies nothing below it', async () => {
    const pool = (demand: number) =>
      simulate(async (time, random) => {
        const model = new PoolModel(time, costs, { nodes: 10, capacity: 5000, oneWayMs: 0.1 }, random);
        const run = await model.run(demand, 1500, 1500);
        model.close();
        return run;
      });
    expect((await pool(0.9)).denied).toBe(0);
    expect((await pool(2)).worstSecond).toBeLessThan(1.05);
  });
});
