import type { LimitRequest } from '@tollgate/contracts';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { useRunningNode } from './running-node.js';

const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('a monthly quota of 1000', () => {
  const node = useRunningNode();
  let other: DecisionPlane;
  let redis: Redis;

  beforeEach(async () => {
    other = await DecisionPlane.start({
      countersUrl: node.server.url,
      configUrl: node.server.url,
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      deadlineMs: 5000,
    });
    redis = new Redis(node.server.url);
    const limits = [policyBy({ algorithm: 'quota', limit: 1000, period: 'month' })];
    const revision = await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] });
    await eventually(() => node.plane.revision === revision && other.revision === revision);
  });
  afterEach(async () => {
    redis.disconnect();
    await other.close();
  });

  const checkpoint = async () => {
    const [hash = ''] = await redis.keys('tg:quota:*:*');
    return Number.parseInt((await redis.hvals(hash))[0] ?? '', 10);
  };
  const lose = async () => redis.del(...(await redis.keys('{acme}:q1*')));

  it('reserved and settled lower, it survives the loss of the counters at the settled usage', async () => {
    await other.limit({ ...create, cost: 600 });
    const { requestId } = await node.plane.reserve({ ...create, cost: 100 });
    await node.plane.settle({ tenant: 'acme', requestId, cost: 50 });
    await eventually(async () => (await checkpoint()) === 650);
    await lose();
    await eventually(async () => ((await node.plane.limit(create)).remaining ?? 1000) < 350);
    expect((await other.peek(create)).remaining).toBeGreaterThan(250);
  });

  it('refunds and resets are not reverted by a restore', async () => {
    const { requestId } = await node.plane.limit({ ...create, cost: 600, requestId: 'paid' });
    await eventually(async () => (await checkpoint()) === 600);
    await node.plane.refund({ tenant: 'acme', requestId });
    await eventually(async () => (await checkpoint()) === 0);
    await other.limit(create);
    await node.plane.limit({ ...create, cost: 400 });
    await node.plane.reset(create);
    await node.plane.limit(create);
    await other.limit(create);
    await eventually(async () => (await checkpoint()) <= 2);
    expect((await node.plane.peek(create)).remaining).toBe(998);
  });
});
