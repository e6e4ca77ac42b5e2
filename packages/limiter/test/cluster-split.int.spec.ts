// @module-tag redis-server
import { eventually, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterCounts } from '../src/cluster/cluster-counts.js';
import { ClusterLanes } from '../src/cluster/cluster-lanes.js';
import { ClusterStore } from '../src/cluster/cluster-store.js';
import type { OneSlotStore } from '../src/cluster/parts.js';
import { ClusterPendingParts } from '../src/cluster/pending-parts.js';
import { slotOf } from '../src/cluster/slots.js';
import { SplitCharges } from '../src/cluster/split-charge.js';
import { counterKey, globalTag, receiptKey } from '../src/rules/keys.js';
import type { Check, ReceiptOrder, StoreReply, StoreRequest } from '../src/stores/decision-store.js';
import { parseRedisUrl } from '../src/stores/redis-address.js';
import { compiled, fixedWindowPolicy } from './policies.js';
import { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';

const LIMIT = 100;
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);
const DEADLINE_MS = 5000;

/** Never resolves: simulates a process that died while waiting. */
const never = () => new Promise<never>(() => undefined);

describe('limits of a tenant and of all tenants, in different slots of a cluster', () => {
  let cluster: TestRedisCluster;
  let url: string;
  let store: ClusterStore;
  let unique = 0;
  /** A separate API for each test. */
  const nextApi = () => `api-${unique++}`;

  beforeAll(async () => {
    cluster = await startRedisCluster({ replicas: 0 });
    url = cluster.url;
    store = new ClusterStore({ url, deadlineMs: DEADLINE_MS });
    await store.connected(WAIT_LIMIT_MS);
  });
  afterAll(async () => {
    await store?.close();
    await cluster?.stop();
  });

  const ofAll = (api: string): Check => ({
    key: counterKey(globalTag(api), keyStem, []),
    policy,
    cost: 1,
  });
  const ofTenant = (tenant: string, api: string): Check => ({
    key: counterKey(tenant, keyStem, [api]),
    policy,
    cost: 1,
  });
  const both = (tenant: string, api: string) => [ofAll(api), ofTenant(tenant, api)];

  const ask = (checks: readonly Check[], receipt?: ReceiptOrder): Promise<StoreReply> =>
    store.charge({ checks, peek: false, ...(receipt === undefined ? {} : { receipt }) });

  async function used(check: Check): Promise<number> {
    const reply = await store.charge({ checks: [check], peek: true });
    return reply.available ? LIMIT - (reply.checks[0]?.remaining ?? 0) : Number.NaN;
  }

  const receiptOf = (tenant: string, requestId: string): ReceiptOrder => ({
    key: receiptKey(tenant, requestId),
    holder: 7,
    fingerprint: 1,
    keepMs: 60_000,
    expiresAfterMs: 0,
  });

  it('together admit at most the limit on all tenants, and charge each tenant its own requests', async () => {
    const api = nextApi();
    const tenants = ['a', 'b', 'c', 'd'].map((name) => `${name}-${api}`);
    const others = [1, 2].map(() => new ClusterStore({ url, deadlineMs: DEADLINE_MS }));
    await Promise.all(others.map((one) => one.connected(WAIT_LIMIT_MS)));
    const admitted = new Map(tenants.map((tenant) => [tenant, 0]));
    const calls = [store, ...others].flatMap((one) =>
      Array.from({ length: 100 }, async (_, i) => {
        const tenant = tenants[i % tenants.length] ?? '';
        const reply = await one.charge({ checks: both(tenant, api), peek: false });
        expect(reply.available).toBe(true);
        if (reply.available && reply.allowed) admitted.set(tenant, (admitted.get(tenant) ?? 0) + 1);
      }),
    );
    await Promise.all(calls);
    expect([...admitted.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(LIMIT);
    for (const tenant of tenants) expect(await used(ofTenant(tenant, api))).toBe(admitted.get(tenant));
    // Charges of requests denied by their tenant's limit are refunded: the rest is allowed one by one.
    const before = await used(ofAll(api));
    expect(before).toBe([...admitted.values()].reduce((sum, count) => sum + count));
    for (let i = before; i < LIMIT; i++)
      expect(await ask(both(`last-${api}`, api))).toMatchObject({ allowed: true });
    expect(await ask(both(`last-${api}`, api))).toMatchObject({ allowed: false });
    await Promise.all(others.map((one) => one.close()));
  });

  /** A node that never sweeps, over its own connections. */
  async function dyingNode(storeOf: (lanes: ClusterLanes) => OneSlotStore) {
    const lanes = new ClusterLanes({
      address: parseRedisUrl(url),
      deadlineMs: DEADLINE_MS,
      onFailure: () => undefined,
      onWarning: () => undefined,
      counts: new ClusterCounts(),
    });
    await lanes.shards.connected(WAIT_LIMIT_MS);
    const dyingStore = storeOf(lanes);
    const notes = new ClusterPendingParts({
      cluster: lanes.shards.cluster,
      amend: (of) => dyingStore.amend(of),
      connectionOf: (key) => lanes.shards.readyConnection(lanes.shards.ownerOf(slotOf(key)) ?? ''),
      nowUs: (key) => lanes.nowUs(slotOf(key)),
    });
    return { lanes, split: new SplitCharges(dyingStore, notes, DEADLINE_MS) };
  }

  it('a request of a process that dies before its tenant is charged is refunded', async () => {
    let charged = 0;
    const countCharge = async (decided: Promise<StoreReply>) => {
      const reply = await decided;
      charged++;
      return reply;
    };
    const dying: Record<string, (lanes: ClusterLanes, api: string) => OneSlotStore> = {
      'before the first charge': (lanes) => ({ amend: (of) => lanes.amend(of), charge: never }),
      'after the charge of the limit on all tenants': (lanes, api) => ({
        amend: never,
        charge: (request) =>
          request.checks[0]?.key === ofAll(api).key ? countCharge(lanes.charge(request)) : never(),
      }),
      'during the refund': (lanes, api) => ({
        amend: never,
        charge: async (request) =>
          request.checks[0]?.key === ofAll(api).key
            ? countCharge(lanes.charge(request))
            : { available: false, reason: 'suspended' },
      }),
    };
    for (const [when, storeOf] of Object.entries(dying)) {
      const api = nextApi();
      charged = 0;
      const { lanes, split } = await dyingNode((of) => storeOf(of, api));
      void split.charge({ checks: both(`t-${api}`, api), peek: false });
      if (when !== 'before the first charge') await eventually(() => charged === 1);
      lanes.close();
      await eventually(async () => (await used(ofAll(api))) === 0);
      expect(await used(ofTenant(`t-${api}`, api)), when).toBe(0);
    }
  });

  it('requests of a process that dies keep what their tenants were charged; the rest is refunded', async () => {
    const api = nextApi();
    const tenants = Array.from({ length: 20 }, (_, i) => `${i % 2 === 0 ? 'charged' : 'lost'}-${i}-${api}`);
    const isLost = ({ checks: [check] }: StoreRequest) => check?.key.startsWith('{lost-') === true;
    let charged = 0;
    const { lanes, split } = await dyingNode((of) => ({
      amend: never,
      charge: async (request) => {
        if (isLost(request)) return await never();
        const reply = await of.charge(request);
        const [check] = request.checks;
        if (check?.key === ofAll(api).key) charged += check.cost;
        return reply;
      },
    }));
    const replies = tenants.map((tenant) => split.charge({ checks: both(tenant, api), peek: false }));
    for (const reply of await Promise.all(replies.filter((_, i) => i % 2 === 0)))
      expect(reply).toMatchObject({ allowed: true });
    // Before another node refunds the lost ones.
    await eventually(() => charged === tenants.length);
    lanes.close();
    await eventually(async () => (await used(ofAll(api))) === 10);
    const notes = `{${globalTag(api)}}:parts`;
    await eventually(async () => (await store.redis.zcard(notes)) === 0);
    expect(await used(ofAll(api))).toBe(10);
    expect(await Promise.all(tenants.map((tenant) => used(ofTenant(tenant, api))))).toEqual(
      tenants.map((_, i) => (i % 2 === 0 ? 1 : 0)),
    );
  });

  it('a confirmed charge outlasts the refund of a dead process’s', async () => {
    const [api, dead] = [nextApi(), nextApi()];
    expect(await ask(both(`t-${api}`, api))).toMatchObject({ allowed: true });
    const [tag, note] = [`{${globalTag(dead)}}`, `{${globalTag(dead)}}:parts`];
    await store.redis.sadd('tg:part-tags', tag);
    await store.redis.zadd(note, Date.now() + 1500, `${tag}:r1=dead`);
    // Due later than the live part would be: once it is gone, the live part has survived the sweep.
    await eventually(async () => (await store.redis.zcard(note)) === 0);
    expect(await used(ofAll(api))).toBe(1);
  });

  it('a repeated request charges neither limit again, and a refund applies to both', async () => {
    const api = nextApi();
    const tenant = `t-${api}`;
    const receipt = receiptOf(tenant, 'once');
    expect(await ask(both(tenant, api), receipt)).toMatchObject({ allowed: true, replayed: false });
    expect(await ask(both(tenant, api), receipt)).toMatchObject({ allowed: true, replayed: true });
    expect([await used(ofAll(api)), await used(ofTenant(tenant, api))]).toEqual([1, 1]);
    const back = { op: 'refundReceipt', receiptKey: receipt.key, reason: 'all' } as const;
    expect(await store.amend(back)).toMatchObject({ status: 'applied', units: 1 });
    expect([await used(ofAll(api)), await used(ofTenant(tenant, api))]).toEqual([0, 0]);
    expect(await store.amend(back)).toMatchObject({ status: 'done' });
  });

  it('a new node refunds charges of another node in every slot', async () => {
    const api = nextApi();
    const tenant = `t-${api}`;
    const receipt = receiptOf(tenant, 'elsewhere');
    expect(await ask(both(tenant, api), receipt)).toMatchObject({ allowed: true });
    const fresh = new ClusterStore({ url, deadlineMs: DEADLINE_MS });
    await fresh.connected(WAIT_LIMIT_MS);
    const back = { op: 'refundReceipt', receiptKey: receipt.key, reason: 'all' } as const;
    expect(await fresh.amend(back)).toMatchObject({ status: 'applied', units: 1 });
    expect([await used(ofAll(api)), await used(ofTenant(tenant, api))]).toEqual([0, 0]);
    await fresh.close();
  });

  it('a reservation of a dead node is refunded in every slot after its term', async () => {
    const api = nextApi();
    const tenant = `t-${api}`;
    const dying = new ClusterStore({ url, deadlineMs: DEADLINE_MS });
    await dying.connected(WAIT_LIMIT_MS);
    const reserve = (i: number) => {
      const receipt = { ...receiptOf(tenant, `held-${i}`), expiresAfterMs: 1000 };
      return dying.charge({ checks: both(tenant, api), peek: false, receipt });
    };
    const replies = await Promise.all(Array.from({ length: LIMIT }, (_, i) => reserve(i)));
    expect(replies.every((reply) => reply.available && reply.allowed)).toBe(true);
    await dying.close();
    const isFree = async () => (await used(ofAll(api))) === 0 && (await used(ofTenant(tenant, api))) === 0;
    await eventually(isFree);
  });

  it('a denied request is charged in both slots when retried under its id', async () => {
    const api = nextApi();
    const tenant = `t-${api}`;
    const full: Check = { ...ofTenant(tenant, api), cost: LIMIT };
    await ask([full]);
    const receipt = receiptOf(tenant, 'again');
    expect(await ask(both(tenant, api), receipt)).toMatchObject({ allowed: false });
    await store.amend({ op: 'refund', checks: [full] });
    expect(await ask(both(tenant, api), receipt)).toMatchObject({ allowed: true, replayed: false });
    expect([await used(ofAll(api)), await used(ofTenant(tenant, api))]).toEqual([1, 1]);
  });

  it('deletes counters of several slots in one amendment', async () => {
    const api = nextApi();
    const checks = both(`t-${api}`, api);
    await ask(checks);
    await store.amend({ op: 'reset', keys: checks.map(({ key }) => key) });
    expect(await Promise.all(checks.map(used))).toEqual([0, 0]);
  });
});
