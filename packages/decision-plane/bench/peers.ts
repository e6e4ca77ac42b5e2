import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Redis } from 'ioredis';
import { RedisStore as ExpressRateLimitStore } from 'rate-limit-redis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { AMPLE, randomNumber } from './bench-keys.ts';

/** What others offer for Node, each on a connection of its own with auto-pipelining, which is their best setting. */
export interface Peers {
  readonly contenders: ReadonlyMap<string, () => Promise<unknown>>;
  close(): void;
}

export const FLEXIBLE = 'rate-limiter-flexible';
const WINDOW_MS = 60_000;

export async function connectPeers(url: string, keys: number): Promise<Peers> {
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
