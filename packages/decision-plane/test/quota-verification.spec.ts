import type { LimitPolicy } from '@tollgate/contracts';
import {
  type Amended,
  type Amendment,
  type DecisionStore,
  MemoryStore,
  type StoreReply,
  type StoreRequest,
  type Unavailable,
} from '@tollgate/limiter/stores';
import { FakeClock } from '@tollgate/limiter/testing';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { Engine } from '../src/decide/engine.js';
import { NO_READING, type QuotaCheckpoint, type QuotaCounter } from '../src/policy-redis/quota-store.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { QuotaCheckpoints } from '../src/usage/quota-checkpoints.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';

const LIMIT = 100;
const USED = 60;
const LEFT = LIMIT - USED;
const AWAY: Unavailable = { available: false, reason: 'disconnected' };
const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const quota = (over?: Parameters<typeof policyBy>[1]) =>
  policyBy({ algorithm: 'quota', limit: LIMIT, period: 'day' }, { operations: ['createURL'], ...over });

/** Counters and checkpoints that can be lost, and what the control plane has of the checkpoints. */
class Servers implements DecisionStore {
  readonly clock = new FakeClock();
  counters: MemoryStore | undefined = this.newCounters();
  checkpoints: { mark: string | null; readonly kept: Map<string, QuotaCheckpoint> } | undefined = {
    mark: 'first',
    kept: new Map(),
  };
  connections = 1;
  decisions = 0;
  checkpointReads = 0;
  private saved: QuotaCheckpoint[] = [];

  lose(): void {
    this.saved = [...(this.checkpoints?.kept.values() ?? [])];
    this.checkpoints = undefined;
    this.loseCounters();
  }

  loseCounters(): void {
    this.counters = undefined;
    this.connections++;
  }

  bringCounters(): void {
    this.counters = this.newCounters();
    this.connections++;
  }

  bringCheckpoints(): void {
    this.checkpoints = { mark: null, kept: new Map() };
  }

  restore(): void {
    const { checkpoints } = this;
    if (checkpoints === undefined) throw new Error('the checkpoint store is unavailable');
    for (const one of this.saved) checkpoints.kept.set(nameOf(one), one);
    checkpoints.mark = 'second';
  }

  charge(request: StoreRequest): Promise<StoreReply> {
    this.decisions++;
    return this.counters?.charge(request) ?? Promise.resolve(AWAY);
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.counters?.amend(amendment) ?? Promise.resolve(AWAY);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private newCounters(): MemoryStore {
    return new MemoryStore({ clockUs: () => this.clock.nowUs() });
  }
}

const nameOf = ({ key, periodEndMs }: QuotaCounter) => `${key} ${periodEndMs}`;

class Node {
  readonly checkpoints: QuotaCheckpoints;
  private readonly engine: Engine;

  constructor(servers: Servers, limit: LimitPolicy = quota()) {
    const stored = () => {
      if (servers.checkpoints === undefined) throw new Error('unavailable');
      return servers.checkpoints;
    };
    this.checkpoints = new QuotaCheckpoints({
      store: {
        write: async (written) => {
          for (const one of written) stored().kept.set(nameOf(one), { ...one });
        },
        read: async (counter) => {
          servers.checkpointReads++;
          const { kept, mark } = stored();
          return { reading: kept.get(nameOf(counter)) ?? NO_READING, restoreMark: mark };
        },
        readRestoreMark: async () => stored().mark,
      },
      readCounter: (check) => servers.amend({ op: 'take', check: { ...check, cost: 0 } }),
      onError: () => undefined,
      nowMs: () => servers.clock.nowMs(),
      connections: () => servers.connections,
    });
    const rows = new UsageRows();
    this.engine = new Engine({
      nodeId: 'node',
      epoch: 'e',
      store: servers,
      exchangePool: () => Promise.reject(new Error('no pool')),
      policies: new TestPolicies({ limits: [limit] }),
      usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
      checkpoints: this.checkpoints,
      nodes: () => 1,
      onReply: () => undefined,
      onBudgetSpent: () => undefined,
      onError: () => undefined,
      clockUs: () => servers.clock.nowUs(),
    });
  }

  async admitted(count: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.engine.limit(create)));
    return answers.filter(({ success }) => success).length;
  }
}

