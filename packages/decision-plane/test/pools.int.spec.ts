import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { exchangePool } from '../src/scripts/pools.js';
import { poolSuite } from './pools-suite.js';

describe('pools over Redis', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  poolSuite(() => (pool, report, nowMs) => exchangePool(redis, pool, report, nowMs));
});
