// Strict decisions: each algorithm, several limits per request, and other libraries; one redis-server, one client
// process.
// Usage: pnpm bench -- --only decide [--rounds 5] [--ms 2000]
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { RedisStore } from '@tollgate/decision-plane/internals';
import { Redis } from 'ioredis';
import { RedisStore as ExpressRateLimitStore } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { startBenchServer, whereMeasured } from './bench-server.ts';
import { AMPLE, checkOf, compiledBy, RULES, randomNumber } from './fixtures.ts';
import { benchOptions, interleaved, medianRound } from './measure.ts';
import { printRounds, printTable, thousands } from './table.ts';

/** Other libraries for Node, each on its own connection with auto-pipelining, which is their fastest setting. */
interface Peers {
  readonly contenders: ReadonlyMap<string, () => Promise<unknown>>;
  close(): void;
}

const FLEXIBLE = 'rate-limiter-flexible';
const WINDOW_MS = 60_000;

async function connectPeers(url: string, keys: number): Promise<Peers> {
  const clients = Array.from({ length: 3 }, () => new Redis(url, { enableAutoPipelining: true }));
  const [forFlexible, forNest, forExpress] = clients as [Redis, Redis, Redis];
  const flexible = new RateLimiterRedis({
    storeClient: forFlexible,
    points: AMPLE,
    duration: WINDOW_MS / 1000,
  });
  const nest = new ThrottlerStorageRedisService(forNest);
  const express = new ExpressRateLimitStore({
    sendCommand: (command: string, ...args: string[]) =>
      forExpress.call(command, ...args) as Promise<number[]>,
  });
  await express.init({ windowMs: WINDOW_MS } as Parameters<typeof express.init>[0]);
  return {
    contenders: new Map<string, () => Promise<unknown>>([
      [FLEXIBLE, () => flexible.consume(`u${randomNumber(keys)}`)],
      [
        '@nestjs/throttler',
        () => nest.increment(`u${randomNumber(keys)}`, WINDOW_MS, AMPLE, WINDOW_MS, 'default'),
      ],
      ['rate-limit-redis', () => express.increment(`u${randomNumber(keys)}`)],
    ]),
    close: () => {
      for (const client of clients) client.disconnect();
    },
  };
}

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

/** Decides for a random user with `count` limits of one rule, like an in-process caller. */
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
  printRounds(`${inFlight} in flight, one limit per request`, rounds, FLEXIBLE);
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
      `${inFlight} in flight, several limits of ${rule} per request`,
      ['limits', 'requests/s', 'µs per request', 'µs per additional limit', 'relative to the first'],
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
