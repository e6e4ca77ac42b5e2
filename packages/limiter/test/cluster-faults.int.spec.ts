// @module-tag redis-server
import { eventually, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterStore } from '../src/cluster/cluster-store.js';
import { slotOf } from '../src/cluster/slots.js';
import type { StoreReply } from '../src/stores/decision-store.js';
import { useHandTime } from './hand-time.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { type ClusterNode, startRedisCluster, type TestRedisCluster } from './redis-cluster.js';

const LIMIT = 1_000_000;
/** Passes only when the test moves its time. */
const DEADLINE_MS = 600_000;
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);

// Tests the effect of faults on replies; their latency is measured elsewhere.
describe('cluster with faults', () => {
  const time = useHandTime();
  let cluster: TestRedisCluster;
  let store: ClusterStore;
  /** One tenant per master, in order. */
  let tenants: string[];

  beforeEach(async () => {
    cluster = await startRedisCluster();
    store = new ClusterStore({ url: cluster.url, deadlineMs: DEADLINE_MS });
    await store.connected(WAIT_LIMIT_MS);
    tenants = await Promise.all(cluster.masters.map(tenantOf));
    await Promise.all(tenants.map(answers));
  });
  afterEach(async () => {
    for (const node of cluster?.nodes ?? []) node.thaw();
    await store?.close();
    await cluster?.stop();
  });

  async function tenantOf({ port }: ClusterNode): Promise<string> {
    for (let i = 0; ; i++) if ((await cluster.ownerOf(slotOf(`{t${i}}`))).port === port) return `t${i}`;
  }

  function ask(tenant = '', peek = false): Promise<StoreReply> {
    return store.charge({ checks: [{ key: `{${tenant}}${keyStem}`, policy, cost: 1 }], peek });
  }

  async function usedBy(tenant: string): Promise<number> {
    const reply = await ask(tenant, true);
    return reply.available ? LIMIT - (reply.checks[0]?.remaining ?? 0) : Number.NaN;
  }

  const answers = (tenant: string) => eventually(async () => (await ask(tenant, true)).available);

  const replicaOf = (master: ClusterNode | undefined) => {
    const replica = cluster.nodes.find((node) => node.masterId === master?.id);
    if (replica === undefined) throw new Error('no replica');
    return replica;
  };

  it('a frozen shard affects only its own keys, and its replica takes over', async () => {
    const [first, ...others] = tenants;
    const [frozen] = cluster.masters;
    const othersAnswer = async () => {
      for (const reply of await Promise.all(others.map((tenant) => ask(tenant))))
        expect(reply).toMatchObject({ available: true, allowed: true });
    };
    await frozen?.freeze();
    const waiting = ask(first);
    await othersAnswer();
    time.advanceMs(DEADLINE_MS);
    expect(await waiting).toMatchObject({ available: false });
    expect(await ask(first)).toMatchObject({ available: false });
    await othersAnswer();
    await cluster.takeOver(replicaOf(frozen));
    await answers(first ?? '');
    await othersAnswer();
    expect(await ask(first)).toMatchObject({ available: true, allowed: true });
  });

  it('continues after a master is killed, with the counters of its replica', async () => {
    const [tenant = ''] = tenants;
    const [master] = cluster.masters;
    for (let i = 0; i < 20; i++) await ask(tenant);
    const before = await usedBy(tenant);
    await eventually(async () => (await replicatedBy(master)) === 0);
    master?.kill();
    await cluster.takeOver(replicaOf(master));
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
        else if (reply.reason === 'disconnected') unknown++;
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
