// @module-tag redis-server
import { eventually, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterCounts } from '../src/cluster/cluster-counts.js';
import { ClusterStore } from '../src/cluster/cluster-store.js';
import { slotOf } from '../src/cluster/slots.js';
import { MemoryStore } from '../src/memory/memory-store.js';
import type { CompiledLimit } from '../src/rules/compile.js';
import { counterKey, receiptKey } from '../src/rules/keys.js';
import { sendAcross } from '../src/scripts/across.js';
import { BatchExpired, sendBatch } from '../src/scripts/decide.js';
import { type Run, sendRun, splitRuns } from '../src/scripts/runs.js';
import { type Check, MARK, type ReceiptOrder, type StoreRequest } from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy, gcraPolicy } from './policies.js';
import { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';
import { START_MS } from './script-clock.js';

const LIMIT = 1000;
const day = { limit: LIMIT, windowMs: 86_400_000 };
const PACKED = { storage: 'packed' as const, expectedSubjects: 1, per: ['user'] };
const LIMITS = [
  compiled(fixedWindowPolicy({ ...day, alignment: 'first_request' })),
  compiled(gcraPolicy({ ...day, burst: LIMIT - 1 })),
  compiled(fixedWindowPolicy({ ...day, ...PACKED })),
];
const START_US = START_MS * 1000;

function checkOf(tenant: string, user: string, limit = 0): Check {
  const { policy, keyStem } = LIMITS[limit] as CompiledLimit;
  return { key: counterKey(tenant, keyStem, [`=${limit}${user}`]), policy, cost: 1 };
}

const requestOf = (...checks: Check[]): StoreRequest => ({ checks, peek: false });

const receiptOf = (tenant: string, id: string): ReceiptOrder => ({
  key: receiptKey(tenant, id),
  holder: 7,
  fingerprint: 1,
  keepMs: 60_000,
  expiresAfterMs: 0,
});

describe('one script run over several slots', () => {
  let cluster: TestRedisCluster;
  /** Connections to both masters and to the first one's replica. */
  let [first, second, replica]: Redis[] = [];
  let unique = 0;

  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 2, replicas: 1 });
    [first, second, replica] = cluster.nodes.map(({ port }) => new Redis({ port, maxRetriesPerRequest: 0 }));
  });
  afterAll(async () => {
    for (const redis of [first, second, replica]) redis?.disconnect();
    await cluster?.stop();
  });

  /** Unused tenants of a master, each in another slot. */
  function tenantsOf(master: 0 | 1, count: number): string[] {
    const tenants: string[] = [];
    while (tenants.length < count) {
      const tenant = `slots-${unique++}`;
      if (slotOf(`{${tenant}}`) >> 13 === master) tenants.push(tenant);
    }
    return tenants;
  }

  const on = (redis: Redis | undefined) => {
    if (redis === undefined) throw new Error('no connection');
    return redis;
  };

  /** Per request: used units of its first check, `elsewhere`, or the code of the run's error. */
  async function usedBy(redis: Redis | undefined, ...requests: StoreRequest[]): Promise<(number | string)[]> {
    try {
      const replies = await sendAcross(on(redis), requests);
      return replies.map((reply) =>
        'elsewhere' in reply ? 'elsewhere' : LIMIT - (reply.checks[0]?.remaining ?? Number.NaN),
      );
    } catch (error) {
      return [error instanceof Error ? (error.message.split(' ')[0] ?? '') : ''];
    }
  }

  const peek = (...checks: Check[]): StoreRequest => ({ checks, peek: true });

  it('computes slots like the server', async () => {
    const keys = ['', 'tg:nodes', '{acme}:g1', '{a}{b}', '{}x', '{x', 'x}{y}', '{ü}', 'ключ', '{~api}:parts'];
    const slots = await Promise.all(keys.map((key) => on(first).call('CLUSTER', 'KEYSLOT', key)));
    expect(keys.map(slotOf)).toEqual(slots);
  });

  it('decides requests in several slots and skips those of another master', async () => {
    const [a = '', b = ''] = tenantsOf(0, 2);
    const [foreign = ''] = tenantsOf(1, 1);
    const checks = [a, b, foreign].map((tenant) => checkOf(tenant, 'u'));
    const [ofA, ofB, ofForeign] = checks.map((check) => requestOf(check)) as [
      StoreRequest,
      StoreRequest,
      StoreRequest,
    ];
    expect(await usedBy(first, ofA, ofForeign, ofB, ofA)).toEqual([1, 'elsewhere', 1, 2]);
    expect(await usedBy(second, ofForeign)).toEqual([1]);
  });

  it('charges nothing when the key that routes the run belongs to another master', async () => {
    const [own = ''] = tenantsOf(0, 1);
    const [foreign = ''] = tenantsOf(1, 1);
    const [ofOwn, ofForeign] = [requestOf(checkOf(own, 'u')), requestOf(checkOf(foreign, 'u'))];
    expect(await usedBy(first, ofForeign, ofOwn)).toEqual(['MOVED']);
    expect(await usedBy(first, ofOwn)).toEqual([1]);
  });

  it('charges nothing after the deadline', async () => {
    const requests = tenantsOf(0, 2).map((tenant) => requestOf(checkOf(tenant, 'u')));
    const late = sendAcross(on(first), requests, { nowUs: START_US, expiresAtUs: START_US - 1 });
    await expect(late).rejects.toThrow(BatchExpired);
    expect(await usedBy(first, ...requests)).toEqual([1, 1]);
  });

  it('decides random batches like the model, as if foreign requests were absent', async () => {
    const request = fc.record({
      tenant: fc.nat(5),
      users: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      cost: fc.constantFrom(0, 1, 1, 2, LIMIT),
      limit: fc.nat(2),
      peek: fc.boolean(),
      receipt: fc.option(fc.nat(4), { nil: undefined }),
    });
    const batches = fc.array(fc.array(request, { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(batches, async (sequence) => {
        const own = tenantsOf(0, 3);
        const tenants = own.flatMap((tenant, i) => [tenant, tenantsOf(1, 3)[i] ?? '']);
        const memory = new MemoryStore({ maxKeys: 1000, clockUs: () => START_US });
        const [anchor = ''] = own;
        for (const batch of sequence) {
          const requests = batch.map(({ tenant: t, users, cost, limit, peek: isPeek, receipt }) => {
            const tenant = tenants[t] ?? '';
            const checks = users.map((user) => ({ ...checkOf(tenant, `u${user}`, limit), cost }));
            return {
              checks,
              peek: isPeek,
              ...(receipt === undefined ? {} : { receipt: receiptOf(tenant, `r${receipt}`) }),
            };
          });
          // The first request routes the run.
          const all = [peek(checkOf(anchor, 'anchor')), ...requests];
          const replies = await sendAcross(on(first), all, { nowUs: START_US });
          for (const [i, one] of all.entries()) {
            const isOwn = own.some((tenant) => one.checks[0]?.key.startsWith(`{${tenant}}`));
            const expected = isOwn ? memory.chargeNow(one) : { elsewhere: true, nowUs: START_US };
            expect(replies[i]).toEqual(expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('run scripts decide like the model and leave foreign counters undecided and uncharged', async () => {
    const limits = [
      compiled(fixedWindowPolicy({ ...day, alignment: 'clock' })),
      compiled(gcraPolicy({ ...day, burst: LIMIT - 1 })),
      compiled(fixedWindowPolicy({ ...day, ...PACKED })),
    ].map((limit) => [limit]);
    const ofSubject = { ...day, storage: 'subject' } as const;
    limits.push([
      compiled(fixedWindowPolicy({ ...ofSubject, name: 'first' })),
      compiled(gcraPolicy({ ...ofSubject, name: 'second', burst: LIMIT - 1 })),
    ]);
    for (const together of limits) {
      const [own, foreign] = [tenantsOf(0, 10), tenantsOf(1, 3)];
      const requestsOf = (tenants: readonly string[]) =>
        tenants.map((tenant, i) =>
          requestOf(
            ...together.map(({ policy, keyStem }) => ({
              key: counterKey(tenant, keyStem, ['=u']),
              policy,
              cost: 1 + (i % 2),
            })),
          ),
        );
      const requests = [...requestsOf(own), ...requestsOf(foreign)];
      const memory = new MemoryStore({ maxKeys: 1000, clockUs: () => START_US });
      for (let round = 0; round < 2; round++) {
        const runs = splitRuns(requests);
        expect(runs).toHaveLength(1);
        for (const run of runs) {
          expect(run.family).toBeDefined();
          const replies = await sendRun(on(first), run, { nowUs: START_US }, 'several');
          const decided = requestsOf(own).map((request) => memory.chargeNow(request));
          expect(replies).toEqual([...decided, ...foreign.map(() => undefined)]);
        }
      }
      for (const request of requestsOf(foreign))
        expect(await usedBy(second, request)).toEqual([request.checks[0]?.cost]);
    }
  });

  it('run scripts mark what they charge, and nothing whose mark has to be on another master', async () => {
    const [sourceNode, targetNode] = cluster.masters;
    const marked = (tenant: string, { policy, keyStem }: CompiledLimit, cost: number): StoreRequest => {
      const receipt = { ...receiptOf(tenant, `mark-${keyStem}`), fingerprint: MARK };
      return { ...requestOf({ key: counterKey(tenant, keyStem, ['=u']), policy, cost }), receipt };
    };
    const decided = async (...requests: StoreRequest[]) => {
      const [run, ...others] = splitRuns(requests);
      expect([run?.family === undefined, others]).toEqual([false, []]);
      const replies = await sendRun(on(first), run as Run<StoreRequest>, {}, 'several');
      return replies.map((reply) => reply !== undefined && 'allowed' in reply && reply.allowed);
    };
    const marks = (...requests: StoreRequest[]) =>
      Promise.all(requests.map(({ receipt }) => on(first).exists(receipt?.key ?? '')));
    for (const limit of [
      compiled(fixedWindowPolicy({ ...day, alignment: 'clock' })),
      compiled(fixedWindowPolicy({ ...day, alignment: 'first_request' })),
      compiled(gcraPolicy({ ...day, burst: LIMIT - 1 })),
    ]) {
      const [a = '', b = '', c = '', moving = ''] = tenantsOf(0, 4);
      const { receipt: _, ...plain } = marked(c, limit, 1);
      const requests = [marked(a, limit, 1), marked(b, limit, LIMIT + 1), plain];
      expect(await decided(...requests)).toEqual([true, false, true]);
      expect(await marks(...requests)).toEqual([1, 0, 0]);

      const old = marked(moving, limit, 1);
      const { receipt: _old, ...before } = old;
      expect(await decided(before)).toEqual([true]);
      const slot = slotOf(`{${moving}}`);
      await on(second).call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceNode?.id ?? '');
      await on(first).call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetNode?.id ?? '');
      expect(await decided(plain, old)).toEqual([true, false]);
      expect(await usedBy(first, requestOf(...plain.checks), requestOf(...old.checks))).toEqual([3, 2]);
      await on(first).call('CLUSTER', 'SETSLOT', slot, 'STABLE');
      await on(second).call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    }
  });

  it('a stored value of another type counts as absent', async () => {
    const [a = '', b = ''] = tenantsOf(0, 2);
    await on(first).lpush(checkOf(a, 'u').key, 'x');
    expect(await usedBy(first, requestOf(checkOf(b, 'u')), requestOf(checkOf(a, 'u')))).toEqual([1, 1]);
    expect(await usedBy(first, requestOf(checkOf(a, 'u')))).toEqual([2]);
  });

  it('while a slot migrates, each request is decided where all of its keys are, or nowhere', async () => {
    const [calm = '', moving = ''] = tenantsOf(0, 2);
    const [source, target] = [on(first), on(second)];
    const [sourceNode, targetNode] = cluster.masters;
    const slot = slotOf(`{${moving}}`);
    const ofCalm = requestOf(checkOf(calm, 'u'));
    const ofOld = requestOf(checkOf(moving, 'old'));
    const ofNew = requestOf(checkOf(moving, 'new'));
    const withReceipt: StoreRequest = { ...ofOld, receipt: receiptOf(moving, 'id') };
    expect(await usedBy(source, ofCalm, ofOld)).toEqual([1, 1]);
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceNode?.id ?? '');
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetNode?.id ?? '');

    expect(await usedBy(source, ofCalm, ofOld, ofNew, withReceipt)).toEqual([2, 2, 'elsewhere', 'elsewhere']);
    expect(await usedBy(source, ofNew, ofCalm)).toEqual(['ASK']);
    expect(await usedBy(target, ofNew)).toEqual(['MOVED']);
    await expect(sendBatch(source, [withReceipt])).rejects.toThrow(/TRYAGAIN|ASK/);
    await target.asking();
    expect(await usedBy(target, ofNew)).toEqual([1]);

    await source.migrate('127.0.0.1', String(targetNode?.port), ofOld.checks[0]?.key ?? '', 0, 1000);
    expect(await usedBy(source, ofCalm, ofOld)).toEqual([3, 'elsewhere']);
    // A declared run needs all of its keys there, which the receipt of a new request is not.
    await target.asking();
    await expect(sendBatch(target, [withReceipt])).rejects.toThrow('TRYAGAIN');
    await target.asking();
    expect(await usedBy(target, withReceipt)).toEqual([3]);

    for (const redis of [target, source])
      await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetNode?.id ?? '');
    expect(await usedBy(source, ofCalm, ofOld)).toEqual([4, 'elsewhere']);
    expect(await usedBy(target, withReceipt, ofOld, ofNew)).toEqual([3, 4, 2]);
  });

  it('a replica decides nothing and answers no peek, even on a connection for reading', async () => {
    const [a = '', b = ''] = tenantsOf(0, 2);
    const requests = [peek(checkOf(a, 'u')), peek(checkOf(b, 'u'))];
    expect(await usedBy(replica, ...requests)).toEqual(['MOVED']);
    await on(replica).readonly();
    expect((await usedBy(replica, ...requests))[0]).toMatch(/MOVED|READONLY/);
    await expect(sendBatch(on(replica), requests.slice(0, 1))).rejects.toThrow(/MOVED|READONLY/);
    await on(replica).call('READWRITE');
  });

  describe('of a user without permission for it', () => {
    const warnings: string[] = [];
    const counts = new ClusterCounts();
    let store: ClusterStore;

    /** Changes the user on all nodes. */
    async function permit(...rules: string[]): Promise<void> {
      await Promise.all(
        [first, second, replica].map((redis) => on(redis).call('ACL', 'SETUSER', 'limited', ...rules)),
      );
    }

    async function connect(): Promise<ClusterStore> {
      const url = cluster.url.replace('//', '//limited:secret@');
      const made = new ClusterStore({
        url,
        deadlineMs: 5000,
        counts,
        onWarning: (message) => warnings.push(message),
      });
      await made.connected(WAIT_LIMIT_MS);
      return made;
    }

    const askAll = (tenants: readonly string[]) =>
      Promise.all(tenants.map((tenant) => store.charge(requestOf(checkOf(tenant, 'u')))));

    /** Decides until both masters have the mode. */
    const untilMode = (mode: 'across' | 'declared', tenants: readonly string[]) =>
      eventually(async () => {
        await askAll(tenants);
        return counts.connections[mode] === 2;
      });

    afterAll(() => store?.close());

    it('gets one run per slot and a warning, from the start or as soon as it is refused', async () => {
      const tenants = [...tenantsOf(0, 4), ...tenantsOf(1, 4)];
      await permit('on', '>secret', 'allkeys', 'allchannels', '+@all');
      store = await connect();
      await untilMode('across', tenants);
      expect(warnings).toEqual([]);

      await permit('-get');
      const replies = await askAll(tenants);
      expect(replies.every((reply) => reply.available && reply.allowed)).toBe(true);
      expect(counts.fallbacks.refused).toBe(tenants.length);
      expect(counts.connections).toEqual({ across: 0, declared: 2 });
      expect(warnings).toHaveLength(2);
      await store.close();

      store = await connect();
      counts.connections.across = 0;
      counts.connections.declared = 0;
      await untilMode('declared', tenants);
      const { requests } = counts.runs.across;
      expect((await askAll(tenants)).every((reply) => reply.available)).toBe(true);
      expect(counts.runs.across.requests).toBe(requests);
      expect(warnings).toHaveLength(4);
    });
  });
});
