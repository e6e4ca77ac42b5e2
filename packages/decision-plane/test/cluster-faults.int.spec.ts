import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClusterStore } from '../src/store/cluster/cluster-store.js';
import { slotOf } from '../src/store/cluster/slots.js';
import type { StoreReply } from '../src/store/decision-store.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { type ClusterNode, startRedisCluster, type TestRedisCluster } from './redis-cluster.js';

const LIMIT = 1_000_000;
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);

// Tests the effect of faults on replies; their latency is measured elsewhere.
describe('cluster with faults', () => {
  let cluster: TestRedisCluster;
  let store: ClusterStore;
  /** One tenant per master, in order. */
  let tenants: string[];

  beforeEach(async () => {
    cluster = await startRedisCluster({ nodeTimeoutMs: 1000 });
    store = new ClusterStore({ url: cluster.url, deadlineMs: 500 });
    await store.connected(10_000);
    tenants = await Promise.all(cluster.masters.map(tenantOf));
    await Promise.all(tenants.map(answers));
  });
  afterEach(async () => {
    await store?.close();
    await cluster?.stop();
  });

  async function tenantOf({ port }: ClusterNode): Promise<string> {
    for (let i = 0; ; i++) if ((await cluster.ownerOf(slotOf(`{t${i}}`))).port === port) return `t${i}`;
  }

  function ask(tenant = '', peek = false): Promise<StoreReply> {
    return store.decide({ checks: [{ key: `{${tenant}}${keyStem}`, policy, cost: 1 }], peek });
  }

  async function usedBy(tenant: string): Promise<number> {
    const reply = await ask(tenant, true);
    return reply.available ? LIMIT - (reply.checks[0]?.remaining ?? 0) : Number.NaN;
  }

  const answers = (tenant: string) =>
    vi.waitUntil(async () => (await ask(tenant, true)).available, { timeout: 120_000 });

  const replicaOf = (master: ClusterNode | undefined) => {
    const replica = cluster.nodes.find((node) => node.masterId === master?.id);
    if (replica === undefined) throw new Error('no replica');
    return replica;
  };

  it('a frozen shard affects only its own keys, and its replica takes over', async () => {
    const [first, second, third] = tenants;
    const [frozen] = cluster.masters;
    frozen?.freeze();
    const isPromoted = cluster.promoted(replicaOf(frozen));
    const counts = { frozen: 0, others: 0 };
    let hasEnded = false;
    const caller = async (tenant: string | undefined, isOther: boolean) => {
      while (!hasEnded) {
        const reply = await ask(tenant);
        if (!reply.available) counts[isOther ? 'others' : 'frozen']++;
        // An unavailable shard fails immediately: yield to the others.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const asking = Promise.all([caller(first, false), caller(second, true), caller(third, true)]);
    await isPromoted;
    await answers(first ?? '');
    hasEnded = true;
    await asking;
    expect(counts.frozen).toBeGreaterThan(0);
    expect(counts.others).toBe(0);
    frozen?.thaw();
  });

  it('continues after a master is killed, with the counters of its replica', async () => {
    const [tenant = ''] = tenants;
    const [master] = cluster.masters;
    for (let i = 0; i < 20; i++) await ask(tenant);
    const before = await usedBy(tenant);
    await vi.waitUntil(async () => (await replicatedBy(master)) === 0, { timeout: 120_000 });
    master?.kill();
    await cluster.promoted(replicaOf(master));
    await answers(tenant);
    expect(await usedBy(tenant)).toBe(before);
    expect(await ask(tenant)).toMatchObject({ available: true, allowed: true });
  });

  /** Replication lag of a master, bytes. */
  async function replicatedBy(master: ClusterNode | undefined): Promise<number> {
    const redis = store.redis.nodes('master').find((node) => node.options.port === master?.port);
    const info = (await redis?.info('replication')) ?? '';
    return Number(/master_repl_offset:(\d+)/.exec(info)?.[1]) - Number(/offset=(\d+)/.exec(info)?.[1]);
  }

  it('a manual failover under load loses nothing and charges nothing twice', async () => {
    const [tenant = ''] = tenants;
    let [charged, unknown, hasEnded] = [await usedBy(tenant), 0, false];
    const caller = async () => {
      while (!hasEnded) {
        const reply = await ask(tenant);
        if (reply.available) charged++;
        else if (reply.reason === 'deadline' || reply.reason === 'disconnected') unknown++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const asking = Promise.all(Array.from({ length: 8 }, caller));
    await cluster.failover(replicaOf(cluster.masters[0]));
    await answers(tenant);
    hasEnded = true;
    await asking;
    const used = await usedBy(tenant);
    expect(used).toBeGreaterThanOrEqual(charged);
    // A connection that ended lost its replies.
    expect(used).toBeLessThanOrEqual(charged + unknown);
  });
});
