import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { TestRelay } from '../src/testing/test-relay.js';

const LIMIT = 100;
const USED = 60;
const OFFERED = 20;
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('counters lost in the middle of a quota', () => {
  let counters: Awaited<ReturnType<typeof createTestRedis>>;
  let config: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let redis: Redis;
  const planes: DecisionPlane[] = [];

  beforeEach(async () => {
    [counters, config] = await Promise.all([createTestRedis(), createTestRedis()]);
    relay = new TestRelay(config.url);
    redis = new Redis(config.url);
    const limits = [policyBy({ algorithm: 'quota', limit: LIMIT, period: 'month' })];
    await relay.publish({ limits, tenants: [relay.tenant('acme')] });
  });
  afterEach(async () => {
    await Promise.all(planes.splice(0).map((plane) => plane.close()));
    relay.close();
    redis.disconnect();
    await Promise.all([counters.stop(), config.stop()]);
  });

  const start = async (nodeId: string) => {
    const plane = await DecisionPlane.start({
      countersUrl: counters.url,
      configUrl: config.url,
      policyKeys: 'unsigned',
      nodeId,
      version: 'test',
      deadlineMs: 5000,
    });
    planes.push(plane);
    return plane;
  };
  const admitted = async (plane: DecisionPlane, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => plane.limit(create)));
    return answers.filter(({ success }) => success).length;
  };
  const checkpoint = async (used: number) => {
    await eventually(async () => {
      const [hash = ''] = await redis.keys('tg:quota:*:*');
      return Number.parseInt((await redis.hvals(hash))[0] ?? '', 10) === used;
    });
  };
  const stop = async () => {
    const { port } = counters;
    await counters.stop();
    return port;
  };
  const restartEmpty = async (port: number) => {
    counters = await createTestRedis({ port });
    for (const plane of planes) {
      await eventually(async () => !(await plane.peek(create)).degraded);
    }
  };

  it('60 of 100 used, 20 admitted during the outage: 20 are left', async () => {
    const plane = await start('node-1');
    expect(await admitted(plane, USED)).toBe(USED);
    await checkpoint(USED);
    const port = await stop();
    expect(await admitted(plane, OFFERED)).toBe(OFFERED);
    await restartEmpty(port);
    expect(await admitted(plane, 2 * LIMIT)).toBe(LIMIT - USED - OFFERED);
    await checkpoint(LIMIT);
  });

  it('a node that starts during the outage reads the checkpoint and admits only the remaining units', async () => {
    const plane = await start('node-1');
    expect(await admitted(plane, USED)).toBe(USED);
    await checkpoint(USED);
    await Promise.all(planes.splice(0).map((one) => one.close()));
    const port = await stop();
    const fresh = await start('node-1');
    expect(await admitted(fresh, 2 * LIMIT)).toBe(LIMIT - USED);
    await restartEmpty(port);
    expect(await admitted(fresh, 2 * LIMIT)).toBe(0);
  });
});
