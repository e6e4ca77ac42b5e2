// Strict decisions beside other libraries; one redis-server, one client process.
// Usage: pnpm bench decide [--rounds 5] [--ms 500]
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Redis } from 'ioredis';
import { RedisStore as ExpressRateLimitStore } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type BenchGoalId, reportGoal } from '../goals.ts';
import { benchOptions, interleaved, median, type Round } from '../measure.ts';
import { printRounds } from '../table.ts';
import { AMPLE, randomNumber } from './fixtures.ts';
import { StoreBench } from './store-bench.ts';

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

const MAIN = ['gcra', 'fixed_window'] as const;
const KEYS = 100_000;

const options = benchOptions();
const bench = await StoreBench.open(KEYS, options);
const peers = await connectPeers(bench.server.url, KEYS);
const ours = MAIN.map((rule) => [`tollgate ${rule}`, bench.decide(rule)] as const);
for (const inFlight of [512, 16, 1] as const) {
  const contenders = new Map([...ours, ...peers.contenders]);
  const rounds = await interleaved(contenders, inFlight, options, bench.server.cpuUs);
  printRounds(`${inFlight} in flight, one limit per request`, rounds, FLEXIBLE);
  for (const rule of MAIN) {
    const ratio = (of: (round: Round) => number) => {
      const base = rounds.get(FLEXIBLE) ?? [];
      const all = rounds.get(`tollgate ${rule}`) ?? [];
      return median(all.map((round, i) => of(round) / of(base[i] as Round)));
    };
    const name = rule === 'gcra' ? rule : 'fixed-window';
    const id = `strict-${inFlight}-${name}` satisfies BenchGoalId;
    reportGoal(
      id,
      ratio(({ opsPerSecond }) => opsPerSecond),
    );
    if (inFlight === 512)
      reportGoal(
        `strict-512-${name}-p99`,
        ratio(({ p99Ms }) => p99Ms),
      );
  }
}
peers.close();
await bench.close();
