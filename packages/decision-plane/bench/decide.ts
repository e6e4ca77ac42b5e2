// Strict decisions against rate-limiter-flexible: one redis-server, one client process, rounds interleaved, medians.
// Usage: pnpm bench:decide [-- --rounds 5 --ms 2000]

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LimitPolicy } from '@tollgate/contracts';
import { compileLimit, counterKey, RedisStore } from '@tollgate/decision-plane';
import { startRedis } from '@tollgate/embedded';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { closedLoop, medianRound, type Round } from './closed-loop.ts';

const KEYS = 100_000;
const TENANTS = 1_000;
const LIMIT = 1_000_000;

const { values: options } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { rounds: { type: 'string', default: '5' }, ms: { type: 'string', default: '2000' } },
});

const dir = await mkdtemp(join(os.tmpdir(), 'tollgate-bench-'));
const server = await startRedis({ dir, durable: false, kind: 'redis-server' });
const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
await store.connected(5000);
const peerClient = new Redis(server.url, { enableAutoPipelining: true });
const peer = new RateLimiterRedis({ storeClient: peerClient, points: LIMIT, duration: 60 });

const common = {
  name: 'create-minute',
  api: 'url-shortener',
  operations: [],
  per: ['user'],
  limit: LIMIT,
  windowMs: 60_000,
  onUnavailable: 'share' as const,
};

/** Decides for a random one of the 100,000 users, as a caller in process would. */
function ours(stored: LimitPolicy): () => Promise<unknown> {
  const compiled = compileLimit(stored);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  const { policy, keyStem } = compiled.limit;
  return () => {
    const n = randomKey();
    return store.decide([{ key: counterKey(`tenant-${n % TENANTS}`, keyStem, [`=u${n}`]), policy, cost: 1 }]);
  };
}

// Xorshift: the same keys in every run, and cheap enough not to be what is measured.
let seed = 42;
function randomKey(): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % KEYS;
}

const contenders: Record<string, () => Promise<unknown>> = {
  'tollgate gcra': ours({ ...common, algorithm: 'gcra', burst: LIMIT - 1 }),
  'tollgate fixed_window': ours({ ...common, algorithm: 'fixed_window', alignment: 'clock' }),
  'rate-limiter-flexible': () => peer.consume(`u${randomKey()}`),
};

console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, ${server.kind}, ` +
    `${KEYS.toLocaleString('en-US')} keys, median of ${options.rounds} rounds of ${options.ms} ms, interleaved`,
);
for (const inFlight of [512, 16, 1]) {
  const rounds = new Map<string, Round[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let i = 0; i < Number(options.rounds); i++) {
    for (const [name, operation] of Object.entries(contenders)) {
      rounds.get(name)?.push(await closedLoop(operation, inFlight, Number(options.ms)));
    }
  }
  report(inFlight, new Map([...rounds].map(([name, all]) => [name, medianRound(all)])));
}
await store.close();
peerClient.disconnect();
await server.stop();
await rm(dir, { recursive: true });

function report(inFlight: number, medians: Map<string, Round>): void {
  const base = medians.get('rate-limiter-flexible')?.opsPerSecond ?? Number.NaN;
  console.log(`\n${inFlight} in flight           decisions/s   CPU µs   p50 ms   p99 ms    ratio`);
  for (const [name, round] of medians) {
    console.log(
      name.padEnd(24) +
        Math.round(round.opsPerSecond).toLocaleString('en-US').padStart(10) +
        round.cpuUsPerOp.toFixed(2).padStart(9) +
        round.p50Ms.toFixed(2).padStart(9) +
        round.p99Ms.toFixed(2).padStart(9) +
        `${(round.opsPerSecond / base).toFixed(2)} ×`.padStart(9),
    );
  }
}
