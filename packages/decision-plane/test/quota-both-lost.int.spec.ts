import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimitPolicy, LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { type QuotaCheckpoint, QuotaStore } from '../src/policy-redis/quota-store.js';
import { TestRelay } from '../src/testing/test-relay.js';

const LIMIT = 100;
const USED = 60;
const LEFT = LIMIT - USED;
const quota = (over?: Parameters<typeof policyBy>[1]) =>
  policyBy({ algorithm: 'quota', limit: LIMIT, period: 'month' }, over);
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

type Event = 'counters' | 'policy' | 'restored' | 'node';

/** All orders are in `quota-verification.spec.ts`. */
const ORDERS: Event[][] = [
  ['counters', 'policy', 'node', 'restored'],
  ['counters', 'node', 'policy', 'restored'],
  ['policy', 'node', 'restored', 'counters'],
];

describe('a quota of 100 with 60 used, after both Redis were lost', () => {
  let counters: Awaited<ReturnType<typeof createTestRedis>>;
  let config: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let dataDir: string;
  let saved: QuotaCheckpoint[];
  let limits: LimitPolicy[];
  let nowMs: number;
  const planes: DecisionPlane[] = [];

  beforeEach(async () => {
    nowMs = Date.now();
    saved = [];
    dataDir = await mkdtemp(join(tmpdir(), 'tollgate-lost-'));
    [counters, config] = await Promise.all([createTestRedis(), createTestRedis()]);
    relay = new TestRelay(config.url);
  });
  afterEach(async () => {
    await Promise.all(planes.splice(0).map((plane) => plane.close()));
    relay.close();
    await Promise.all([counters.stop(), config.stop()]);
    await rm(dataDir, { recursive: true });
  });

  const start = async () => {
    const plane = await DecisionPlane.start({
      countersUrl: counters.url,
      configUrl: config.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      dataDir,
      deadlineMs: 5000,
      nowMs: () => nowMs,
    });
    planes.push(plane);
    return plane;
  };
  const admitted = async (plane: DecisionPlane, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => plane.limit(create)));
    return answers.filter(({ success }) => success).length;
  };
  const withStore = async (run: (store: QuotaStore) => Promise<void>) => {
    const redis = new Redis(config.url);
    await run(new QuotaStore(redis)).finally(() => redis.disconnect());
  };
  const use = async (limit: LimitPolicy) => {
    limits = [limit];
    await relay.publish({ limits, tenants: [relay.tenant('acme')] });
    const plane = await start();
    await eventually(() => plane.ready);
    expect(await admitted(plane, USED)).toBe(USED);
    await eventually(async () => {
      saved = [];
      await withStore(async (store) => {
        for await (const page of store.list()) saved.push(...page);
      });
      return saved.some(({ used }) => used === USED);
    });
    return plane;
  };
  const stopNodes = () => Promise.all(planes.splice(0).map((plane) => plane.close()));
  const loseBoth = async () => {
    await Promise.all([counters.stop(), config.stop()]);
  };
  const bring: Record<Exclude<Event, 'node'>, () => Promise<void>> = {
    counters: async () => {
      counters = await createTestRedis({ port: counters.port });
      const [plane] = planes;
      if (plane !== undefined) await eventually(() => plane.counters === 'available');
    },
    policy: async () => {
      config = await createTestRedis({ port: config.port });
      relay.isRestored = false;
      const [plane] = planes;
      const revision = await relay.publish({ limits, tenants: [relay.tenant('acme')] });
      if (plane !== undefined) await eventually(() => plane.revision === revision);
    },
    restored: async () => {
      await withStore(async (store) => {
        await store.write(saved);
        await store.markRestored('restored');
      });
    },
  };

  it.each(ORDERS)('a new node admits the other 40, in the order %s, %s, %s, %s', async (...order) => {
    await use(quota());
    await stopNodes();
    await loseBoth();
    let total = 0;
    for (const event of order) {
      if (event === 'node') await start();
      else await bring[event]();
      const [plane] = planes;
      // Not ready before it has reached the counters.
      if (plane !== undefined && plane.counters !== 'never-reached') total += await admitted(plane, LEFT);
      expect(total).toBeLessThanOrEqual(LEFT);
    }
    const [plane] = planes as [DecisionPlane];
    await eventually(async () => {
      total += await admitted(plane, LEFT);
      return total >= LEFT;
    });
    expect(total + (await admitted(plane, LIMIT))).toBe(LEFT);
  });

  it('a node that kept running admits the other 40', async () => {
    const plane = await use(quota());
    await loseBoth();
    for (const event of ['counters', 'policy'] as const) await bring[event]();
    expect(await admitted(plane, LIMIT)).toBe(LEFT);
  });

  it('a new node raises an emptied counter before its first batch', async () => {
    await use(quota());
    await stopNodes();
    await counters.stop();
    await bring.counters();
    const plane = await start();
    expect(await admitted(plane, LIMIT)).toBe(LEFT);
  });

  it('is ready once the checkpoints are restored, or after 15 s', async () => {
    await use(quota());
    await stopNodes();
    await loseBoth();
    await bring.counters();
    await bring.policy();
    const plane = await start();
    expect(plane.awaitsQuotas).toBe(true);
    await bring.restored();
    await eventually(() => !plane.awaitsQuotas);
    await stopNodes();
    await loseBoth();
    await bring.counters();
    await bring.policy();
    const other = await start();
    expect(other.awaitsQuotas).toBe(true);
    nowMs += 15_000;
    await eventually(() => !other.awaitsQuotas);
  });
});
