// Redis memory per active key of 40 bytes: by MEMORY USAGE plus its expiry entry, and by the growth of the server over
// many keys.
// Usage: pnpm bench memory
import type { Rule } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisStore } from '../../../packages/limiter/src/redis/redis-store.js';
import { addressOf, counterKey } from '../../../packages/limiter/src/rules/keys.js';
import { reportGoal } from '../goals.ts';
import { whereMeasured } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import { startBenchServer } from './bench-server.ts';
import { AMPLE, compiledBy } from './fixtures.ts';

const FIXED_WINDOW = 'fixed_window';
const PACKED_WINDOW = 'fixed_window, packed';
const KEY_BYTES = 40;
const HOUR_MS = 3_600_000;
const IN_FLIGHT = 512;
/** A dict entry in Redis 7 with its slot in the table, for the expiry. */
const EXPIRY_BYTES = 32 + 8;

/** An algorithm, and how to reach the maximum size of a key's state. */
interface Case {
  readonly name: string;
  readonly goal: string;
  readonly keys: number;
  /** Number of charges per key. */
  readonly charges: number;
  readonly charge: (key: string, n: number) => Promise<unknown>;
  readonly ready?: () => Promise<unknown>;
  /** Name of a counter. Default: a key of {@link KEY_BYTES}. */
  readonly nameOf?: (n: number) => string;
}

const rate = { limit: 1000, windowMs: HOUR_MS };
const server = await startBenchServer();
const { redis } = server;
const store = new RedisStore({ url: server.url, deadlineMs: 10_000 });
await store.connected(5000);

function ours(name: string, goal: string, rule: Rule, keys = 100_000, charges = 1, cost = 1): Case {
  const { policy } = compiledBy(rule);
  return {
    name,
    goal,
    keys,
    charges,
    charge: (key) => store.charge({ checks: [{ key, policy, cost }], peek: false }),
  };
}

/** Subjects of a tenant: 16 in each of its 32 hashes, the least of a limit with correct `expectedSubjects`. */
const SUBJECTS = 512;

function packed(): Case {
  const rule = { algorithm: 'fixed_window', ...rate, alignment: 'clock' } as const;
  const { policy, keyStem } = compiledBy(rule, 'packed', { storage: 'packed', expectedSubjects: SUBJECTS });
  return {
    name: PACKED_WINDOW,
    goal: '≤ 40 B',
    keys: 100 * SUBJECTS,
    charges: 3,
    charge: (key) => store.charge({ checks: [{ key, policy, cost: 1 }], peek: false }),
    // Hashed fields, the longest.
    nameOf: (n) =>
      counterKey(`tenant-${Math.floor(n / SUBJECTS)}`, keyStem, [`=${String(n).padStart(15, 'u')}`]),
  };
}

const flexible = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: '',
  points: AMPLE,
  duration: HOUR_MS / 1000,
});
const counter = { algorithm: 'sliding_window_counter', limit: AMPLE } as const;
const SMALL = '≤ 150 B';

const CASES: Case[] = [
  ours('gcra', SMALL, { algorithm: 'gcra', ...rate, burst: 10 }),
  ours('token_bucket', SMALL, { algorithm: 'token_bucket', ...rate, capacity: 100, refill: 'continuous' }),
  ours('token_bucket, interval', SMALL, {
    algorithm: 'token_bucket',
    ...rate,
    capacity: 100,
    refill: 'interval',
  }),
  ours('leaky_bucket', SMALL, { algorithm: 'leaky_bucket', ...rate, queue: 10 }),
  ours(FIXED_WINDOW, SMALL, { algorithm: 'fixed_window', ...rate, alignment: 'clock' }, 100_000, 3),
  packed(),
  ours('quota', SMALL, { algorithm: 'quota', limit: AMPLE, period: 'month' }, 100_000, 3),
  ours('sliding counter, 1 bucket', '', { ...counter, windowMs: HOUR_MS, buckets: 1 }),
  // Sub-windows of 50 ms, charged for three seconds, so that all of them are in use.
  {
    ...ours(
      'sliding counter, 60 buckets in use',
      '≤ 600 B',
      { ...counter, windowMs: 3000, buckets: 60 },
      500,
      62,
      999,
    ),
    ready: () => new Promise((resolve) => setTimeout(resolve, 50)),
  },
  ours('log of 1', '', { algorithm: 'sliding_window_log', limit: 500, windowMs: HOUR_MS }),
  ours('log of 500', '≤ 4 kB', { algorithm: 'sliding_window_log', limit: 500, windowMs: HOUR_MS }, 2000, 500),
  {
    name: 'sorted set of 500',
    goal: '',
    keys: 500,
    charges: 500,
    charge: (key, n) =>
      redis
        .multi()
        .zadd(key, Date.now() * 1000 + n, `${Date.now() * 1000 + n}:${n}`)
        .pexpire(key, HOUR_MS)
        .exec(),
  },
  ours(
    'concurrency, 10 of 100 permits',
    '',
    { algorithm: 'concurrency', limit: 100, leaseMs: HOUR_MS },
    10_000,
    10,
  ),
  {
    name: 'rate-limiter-flexible',
    goal: '',
    keys: 100_000,
    charges: 1,
    charge: (key) => flexible.consume(key),
  },
];

function keyOf(n: number): string {
  return (
    `{tenant-${n % 1000}}:g1:url-shortener:c=u${n}`.padEnd(KEY_BYTES, '0').slice(0, KEY_BYTES - 7) +
    String(n).padStart(7, '0')
  );
}

console.log(`${whereMeasured()}; ${server.kind}, keys of ${KEY_BYTES} bytes`);
const rows: string[][] = [];
// Warm-up, so that buffers have their final size.
for (const one of CASES.slice(0, 1)) await fill(one);
for (const one of CASES) {
  await redis.flushall();
  const beforeBytes = await usedMemory(redis);
  await fill(one);
  const perKey = ((await usedMemory(redis)) - beforeBytes) / one.keys;
  const { key } = addressOf((one.nameOf ?? keyOf)(1));
  const counters = Math.max(1, await redis.hlen(key).catch(() => 1));
  const ofOne = (Number(await redis.memory('USAGE', key, 'SAMPLES', 0)) + EXPIRY_BYTES) / counters;
  if (one.name === FIXED_WINDOW) reportGoal('memory-alone', perKey);
  if (one.name === PACKED_WINDOW) reportGoal('memory-packed', perKey);
  rows.push([one.name, thousands(one.keys), `${thousands(ofOne)} B`, `${thousands(perKey)} B`, one.goal]);
}
printTable(
  'Memory of an active key',
  ['', 'keys', 'MEMORY USAGE with expiry', 'growth of the server ÷ keys', 'goal'],
  rows,
);
await store.close();
await server.stop();

async function fill({ keys, charges, charge, ready, nameOf = keyOf }: Case): Promise<void> {
  for (let n = 0; n < charges; n++) {
    await ready?.();
    let next = 0;
    const caller = async () => {
      while (next < keys) await charge(nameOf(next++), n);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  }
}

async function usedMemory(client: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
}
