import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { type EmbeddedRedis, startRedis } from '@tollgate/embedded';
import { Redis } from 'ioredis';

/** A redis-server on loopback without persistence, in its own directory. */
export interface BenchServer extends Pick<EmbeddedRedis, 'url' | 'kind' | 'stop'> {
  readonly port: number;
  /** Connection for inspection. */
  readonly redis: Redis;
  /** CPU time used so far, microseconds. */
  cpuUs(): Promise<number>;
}

export async function startBenchServer(): Promise<BenchServer> {
  const dir = await mkdtemp(join(os.tmpdir(), 'tollgate-bench-'));
  const server = await startRedis({ dir, durable: false, kind: 'redis-server' });
  const redis = new Redis(server.url);
  return {
    url: server.url,
    kind: server.kind,
    port: Number(new URL(server.url).port),
    redis,
    cpuUs: () => cpuUsOf(redis),
    stop: async () => {
      redis.disconnect();
      await server.stop();
      await rm(dir, { recursive: true });
      await rm(`${dir}.log`, { force: true });
    },
  };
}

/** CPU time used by a server, microseconds. */
export async function cpuUsOf(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^used_cpu_${name}:(.*)$`, 'm').exec(info)?.[1]);
  return (seconds('user') + seconds('sys')) * 1e6;
}

/** Script runs so far. */
export async function scriptRunsOf(redis: Redis): Promise<number> {
  const info = await redis.info('commandstats');
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(info)?.[1] ?? 0);
}
