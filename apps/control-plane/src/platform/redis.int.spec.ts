import { startRealRedis } from '@tollgate/test-kit';
import { describe, expect, it } from 'vitest';
import { testConfig } from '../../test/support/test-app.js';
import { createLogger } from './log.js';
import { keepingProblems, RedisConnections } from './redis.js';

const KEEPING = 'maxmemory_policy:noeviction\r\naof_enabled:1\r\n';

describe('problems of a Redis for jobs, from INFO', () => {
  it('is nothing when it keeps everything', () => {
    expect(keepingProblems(KEEPING)).toEqual([]);
  });

  it('is that it evicts, or forgets at a restart', () => {
    expect(keepingProblems(KEEPING.replace('noeviction', 'allkeys-lru'))).toMatchObject([{ evicts: true }]);
    expect(keepingProblems(KEEPING.replace('aof_enabled:1', 'aof_enabled:0'))).toMatchObject([
      { evicts: false },
    ]);
  });
});

describe('a control plane', () => {
  const start = async (extraArgs: string[], durability: string) => {
    const redis = await startRealRedis({ extraArgs });
    const services = { databaseUrl: 'postgresql://x/y', redisUrl: redis.url };
    const config = testConfig(services, { REDIS_CONFIG_DURABILITY: durability });
    const connections = new RedisConnections(config, createLogger(config));
    try {
      await connections.onModuleInit();
    } finally {
      await connections.onApplicationShutdown();
      await redis.stop();
    }
  };

  it('does not start on a Redis that evicts, even with best-effort durability', async () => {
    for (const durability of ['required', 'best-effort']) {
      await expect(start(['--maxmemory-policy', 'allkeys-lru'], durability)).rejects.toThrow(
        /maxmemory-policy/,
      );
    }
  });

  it('does not start on a Redis without an append-only file, unless it may', async () => {
    await expect(start([], 'required')).rejects.toThrow(/append-only/);
    await start([], 'best-effort');
    await start(['--appendonly', 'yes'], 'required');
  });
});
