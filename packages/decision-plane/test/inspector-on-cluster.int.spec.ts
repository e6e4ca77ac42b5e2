// @module-tag redis-server
import { ClusterStore, slotOf } from '@tollgate/limiter/stores';
import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../limiter/test/policies.js';
import { startRedisCluster, type TestRedisCluster } from '../../limiter/test/redis-cluster.js';
import { CounterInspector } from '../src/inspect/counter-inspector.js';

const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: 500, windowMs: 86_400_000, alignment: 'first_request' }),
);

let cluster: TestRedisCluster;
let store: ClusterStore;

beforeAll(async () => {
  cluster = await startRedisCluster();
  store = new ClusterStore({ url: cluster.url, deadlineMs: 5000 });
  await store.connected(WAIT_LIMIT_MS);
});
afterAll(async () => {
  await store?.close();
  await cluster?.stop();
});

/** A tenant with counters on `port`'s node. */
async function tenantOn(port: number): Promise<string> {
  for (let n = 0; ; n++) {
    if ((await cluster.ownerOf(slotOf(`{t-${n}}`))).port === port) return `t-${n}`;
  }
}

it('reads and finds keys on each master', async () => {
  const inspector = await CounterInspector.connect(cluster.url, 5000);
  for (const { port } of cluster.masters) {
    const tenant = await tenantOn(port);
    const check = { key: `{${tenant}}${keyStem}=u1`, policy, cost: 1 };
    await store.charge({ checks: [check], peek: false });
    const query = { tenant, api: 'url-shortener', limit: 'create-minute' };
    expect(await inspector.find(query, 10)).toEqual([check.key]);
    expect(await inspector.read(check.key)).toMatchObject({ value: { usedUnits: 1 } });
  }
  inspector.close();
});
