// @module-tag redis-server
import { checkServer } from '@tollgate/limiter/stores';
import { findUnnamedRefusals, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { testConfig } from '../../test/support/test-app.js';
import { createLogger } from './log.js';
import { RedisConnections } from './redis.js';
import { configRequirements } from './redis-requirements.js';

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
    for (const durability of ['required', 'managed', 'best-effort']) {
      await expect(start(['--maxmemory-policy', 'allkeys-lru'], durability)).rejects.toThrow(
        /maxmemory-policy/,
      );
    }
  });

  it('does not start on a Redis without an append-only file, unless it may', async () => {
    await expect(start([], 'required')).rejects.toThrow(/append-only/);
    await start([], 'managed');
    await start([], 'best-effort');
    await start(['--appendonly', 'yes'], 'required');
  });

  it('does not need CONFIG', async () => {
    await start(['--rename-command', 'CONFIG', ''], 'managed');
  });

  it('does not start without a command that it needs', async () => {
    const server = await startRealRedis();
    const admin = new Redis(server.url);
    const requirements = configRequirements('managed');
    const commands = ['INFO', 'MULTI', 'DISCARD', 'SUBSCRIBE', ...requirements.commands];
    const unnamed = await findUnnamedRefusals(admin, 'control-plane', commands, async (url) => {
      const redis = new Redis(url, { lazyConnect: true });
      return checkServer(redis, requirements, 5000);
    });
    admin.disconnect();
    await server.stop();
    expect(unnamed).toEqual([]);
  });
});
