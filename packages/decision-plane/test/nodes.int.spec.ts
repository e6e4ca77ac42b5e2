import type { ApiRecord, LimitRequest, PoolRecord, UsageFrame } from '@tollgate/contracts';
import { compilePool } from '@tollgate/policy';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneEvent } from '../src/api/options.js';
import { readUsageFrames } from '../src/policy-redis/node-streams.js';
import { readPool } from '../src/scripts/pools.js';
import { useRunningNode } from './running-node.js';

const window = (limit: number) =>
  ({ algorithm: 'fixed_window', limit, windowMs: 86_400_000, alignment: 'first_request' }) as const;
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('two nodes on one Redis', () => {
  const node = useRunningNode();
  let other: DecisionPlane;
  let redis: Redis;
  let events: DecisionPlaneEvent[];

  beforeEach(async () => {
    events = [];
    other = await DecisionPlane.start({
      countersUrl: node.server.url,
      configUrl: node.server.url,
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      deadlineMs: 5000,
      keysPerTenant: 100,
      onEvent: (event) => events.push(event),
    });
    redis = new Redis(node.server.url);
  });
  afterEach(async () => {
    redis.disconnect();
    await other.close();
  });

  const limitBy = async (...limits: ReturnType<typeof policyBy>[]) => {
    const revision = await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] });
    await node.inForce(revision);
    await eventually(() => other.revision === revision);
  };

  it('a refund on one node applies on the other, which had cached the denial', async () => {
    await limitBy(policyBy(window(1)));
    const { requestId } = await node.plane.limit({ ...create, requestId: 'paid-1' });
    for (let i = 0; i < 3; i++) expect(await other.limit(create)).toMatchObject({ success: false });
    expect(await node.plane.refund({ tenant: 'acme', requestId })).toMatchObject({
      status: 'applied',
      returned: 1,
    });
    await eventually(async () => (await other.limit(create)).success);
    expect(await node.plane.refund({ tenant: 'acme', requestId })).toMatchObject({ status: 'done' });
  });

  it('a cold start reported to one node lowers the capacity of the pool for all', async () => {
    const main: PoolRecord = {
      ...{ name: 'main', operations: [], capacity: 200, reclaimPercent: 80 },
      warmUp: { ms: 3_600_000, startPercent: 10 },
    };
    const api: ApiRecord = {
      key: 'url-shortener',
      unknownOperations: 'count',
      operations: [],
      pools: [main],
    };
    const policy = { limits: [], tenants: [node.relay.tenant('acme')], apis: [api] };
    await node.inForce(await node.relay.publish(policy));
    const read = () => readPool(redis, compilePool('url-shortener', main));
    expect(await read()).toMatchObject({ capacity: 200, warmUpLeftMs: 0 });
    const report = { api: 'url-shortener', pool: 'main', service: 's-1', utilizationPercent: 95 };
    node.plane.reportCapacity({ ...report, coldStart: true });
    // From 10 %, by 3 a minute.
    await eventually(async () => (await read()).capacity < 100);
  });

  it('a lasting denial is answered without Redis', async () => {
    await limitBy(policyBy(window(1)));
    await other.limit(create);
    await other.limit(create);
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await calls();
    for (let i = 0; i < 100; i++)
      expect(await other.limit(create)).toMatchObject({ success: false, remaining: 0 });
    expect((await calls()) - before).toBeLessThan(20);
  });

  it('leased: together they admit exactly the limit, mostly without Redis', async () => {
    await limitBy(policyBy(window(5000), { consistency: { mode: 'leased', leaseMs: 1000 } }));
    let admitted = 0;
    for (let round = 0; round < 60; round++) {
      const asked = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? node.plane : other).limit(create));
      for (const { success } of await Promise.all(asked)) if (success) admitted++;
    }
    expect(admitted).toBeLessThanOrEqual(5000);
    expect(admitted).toBeGreaterThan(4000);
  });

  it('a reservation of a stopped node is refunded after its term', async () => {
    await limitBy(policyBy(window(10)));
    const reserved = await other.reserve({ ...create, cost: 7, expiresInMs: 1000 });
    expect(reserved).toMatchObject({ success: true, remaining: 3 });
    await other.close();
    await eventually(async () => (await node.plane.peek(create)).remaining === 10);
  });

  it('a reservation is settled once, at its actual cost', async () => {
    await limitBy(policyBy(window(10)));
    const { requestId, expiresAt } = await node.plane.reserve({ ...create, cost: 7 });
    expect(expiresAt).toBeGreaterThan(Date.now());
    const settlement = { tenant: 'acme', requestId, cost: 2 };
    expect(await other.settle(settlement)).toMatchObject({ status: 'applied', returned: 5 });
    expect(await other.settle(settlement)).toMatchObject({ status: 'done' });
    expect(await other.peek(create)).toMatchObject({ remaining: 8 });
  });

  it('a repeated id is charged once on any node, and is a conflict for other limits', async () => {
    await limitBy(
      policyBy(window(10), { operations: ['createURL'] }),
      policyBy(window(10), { name: 'deletes', operations: ['deleteURL'] }),
    );
    const request = { ...create, requestId: 'order-1' };
    const answers = await Promise.all(
      [node.plane, other, node.plane, other].map((plane) => plane.limit(request)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ success: true, remaining: 9 });
    await expect(other.limit({ ...request, operation: 'deleteURL' })).rejects.toMatchObject({
      code: 'request-id-reused',
    });
  });

  it('identifiers beyond a tenant’s budget share one counter, and one alarm is raised', async () => {
    await limitBy(policyBy(window(3), { per: ['user'] }));
    const asked = Array.from({ length: 300 }, (_, i) =>
      other.limit({ ...create, subject: { user: `u${i}` } }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(({ success }) => success)).toHaveLength(103);
    expect(await redis.keys('{acme}*')).toHaveLength(101);
    expect(events.filter(({ kind }) => kind === 'key-budget-spent')).toHaveLength(1);
  });

  it('a monthly quota survives the loss of the counters', async () => {
    await limitBy(policyBy({ algorithm: 'quota', limit: 100, period: 'month' }));
    await node.plane.limit({ ...create, cost: 60 });
    const counter = (await redis.keys('{acme}:q1*'))[0] ?? '';
    await eventually(async () => (await redis.keys('tg:quota:*:*')).length > 0);
    await redis.del(counter);
    await other.limit(create);
    // The 60 of the checkpoint and the request that found it empty.
    await eventually(async () => (await other.peek(create)).remaining === 39);
  });

  it('usage contains minute, cost and outcome; the node that crosses 80 % and 100 % reports it once', async () => {
    await limitBy(policyBy(window(10)));
    for (let i = 0; i < 12; i++) await (i % 2 === 0 ? node.plane : other).limit(create);
    const frames: UsageFrame[] = [];
    await eventually(async () => {
      frames.splice(0, Infinity, ...(await readUsageFrames(redis, '0', 1)).frames);
      return frames.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.count, 0) === 12;
    });
    const crossings = frames.flatMap((frame) => frame.crossings ?? []);
    expect(crossings.map(({ percent, used }) => [percent, used]).sort()).toEqual([
      [100, 10],
      [80, 8],
    ]);
    expect(frames.flatMap((frame) => frame.offenders ?? []).reduce((sum, { units }) => sum + units, 0)).toBe(
      2,
    );
    for (const { minute } of frames.flatMap(({ rows }) => rows)) {
      expect(Math.abs(minute - Math.floor(Date.now() / 60_000))).toBeLessThanOrEqual(1);
    }
  });

  it('denials on both nodes add up to one block, which both answer without Redis until a reset', async () => {
    const penalty = { denials: 6, windowMs: 86_400_000, blockMs: 86_400_000, maxBlockMs: 86_400_000 };
    await limitBy(policyBy(window(1), { penalty }));
    const asked = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? node.plane : other).limit(create));
    const reasons = (await Promise.all(asked)).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'RATE_EXCEEDED')).toHaveLength(5);
    expect(reasons.filter((reason) => reason === 'PENALTY')).toHaveLength(6);
    await redis.del(...(await redis.keys('{acme}:f1*')));
    for (const plane of [node.plane, other]) {
      const { reason, retryAfter } = await plane.limit(create);
      expect(reason).toBe('PENALTY');
      expect(retryAfter).toBeGreaterThan(86_000);
    }
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await calls();
    for (let i = 0; i < 100; i++) expect(await other.limit(create)).toMatchObject({ reason: 'PENALTY' });
    expect((await calls()) - before).toBeLessThan(20);
    expect(await node.plane.reset(create)).toMatchObject({ status: 'applied' });
    await eventually(async () => (await other.limit(create)).success);
  });

  it('a reset deletes the counter on all nodes', async () => {
    await limitBy(policyBy(window(1)));
    await node.plane.limit(create);
    await other.limit(create);
    const { requestId: _, ...described } = { ...create, requestId: '' };
    expect(await node.plane.reset(described)).toMatchObject({ status: 'applied' });
    await eventually(async () => (await other.limit(create)).success);
  });
});