/** 60 units used by a node, and known to the checkpoint store and the control plane. */
async function used(limit = quota()): Promise<{ servers: Servers; node: Node }> {
  const servers = new Servers();
  const node = new Node(servers, limit);
  expect(await node.admitted(USED)).toBe(USED);
  await node.checkpoints.flush();
  return { servers, node };
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

const RETURNS = ['counters', 'checkpoint store', 'restore'] as const;

const ordersOf = <T>(events: readonly (T | (typeof RETURNS)[number])[]) =>
  permutations(events).filter((order) => order.indexOf('restore') > order.indexOf('checkpoint store'));

describe('a quota of 100 with 60 used, after counters and checkpoints were lost', () => {
  it.each(ordersOf([...RETURNS, 'node' as const]))(
    'a new node admits 40 after %s, %s, %s, %s',
    async (...order) => {
      const { servers } = await used();
      servers.lose();
      let node: Node | undefined;
      let total = 0;
      for (const event of order) {
        if (event === 'node') node = new Node(servers);
        else if (event === 'counters') servers.bringCounters();
        else if (event === 'checkpoint store') servers.bringCheckpoints();
        else servers.restore();
        // A node gets no requests before it has reached the counters.
        if (node !== undefined && servers.counters !== undefined) total += await node.admitted(LIMIT);
        expect(total).toBeLessThanOrEqual(LEFT);
      }
      servers.clock.advanceMs(1000);
      expect(total + ((await node?.admitted(LIMIT)) ?? 0)).toBe(LEFT);
    },
  );

  it.each(ordersOf(RETURNS))('a node that kept running admits 40 after %s, %s, %s', async (...order) => {
    const { servers, node } = await used();
    servers.lose();
    let total = 0;
    for (const event of order) {
      if (event === 'counters') servers.bringCounters();
      else if (event === 'checkpoint store') servers.bringCheckpoints();
      else servers.restore();
      total += await node.admitted(LIMIT);
    }
    servers.clock.advanceMs(1000);
    expect(total + (await node.admitted(LIMIT))).toBe(LEFT);
  });

  it.each([
    ['share', LIMIT],
    ['deny', 0],
    ['allow', LIMIT],
  ] as const)('follows onUnavailable %s without a restore within 15 s', async (onUnavailable, passed) => {
    const { servers } = await used();
    servers.lose();
    servers.bringCounters();
    servers.bringCheckpoints();
    const node = new Node(servers, quota({ onUnavailable }));
    expect(await node.admitted(LIMIT)).toBe(onUnavailable === 'allow' ? LIMIT : 0);
    servers.clock.advanceMs(15_000);
    expect(await node.admitted(2 * LIMIT)).toBe(onUnavailable === 'allow' ? 2 * LIMIT : passed);
  });

  it('a node writes its readings again into an emptied checkpoint store', async () => {
    const { servers, node } = await used();
    servers.bringCheckpoints();
    await node.checkpoints.flush();
    expect([...(servers.checkpoints?.kept.values() ?? [])]).toMatchObject([{ used: USED }]);
  });
});

describe('the first decision by a quota counter', () => {
  it('raises a counter that was emptied with a connection, before the first batch', async () => {
    const { servers, node } = await used();
    servers.loseCounters();
    servers.bringCounters();
    expect(await Promise.all([node.admitted(LIMIT), new Node(servers).admitted(LIMIT)])).toSatisfy(
      ([a, b]: [number, number]) => a + b === LEFT,
    );
  });

  it('raises an emptied counter before units of it are leased', async () => {
    const limit = quota({ consistency: { mode: 'leased', leaseMs: 1000 } });
    const { servers } = await used(limit);
    servers.loseCounters();
    servers.bringCounters();
    expect(await new Node(servers, limit).admitted(LIMIT)).toBeLessThanOrEqual(LEFT);
  });

  it('reads the counter once per period and connection, and its checkpoint only if it is at 0', async () => {
    const servers = new Servers();
    const node = new Node(servers);
    const costOf = async () => {
      const { decisions, checkpointReads } = servers;
      await node.admitted(1);
      return [servers.decisions - decisions, servers.checkpointReads - checkpointReads];
    };
    expect((await costOf())[0]).toBe(2);
    expect(await costOf()).toEqual([1, 0]);
    servers.connections++;
    expect(await costOf()).toEqual([2, 0]);
    expect(await costOf()).toEqual([1, 0]);
    servers.clock.advanceMs(24 * 3_600_000);
    expect((await costOf())[0]).toBe(2);
    expect(await costOf()).toEqual([1, 0]);
  });

  it('does not wait for a checkpoint store that is unavailable while the counters stay connected', async () => {
    const servers = new Servers();
    const node = new Node(servers, quota({ onUnavailable: 'deny' }));
    await node.checkpoints.flush();
    servers.checkpoints = undefined;
    expect(await node.admitted(1)).toBe(1);
  });
});
