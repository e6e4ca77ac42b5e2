import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_MS } from '../../limiter/test/script-clock.js';
import type { PoolReport } from '../src/pools/exchange.js';
import { exchangePool, readPool } from '../src/scripts/pools.js';

const POOL = { key: '{pool:shop:main}', capacity: 100, reclaimPercent: 80 };

describe('readPool', () => {
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

  const report = (node: string, more: Partial<PoolReport> = {}): PoolReport => ({
    ...{ node, own: [10, 20, 0], demand: [10, 20, 0], borrowers: [], services: [] },
    ...more,
  });
  const borrower = (tenant: string, borrowed: number) => ({
    ...{ tenant, weight: 1, borrowed, demand: [0, borrowed, 0] as const },
  });

  it('sums the node reports of the last second, and reports nothing for a pool without traffic', async () => {
    expect(await readPool(redis, POOL, START_MS)).toEqual({
      ...{ capacity: 100, admitted: 0, borrowed: 0, borrowers: 0, nodes: 0, warmUpLeftMs: 0 },
    });
    await exchangePool(redis, POOL, report('n1', { borrowers: [borrower('acme', 7)] }), START_MS);
    const others = { borrowers: [borrower('acme', 2), borrower('idle', 0)] };
    await exchangePool(redis, POOL, report('n2', others), START_MS + 10);
    const services = [{ service: 'web', utilizationPermille: 2000 }];
    await exchangePool(
      redis,
      POOL,
      report('n1', { borrowers: [borrower('acme', 7)], services }),
      START_MS + 20,
    );
    expect(await readPool(redis, POOL, START_MS + 30)).toEqual({
      ...{ capacity: 50, admitted: 60, borrowed: 9, borrowers: 1, nodes: 2, warmUpLeftMs: 0 },
    });
  });

  it('returns the capacity and the time left of a warm-up, also without traffic', async () => {
    const pool = { ...POOL, key: '{pool:shop:ramp}', warmUp: { ms: 60_000, startPercent: 20 } };
    await exchangePool(redis, pool, report('n1', { coldStartAgeMs: 0 }), START_MS);
    expect(await readPool(redis, pool, START_MS)).toMatchObject({ capacity: 20, warmUpLeftMs: 60_000 });
    expect(await readPool(redis, pool, START_MS + 30_000)).toMatchObject({
      ...{ capacity: 60, nodes: 0, warmUpLeftMs: 30_000 },
    });
    expect(await readPool(redis, pool, START_MS + 60_000)).toMatchObject({ capacity: 100, warmUpLeftMs: 0 });
  });

  it('drops a silent node', async () => {
    expect(await readPool(redis, POOL, START_MS + 5000)).toMatchObject({ admitted: 0, nodes: 0 });
  });
});
