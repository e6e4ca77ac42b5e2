// @module-tag redis-server
import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterStore } from '../src/cluster/cluster-store.js';
import { slotOf } from '../src/cluster/slots.js';
import { CounterMemory } from '../src/redis/counter-memory.js';
import type { Check } from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';
import { storeSuite } from './store-suite.js';

const LIMIT = 500;
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);
const checkOf = (tenant: string, user = ''): Check => ({
  key: `{${tenant}}${keyStem}${user}`,
  policy,
  cost: 1,
});

describe('cluster store', () => {
  let cluster: TestRedisCluster;
  let store: ClusterStore;
  let unique = 0;

  beforeAll(async () => {
    cluster = await startRedisCluster();
    store = await connectStore();
  });
  afterAll(async () => {
    await store?.close();
    await cluster?.stop();
  });

  async function connectStore(): Promise<ClusterStore> {
    // These tests are about results on a busy machine, not about production's 25 ms.
    const made = new ClusterStore({ url: cluster.url, deadlineMs: 5000 });
    await made.connected(WAIT_LIMIT_MS);
    return made;
  }

  /** A separate tenant with counters on `port`'s node. */
  async function tenantOn(port: number): Promise<string> {
    for (;;) {
      const tenant = `t-${process.pid}-${unique++}`;
      if ((await cluster.ownerOf(slotOf(`{${tenant}}`))).port === port) return tenant;
    }
  }

  storeSuite(() => store);

  it('1,000 concurrent calls of three nodes on each of six keys of 500 admit exactly 500 of each', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => connectStore()));
    for (const tenant of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const tally = new Tally();
      const calls = stores.flatMap((one) =>
        Array.from({ length: 334 }, () => tally.ask(one, checkOf(`race-${tenant}`))),
      );
      await Promise.all(calls);
      expect([...tally.admitted.values()]).toEqual([LIMIT]);
    }
    await Promise.all(stores.map((one) => one.close()));
  });

  it('bounds new counters by the memory of their master, divided by the nodes', async () => {
    const [full, other] = cluster.masters;
    if (full === undefined || other === undefined) throw new Error('no masters');
    const admin = new Redis(full.port);
    const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
    const maxBytes = 2 * used;
    await admin.config('SET', 'maxmemory', maxBytes);
    const ignore = () => undefined;
    const options = { counters: store, onEvictingPolicy: ignore, onEvicted: ignore };
    const memoryOf = async (nodes: number) => {
      const memory = new CounterMemory({ ...options, nodes: () => nodes });
      await memory.read();
      return memory;
    };
    const [onFull, onOther] = await Promise.all([tenantOn(full.port), tenantOn(other.port)]);
    const [one, two] = await Promise.all([memoryOf(1), memoryOf(2)]);
    const key = checkOf(onFull).key;
    expect(one.tenantBytes(key)).toBe(Number.POSITIVE_INFINITY);
    // Half is free; 15 % are left after what this node, or each of two nodes, created since.
    const freeBytes = maxBytes - (one.counts.fullest?.usedBytes ?? 0);
    one.created(key, freeBytes - 0.15 * maxBytes);
    expect(one.tenantBytes(key)).toBeCloseTo(0.015 * maxBytes, 0);
    two.created(key, (maxBytes - (two.counts.fullest?.usedBytes ?? 0) - 0.15 * maxBytes) / 2);
    expect(two.tenantBytes(key)).toBeCloseTo(0.0075 * maxBytes, 0);
    expect(one.tenantBytes(checkOf(onOther).key)).toBe(Number.POSITIVE_INFINITY);
    await admin.config('SET', 'maxmemory', 0);
    admin.disconnect();
  });

  it('a slot that migrates under load admits exactly the limit and stays available', async () => {
    const [from, to] = cluster.masters;
    if (from === undefined || to === undefined) throw new Error('no masters');
    const tenant = await tenantOn(from.port);
    const checks = Array.from({ length: 8 }, (_, i) => checkOf(tenant, `=u${i}`));
    const tally = new Tally();
    let isMoved = false;
    const ask = async (until: () => boolean) => {
      const caller = async (check: Check) => {
        while (!until()) await tally.ask(store, check);
      };
      await Promise.all([...checks, ...checks].map(caller));
    };
    // Only some keys exist when the migration starts.
    for (const one of checks.slice(0, 5)) await tally.ask(store, one);
    const asking = ask(() => isMoved);
    await cluster.moveSlot(slotOf(`{${tenant}}`), to, async () => {
      const before = tally.asked;
      await ask(() => tally.asked > before + 1000);
    });
    isMoved = true;
    await asking;
    expect((await cluster.ownerOf(slotOf(`{${tenant}}`))).port).toBe(to.port);
    await Promise.all(checks.flatMap((one) => Array.from({ length: LIMIT }, () => tally.ask(store, one))));
    const askedFirst = store.servers().find((node) => node.options.port === from.port);
    expect((await askedFirst?.info('errorstats')) ?? '').toContain('errorstat_ASK');
    expect(tally.unavailable).toBe(0);
    expect(tally.admitted).toEqual(new Map(checks.map(({ key }) => [key, LIMIT])));
  });
});

/** Sends requests and counts the replies. */
class Tally {
  asked = 0;
  unavailable = 0;
  readonly admitted = new Map<string, number>();

  async ask(store: ClusterStore, check: Check): Promise<void> {
    this.asked++;
    const reply = await store.charge({ checks: [check], peek: false });
    if (!reply.available) this.unavailable++;
    else if (reply.allowed) this.admitted.set(check.key, (this.admitted.get(check.key) ?? 0) + 1);
  }
}
