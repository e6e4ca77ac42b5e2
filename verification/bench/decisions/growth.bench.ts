// Decision time by number of keys and tenants: one server per size, rounds interleaved.
// Usage: pnpm bench growth [--rounds 5] [--ms 500]; 5,000,000 keys take about 1 GB and half a minute

import { RedisStore } from '../../../packages/limiter/src/redis/redis-store.js';
import { reportGoal } from '../goals.ts';
import { benchOptions, closedLoop, median, medianRound, type Round, whereMeasured } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { checkOf, compiledBy, LASTING, randomNumber } from './fixtures.ts';

const IN_FLIGHT = 512;
/** Keys per plain MGET, to measure Redis's own slowdown with more keys. */
const READS = 256;
/** [keys, tenants] */
const BY_KEYS = [1_000, 100_000, 5_000_000].map((keys) => [keys, 1_000] as const);
const BY_TENANTS = [1, 1_000, 100_000].map((tenants) => [100_000, tenants] as const);

const { rounds, ms } = benchOptions();
const limit = compiledBy(LASTING);

interface Size {
  readonly keys: number;
  readonly tenants: number;
  readonly server: BenchServer;
  readonly store: RedisStore;
  readonly rounds: Round[];
  readonly reads: Round[];
}

/** A server that already holds all keys. */
async function filled(keys: number, tenants: number): Promise<Size> {
  const server = await startBenchServer();
  const store = new RedisStore({ url: server.url, deadlineMs: 10_000 });
  await store.connected(5000);
  let next = 0;
  const fill = async () => {
    while (next < keys) await store.charge({ checks: [checkOf(limit, next++, tenants)], peek: false });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, fill));
  return { keys, tenants, server, store, rounds: [], reads: [] };
}

/** @returns time per decision at the last size, relative to the first: the median of the rounds' ratios */
async function measure(title: string, sizes: readonly (readonly [number, number])[]): Promise<number> {
  const all: Size[] = [];
  for (const [keys, tenants] of sizes) all.push(await filled(keys, tenants));
  for (let i = 0; i < rounds; i++) {
    for (const { keys, tenants, server, store, rounds: done, reads } of all) {
      const someKeys = () =>
        Array.from({ length: READS }, () => checkOf(limit, randomNumber(keys), tenants).key);
      reads.push(await closedLoop(() => store.redis.mget(someKeys()), 2, ms / 2, server.cpuUs));
      const decide = () =>
        store.charge({ checks: [checkOf(limit, randomNumber(keys), tenants)], peek: false });
      done.push(await closedLoop(decide, IN_FLIGHT, ms, server.cpuUs));
    }
  }
  const medians = all.map((size) => ({
    ...size,
    round: medianRound(size.rounds),
    readUs: medianRound(size.reads).serverUsPerOp / READS,
  }));
  const [base] = medians;
  const baseUs = 1e6 / (base?.round.opsPerSecond ?? Number.NaN);
  printTable(
    title,
    [
      'keys',
      'tenants',
      'decisions/s',
      'client CPU',
      'server CPU',
      'per key in MGET',
      'time per decision, relative to the first',
      'if only this MGET slowed down',
    ],
    medians.map(({ keys, tenants, round, readUs }) => [
      thousands(keys),
      thousands(tenants),
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
      `${readUs.toFixed(2)} µs`,
      times(1e6 / round.opsPerSecond / baseUs),
      times((baseUs + readUs - (base?.readUs ?? Number.NaN)) / baseUs),
    ]),
  );
  for (const { store, server } of all) {
    await store.close();
    await server.stop();
  }
  const last = all.at(-1)?.rounds ?? [];
  const first = all[0]?.rounds ?? [];
  return median(first.map((round, i) => round.opsPerSecond / (last[i]?.opsPerSecond ?? Number.NaN)));
}

console.log(`${whereMeasured()}; gcra, ${IN_FLIGHT} in flight, median of ${rounds} rounds of ${ms} ms`);
reportGoal('keys-5m', await measure('More keys', BY_KEYS));
await measure('More tenants', BY_TENANTS);
