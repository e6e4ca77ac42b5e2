// @module-tag redis-server
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';

/** The slot of the key `foo`, by the Redis Cluster specification. */
const FOO_SLOT = 12_182;

describe('a test cluster', () => {
  let cluster: TestRedisCluster;

  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster?.stop());

  const ask = async (port: number, ...command: [string, ...string[]]) => {
    const redis = new Redis({ port });
    const [name, ...args] = command;
    const reply = await redis.call(name, ...args).catch((error: Error) => error.message);
    redis.disconnect();
    return reply;
  };

  it('has three masters with a replica each, and serves every slot', async () => {
    expect(cluster.masters).toHaveLength(3);
    expect(cluster.nodes.filter((node) => node.role === 'replica').map((node) => node.masterId)).toEqual(
      cluster.masters.map((node) => node.id),
    );
    for (const { port } of cluster.nodes) {
      expect(await ask(port, 'CLUSTER', 'INFO')).toContain('cluster_slots_ok:16384');
    }
  });

  it('moves a slot with its keys: ASK while it is open, MOVED after it', async () => {
    const from = await cluster.ownerOf(FOO_SLOT);
    const to = cluster.masters.find((node) => node !== from) ?? from;
    expect(await ask(from.port, 'SET', 'foo', 'bar')).toBe('OK');
    let open: unknown;
    await cluster.moveSlot(FOO_SLOT, to, async () => {
      open = await ask(from.port, 'GET', 'foo');
    });
    expect(open).toBe(`ASK ${FOO_SLOT} 127.0.0.1:${to.port}`);
    expect(await ask(from.port, 'GET', 'foo')).toBe(`MOVED ${FOO_SLOT} 127.0.0.1:${to.port}`);
    expect(await ask(to.port, 'GET', 'foo')).toBe('bar');
  });

  it('fails over on request, and when a replica takes over from a killed master', async () => {
    const [first, second] = cluster.nodes.filter((node) => node.role === 'replica');
    if (first === undefined || second === undefined) throw new Error('no replica');
    await cluster.failover(first);
    cluster.nodes.find((node) => node.id === second.masterId)?.kill();
    await cluster.takeOver(second);
  });
});
