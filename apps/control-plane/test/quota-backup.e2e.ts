import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const LIMIT = 1000;
const QUOTA = {
  name: 'per-month',
  apiKey: 'shop',
  operations: [],
  per: [],
  algorithm: 'QUOTA',
  limit: LIMIT,
  period: 'MONTH',
};
const request = { tenant: 'acme', api: 'shop', operation: 'buy' };

let app: TestApp;
let redis: Redis;
let plane: DecisionPlane;

const runJob = (name: string) => app.app.get(JobsRunner, { strict: false }).run(name);

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  await createPolicy(app);
  const input = { tierKey: 'basic', expectedVersion: 3, limits: [QUOTA] };
  const save =
    'mutation($input: TierDraftSaveInput!) { tierDraftSave(input: $input) { userErrors { message } } }';
  const saved = await app.graphql(save, { input });
  expect([saved.errors, saved.data?.tierDraftSave.userErrors]).toEqual([[], []]);
  const publish =
    'mutation { tierPublish(input: { tierKey: "basic", expectedVersion: 4 }) { userErrors { message } } }';
  expect((await app.graphql(publish)).data?.tierPublish.userErrors).toEqual([]);
  plane = await startNode('node-1');
});
afterAll(async () => {
  await plane?.close();
  redis?.disconnect();
  await app?.stop();
});

/** A node that enforces the quota. */
async function startNode(nodeId: string): Promise<DecisionPlane> {
  const node = await DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    nodeId,
    version: 'test',
    deadlineMs: 5000,
    policyKeys: 'unsigned',
  });
  await eventually(async () => {
    const limits = await node.limitsOf('acme', 'shop').catch(() => undefined);
    return !node.awaitsQuotas && limits?.limits.some(({ policy }) => policy.algorithm === 'quota');
  });
  return node;
}

const used = async (node: DecisionPlane) => (await node.peek(request)).used ?? 0;

/** Usage stored in Postgres. */
const kept = async () => {
  await runJob('journal-ingest');
  return Number((await app.database.quotaCheckpoint.findFirst())?.used ?? 0);
};

describe('a monthly quota', () => {
  it('shows its usage and the time at which it is exhausted', async () => {
    for (let i = 0; i < 60; i++) await plane.limit({ ...request, cost: 10 });
    await eventually(async () => (await kept()) === 600);
    await eventually(async () => {
      await runJob('usage-ingest');
      const { data } = await app.graphql(
        `{ usageSummary(tenantKey: "acme") { total { units } }
          limitUtilization(tenantKey: "acme") { limitName apiKey period limit used percent unitsPerHour exhaustsAt } }`,
      );
      if (data.usageSummary.total.units < 600) return false;
      expect(data.limitUtilization).toEqual([
        {
          limitName: 'per-month',
          apiKey: 'shop',
          period: 'MONTH',
          limit: LIMIT,
          used: 600,
          percent: 60,
          unitsPerHour: expect.closeTo(600, -1),
          exhaustsAt: expect.toSatisfy((at) => at === null || Date.parse(at) > Date.now()),
        },
      ]);
      return true;
    });
  });

  it('survives the loss of all Redis data, on the node that counted it and on a new one', async () => {
    await plane.close();
    await eventually(async () => (await kept()) === 600);
    await redis.flushall();
    plane = await startNode('node-2');
    const charged = await eventually(async () => {
      await plane.limit(request);
      const now = await used(plane);
      return now >= 600 && now;
    });
    // Within one percent of the limit, and not above the usage except for charges since then.
    expect(charged - 600).toBeLessThanOrEqual(LIMIT / 100);
  });

  it('is restored even if a node has started a new count before', async () => {
    const before = await eventually(async () => {
      const now = await kept();
      return now >= (await used(plane)) && now;
    });
    await plane.close();
    const stopped = await app.database.quotaCheckpoint.findMany();
    // Nothing to restore yet: the node starts a new count from zero.
    await app.database.quotaCheckpoint.deleteMany();
    await redis.flushall();
    plane = await startNode('node-3');
    await plane.limit(request);
    expect(await used(plane)).toBe(1);
    await app.database.quotaCheckpoint.deleteMany();
    await app.database.quotaCheckpoint.createMany({ data: stopped });
    await redis.del('tg:quota:restored');
    await eventually(async () => {
      await plane.limit(request);
      return (await used(plane)) >= before;
    });
  });
});
