import { checkServer } from '@tollgate/limiter/stores';
import { findUnnamedRefusals, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { nodeRequirements } from './config-redis.js';

it('names each command that the user of a node lacks', { tags: 'redis-server' }, async () => {
  const server = await startRealRedis();
  const admin = new Redis(server.url);
  const requirements = nodeRequirements(true);
  const { commands, channels = [] } = requirements;
  const permitted = ['INFO', 'MULTI', 'DISCARD', ...commands, ...channels.map(() => 'SUBSCRIBE')];
  const unnamed = await findUnnamedRefusals(admin, 'node-policy', permitted, async (url) => {
    const redis = new Redis(url, { retryStrategy: null, enableReadyCheck: false });
    redis.on('error', () => undefined);
    const findings = await checkServer(redis, requirements, 5000);
    redis.disconnect();
    return findings;
  });
  admin.disconnect();
  await server.stop();
  expect(unnamed).toEqual([]);
});
