import {
  type Amended,
  type Amendment,
  type DecisionStore,
  MemoryStore,
  RedisStore,
  type StoreReply,
  type StoreRequest,
  type Unavailable,
} from '@tollgate/limiter/stores';
import { createTestRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { Engine } from '../src/decide/engine.js';
import { QuotaStore } from '../src/policy-redis/quota-store.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { QuotaCheckpoints } from '../src/usage/quota-checkpoints.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';

const RUNS = Number(process.env.QUOTA_RUNS ?? 25);
const LIMIT = 100;
const NODES = 2;
const AWAY: Unavailable = { available: false, reason: 'disconnected' };
const policy = policyBy({ algorithm: 'quota', limit: LIMIT, period: 'month' });

const node = fc.integer({ min: 0, max: NODES - 1 });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      node,
      cost: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay' as const), node }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('lose' as const, 'crash' as const, 'away' as const, 'back' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), node }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Counters that can be unavailable, and know when they are idle. */
class Line implements DecisionStore {
  isAway = false;
  private underWay = 0;

  constructor(private readonly inner: DecisionStore) {}

  charge(request: StoreRequest): Promise<StoreReply> {
    return this.isAway ? Promise.resolve(AWAY) : this.counted(this.inner.charge(request));
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.isAway ? Promise.resolve(AWAY) : this.counted(this.inner.amend(amendment));
  }

  async counted<T>(call: Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await call;
    } finally {
      this.underWay--;
    }
  }

  /** Resolves after some idle turns of the event loop. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet = this.underWay === 0 ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

interface Place {
  readonly inner: DecisionStore;
  readonly checkpoints: QuotaStore;
  forget(tenant: string): Promise<unknown>;
}

interface Member {
  readonly engine: Engine;
  readonly checkpoints: QuotaCheckpoints;
  /** Admitted by the store and not yet in a checkpoint. */
  pending: number;
  /** Admitted without the store and not yet replayed. */
  owed: number;
}

/** Two nodes, their counters and checkpoints, and the admitted units. */
class History {
  admitted = 0;
  /** Lost units that were in no checkpoint and no journal. */
  lost = 0;
  private readonly line: Line;
  private readonly members: Member[];
  /** Of stopped nodes. */
  private orphaned = 0;
  private connections = 0;

  constructor(
    private readonly place: Place,
    private readonly tenant: string,
  ) {
    this.line = new Line(place.inner);
    this.members = Array.from({ length: NODES }, () => this.start());
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'request':
        await this.request(step.node, step.cost);
        break;
      case 'checkpoint':
        for (const member of this.members) {
          await member.checkpoints.flush();
          member.pending = 0;
        }
        break;
      case 'replay':
        this.member(step.node).engine.recovered();
        await this.settled();
        break;
      case 'restart': {
        const { pending, owed } = this.member(step.node);
        this.orphaned += pending;
        this.lost += owed;
        this.members[step.node] = this.start();
        break;
      }
      case 'lose':
      case 'crash':
        if (step.kind === 'crash') this.connections++;
        await this.place.forget(this.tenant);
        this.lost += this.orphaned;
        this.orphaned = 0;
        for (const member of this.members) {
          this.lost += member.pending;
          member.pending = 0;
        }
        break;
      default:
        this.line.isAway = step.kind === 'away';
    }
  }

  async request(index: number, cost: number): Promise<boolean> {
    const member = this.member(index);
    const { success, degraded } = await member.engine.limit({
      tenant: this.tenant,
      api: 'url-shortener',
      operation: 'createURL',
      cost,
    });
    if (success) this.admitted += cost;
    if (success && degraded) member.owed += cost;
    else if (success) member.pending += cost;
    await this.settled();
    return success;
  }

  /** Resolves when everything is connected and replayed, and each node's charge has restored lost usage. */
  async end(): Promise<void> {
    this.line.isAway = false;
    for (const { engine } of this.members) engine.recovered();
    await this.settled();
    for (let i = 0; i < NODES; i++) await this.request(i, 1);
  }

  async drain(): Promise<void> {
    for (let i = 0; i < 2 * LIMIT; i++) if (!(await this.request(i % NODES, 1))) return;
  }

  private async settled(): Promise<void> {
    await this.line.settled();
    for (const member of this.members) {
      // Replayed units are in the counter, and in a checkpoint at its next flush.
      const owed = owedBy(member.engine);
      member.pending += member.owed - owed;
      member.owed = owed;
    }
  }

  private member(index: number): Member {
    return this.members[index] as Member;
  }

  private start(): Member {
    const checkpoints = new QuotaCheckpoints({
      store: {
        write: (counters) => this.line.counted(this.place.checkpoints.write(counters)),
        read: (counter) => this.line.counted(this.place.checkpoints.read(counter)),
        readRestoreMark: () => this.place.checkpoints.readRestoreMark(),
      },
      readCounter: (check) => this.line.amend({ op: 'take', check: { ...check, cost: 0 } }),
      onError: () => undefined,
      // Checkpoints read late on a busy machine are out of scope here.
      readWithinMs: 60_000,
      connections: () => this.connections,
    });
    const rows = new UsageRows();
    const engine = new Engine({
      nodeId: 'node',
      epoch: 'e',
      store: this.line,
      exchangePool: () => Promise.reject(new Error('no pool')),
      policies: new TestPolicies({ limits: [{ ...policy, operations: ['createURL'] }] }),
      usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
      checkpoints,
      nodes: () => NODES,
      onReply: () => undefined,
      onBudgetSpent: () => undefined,
      onError: () => undefined,
    });
    return { engine, checkpoints, pending: 0, owed: 0 };
  }
}

/** Units that the node admitted without the store and has not replayed. */
function owedBy(engine: Engine): number {
  // biome-ignore lint/complexity/useLiteralKeys: TypeScript allows a private member only so, and only this test needs it
  const { journal } = engine['parts'].degraded;
  return [...journal.keys()].reduce((sum, key) => sum + journal.pendingUnits(key), 0);
}

describe('any order of checkpoint, loss, outage, replay, request and restart', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let store: RedisStore;
  let run = 0;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
    store = new RedisStore({ url: server.url, deadlineMs: 5000 });
    await store.connected(WAIT_LIMIT_MS);
    await new QuotaStore(redis).markRestored('test');
  });
  afterAll(async () => {
    redis.disconnect();
    await store.close();
    await server.stop();
  });

  const memory = (): Place => {
    const inner = new MemoryStore();
    return { inner, checkpoints: new QuotaStore(redis), forget: () => Promise.resolve(inner.clear()) };
  };
  const real = (): Place => ({
    inner: store,
    checkpoints: new QuotaStore(redis),
    forget: async (tenant) => redis.del(`{${tenant}}:none`, ...(await redis.keys(`{${tenant}}*`))),
  });

  it.each([
    ['the model', memory],
    ['Redis', real],
  ])('%s admits at most the limit plus the units in no checkpoint and no journal', async (name, placeOf) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
        const history = new History(placeOf(), `run-${name.length}-${run++}`);
        for (const one of steps) await history.run(one);
        await history.end();
        const before = history.admitted;
        await history.drain();
        expect(history.admitted).toBeLessThanOrEqual(Math.max(before, LIMIT + history.lost));
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});
