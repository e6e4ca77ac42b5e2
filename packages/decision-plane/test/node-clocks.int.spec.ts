import { AsyncLocalStorage } from 'node:async_hooks';
import type { LimitRequest, Rule } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { readNodeReports } from '../src/policy-redis/node-reports.js';
import { TestRelay } from '../src/testing/test-relay.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NODES = 3;
const LIMIT = 99;
const SPENT = 30;
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

/** How far the wall clock is ahead in code that runs for a node, ms; inherited by timers and callbacks. */
const ahead = new AsyncLocalStorage<number>();

describe('one of three nodes with a wrong clock', () => {
  let counters: Awaited<ReturnType<typeof createTestRedis>>;
  let config: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let redis: Redis;
  let nodes: { plane: DecisionPlane; aheadMs: number }[];

  beforeEach(async () => {
    const [trueNow, trueOrigin] = [Date.now, performance.timeOrigin];
    vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + (ahead.getStore() ?? 0));
    Object.defineProperty(performance, 'timeOrigin', {
      configurable: true,
      get: () => trueOrigin + (ahead.getStore() ?? 0),
    });
    [counters, config] = await Promise.all([createTestRedis(), createTestRedis()]);
    relay = new TestRelay(config.url);
    redis = new Redis(config.url);
    nodes = [];
  });
  afterEach(async () => {
    await Promise.all(nodes.map(({ plane }) => plane.close()));
    relay.close();
    redis.disconnect();
    await Promise.all([counters.stop(), config.stop()]);
    vi.restoreAllMocks();
    Reflect.deleteProperty(performance, 'timeOrigin');
  });

  const start = async (rule: Rule, aheadMs: number) => {
    await relay.publish({ limits: [policyBy(rule)], tenants: [relay.tenant('acme')] });
    for (const [i, ms] of [aheadMs, 0, 0].entries()) {
      const options = {
        countersUrl: counters.url,
        configUrl: config.url,
        policyKeys: 'unsigned' as const,
        nodeId: `node-${i}`,
        version: 'test',
        deadlineMs: 5000,
      };
      nodes.push({ plane: await ahead.run(ms, () => DecisionPlane.start(options)), aheadMs: ms });
    }
  };
  const ask = (count: number) =>
    Promise.all(
      nodes.map(({ plane, aheadMs }) =>
        ahead.run(aheadMs, async () => {
          const answers = await Promise.all(Array.from({ length: count }, () => plane.limit(create)));
          return answers.filter(({ success }) => success).length;
        }),
      ),
    );
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

  const OFFSETS = { '+1 h': HOUR_MS, '-1 h': -HOUR_MS, '+1 day': DAY_MS, '-1 day': -DAY_MS };
  const RULES: Record<string, Rule> = {
    'fixed window': { algorithm: 'fixed_window', limit: LIMIT, windowMs: 30 * DAY_MS, alignment: 'clock' },
    'monthly quota': { algorithm: 'quota', limit: LIMIT, period: 'month' },
    'log of an hour': { algorithm: 'sliding_window_log', limit: LIMIT, windowMs: HOUR_MS },
    gcra: { algorithm: 'gcra', limit: LIMIT, windowMs: 30 * DAY_MS, burst: LIMIT - 1 },
  };
  const CASES = Object.entries(OFFSETS).flatMap(([offset, aheadMs]) =>
    Object.entries(RULES).map(([rule, of]) => ({ offset, aheadMs, rule, of })),
  );

  it.each(CASES)('$offset, $rule: an outage admits at most limit + nodes', async ({ aheadMs, of }) => {
    await start(of, aheadMs);
    expect(sum(await ask(SPENT / NODES))).toBe(SPENT);
    // After a change of policy, every node reports, reads all reports, and deletes those of nodes that seem dead.
    for (let i = 0; i < 3; i++) {
      const revision = await relay.publish({ limits: [policyBy(of)], tenants: [relay.tenant('acme')] });
      const areReported = async () =>
        (await readNodeReports(redis)).filter((report) => report.revision === revision).length === NODES;
      await eventually(areReported);
    }
    await ask(1);
    await counters.stop();
    const admitted = SPENT + NODES + sum(await ask(LIMIT));
    expect(admitted).toBeLessThanOrEqual(LIMIT + NODES);
    expect(admitted).toBeGreaterThan(LIMIT / 2);
  });

  it.each(Object.entries(OFFSETS))("%s: reports have the store's time", async (_, aheadMs) => {
    await start(RULES.gcra as Rule, aheadMs);
    const [seconds] = await redis.time();
    for (const { seenAtMs } of await readNodeReports(redis))
      expect(Math.abs(seenAtMs / 1000 - Number(seconds))).toBeLessThan(60);
  });
});
