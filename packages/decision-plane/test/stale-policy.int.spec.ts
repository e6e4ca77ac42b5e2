import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneEvent } from '../src/api/options.js';
import type { OnStale } from '../src/decide/requests.js';
import { readNodeReports } from '../src/policy-redis/node-reports.js';
import { TestRelay } from '../src/testing/test-relay.js';

const DAY_MS = 86_400_000;
const LIMIT = 100;
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const unlimited: LimitRequest = { ...create, operation: 'deleteURL' };

describe('policy without confirmation by the control plane', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let redis: Redis;
  let publishedMs: number;
  let nowMs: number;
  const planes: DecisionPlane[] = [];

  beforeAll(async () => {
    server = await createTestRedis();
  });
  beforeEach(async () => {
    publishedMs = Date.now();
    nowMs = publishedMs;
    // Only advanced manually; connections and timers use the real clock.
    vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    relay = new TestRelay(server.url);
    redis = new Redis(server.url);
    await redis.flushall();
    const limits = [fixedWindowPolicy({ limit: LIMIT, windowMs: 30 * DAY_MS, operations: ['createURL'] })];
    await relay.publish({ limits, tenants: [relay.tenant('acme')] });
  });
  afterEach(async () => {
    await Promise.all(planes.splice(0).map((plane) => plane.close()));
    relay.close();
    redis.disconnect();
    vi.restoreAllMocks();
  });
  afterAll(() => server.stop());

  const start = async (over: Partial<Parameters<typeof DecisionPlane.start>[0]>) => {
    const events: DecisionPlaneEvent[] = [];
    const plane = await DecisionPlane.start({
      countersUrl: server.url,
      configUrl: server.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      deadlineMs: 5000,
      onEvent: (event) => events.push(event),
      nowMs: () => nowMs,
      ...over,
    });
    planes.push(plane);
    return { plane, told: () => events.filter(({ kind }) => kind.startsWith('policy-')) };
  };
  const at = (ageMs: number) => {
    nowMs = publishedMs + ageMs;
  };

  it.each([
    ['keep', { success: true, degraded: false, limit: LIMIT }],
    ['deny', { success: false, degraded: true, reason: 'DEGRADED' }],
    ['allow', { success: true, degraded: true, reason: 'DEGRADED' }],
  ] satisfies [OnStale, object][])(
    'continues for a day, and one second later follows `onStale`: %s',
    async (onStale, late) => {
      const { plane, told } = await start({ onStale });
      const inTime = { success: true, degraded: false, limit: LIMIT };
      for (const ageMs of [0, DAY_MS / 2, DAY_MS]) {
        at(ageMs);
        expect(await plane.limit(create)).toMatchObject(inTime);
        expect(plane).toMatchObject({ policyAgeMs: ageMs, policyStale: false });
      }
      at(DAY_MS + 1000);
      expect(await plane.limit(create)).toMatchObject(late);
      expect(await plane.limitMany([create, create])).toMatchObject([late, late]);
      expect(await plane.limit(unlimited)).toMatchObject({ success: true });
      expect(plane).toMatchObject({ policyAgeMs: DAY_MS + 1000, policyStale: true });
      await eventually(() => told().length === 1);
      expect(told()).toEqual([{ kind: 'policy-stale', ageMs: DAY_MS + 1000 }]);
    },
  );

  it('is reported by the node, with its age', async () => {
    await start({ onStale: 'deny' });
    at(DAY_MS + 5000);
    const report = async () => (await readNodeReports(redis))[0];
    await eventually(async () => (await report())?.policyStale === true);
    expect(await report()).toMatchObject({ policyAgeMs: DAY_MS + 5000 });
  });

  it('follows `maxStaleMs`, and stops once it is confirmed', async () => {
    const { plane, told } = await start({ onStale: 'deny', maxStaleMs: 60_000 });
    at(60_001);
    expect(await plane.limit(create)).toMatchObject({ success: false, reason: 'DEGRADED' });
    await eventually(() => told().length === 1);
    await relay.confirm(publishedMs + 60_000);
    await eventually(() => !plane.policyStale);
    expect(await plane.limit(create)).toMatchObject({ success: true, degraded: false });
    expect(told()).toMatchObject([{ kind: 'policy-stale' }, { kind: 'policy-fresh', ageMs: 1 }]);
    at(60_000 + 60_001);
    expect(await plane.limit(create)).toMatchObject({ success: false });
  });

  it("a confirmation of a newer revision than this node's does not count", async () => {
    const { plane } = await start({ onStale: 'deny', maxStaleMs: 60_000 });
    at(50_000);
    await redis.set(
      'tg:policy:confirmed',
      JSON.stringify({ revision: plane.revision + 1, atMs: publishedMs + 50_000 }),
    );
    const polls = async () => Number(/cmdstat_mget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    const before = await polls();
    await eventually(async () => (await polls()) > before + 1);
    expect(plane.policyAgeMs).toBe(50_000);
  });
});
