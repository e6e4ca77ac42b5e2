// Strict decisions: each algorithm, several limits a request, and what others offer; one redis-server, one client process.
// Usage: pnpm bench -- --only decide [--rounds 5] [--ms 2000]
import { RedisStore } from '@tollgate/decision-plane/internals';
import { checkOf, compiledBy, RULES, randomNumber } from './bench-keys.ts';
import { benchOptions } from './bench-options.ts';
import { startBenchServer, whereMeasured } from './bench-server.ts';
import { medianRound } from './closed-loop.ts';
import { interleaved } from './interleaved.ts';
import { connectPeers, FLEXIBLE } from './peers.ts';
import { printRounds, printTable, thousands } from './table.ts';

const KEYS = 100_000;
const TENANTS = 1_000;
const LIMITS_PER_REQUEST = [1, 3, 8];

const options = benchOptions();
const server = await startBenchServer();
const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
await store.connected(5000);
const peers = await connectPeers(server.url, KEYS);
console.log(
  `${whereMeasured()}; ${server.kind}, ${thousands(KEYS)} keys, median of ${options.rounds} interleaved rounds of ${options.ms} ms`,
);

/** Decides for a random user by `count` limits of one rule, as a caller in process would. */
function ours(rule: string, count = 1): () => Promise<unknown> {
  const limits = Array.from({ length: count }, (_, i) => {
    const of = RULES[rule];
    if (of === undefined) throw new Error(`no rule ${rule}`);
    return compiledBy(of, `${rule.replaceAll(/[^a-z0-9]+/g, '-')}-${i}`);
  });
  return () => {
    const n = randomNumber(KEYS);
    return store.decide({ checks: limits.map((limit) => checkOf(limit, n, TENANTS)), peek: false });
  };
}

const MAIN = ['gcra', 'fixed_window'];
const main = new Map(MAIN.map((rule) => [`tollgate ${rule}`, ours(rule)]));
for (const inFlight of [512, 16, 1]) {
  const rounds = await interleaved(new Map([...main, ...peers.contenders]), inFlight, options, server.cpuUs);
  printRounds(`${inFlight} in flight, one limit a request`, rounds, FLEXIBLE);
}

const algorithms = new Map(Object.keys(RULES).map((rule) => [rule, ours(rule)]));
printRounds(
  '512 in flight, each algorithm',
  await interleaved(algorithms, 512, options, server.cpuUs),
  'gcra',
);

for (const rule of MAIN) {
  const byCount = new Map(LIMITS_PER_REQUEST.map((count) => [String(count), ours(rule, count)]));
  for (const inFlight of [512, 1]) {
    const rounds = await interleaved(byCount, inFlight, options, server.cpuUs);
    const usOf = (count: number) => 1e6 / medianRound(rounds.get(String(count)) ?? []).opsPerSecond;
    printTable(
      `${inFlight} in flight, several limits of ${rule} a request`,
      ['limits', 'requests/s', 'µs a request', 'µs for each limit after the first', 'of the first'],
      LIMITS_PER_REQUEST.map((count) => {
        const more = (usOf(count) - usOf(1)) / (count - 1);
        return [
          String(count),
          thousands(1e6 / usOf(count)),
          usOf(count).toFixed(2),
          ...(count === 1 ? ['', ''] : [more.toFixed(2), `${((more / usOf(1)) * 100).toFixed(0)} %`]),
        ];
      }),
    );
  }
}
peers.close();
await store.close();
await server.stop();
