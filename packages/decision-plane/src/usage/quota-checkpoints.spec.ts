import { compileLimit } from '@tollgate/limiter/rules';
import { type Check, MemoryStore, type Unavailable } from '@tollgate/limiter/stores';
import { FakeClock } from '@tollgate/limiter/testing';
import { describe, expect, it } from 'vitest';
import { useHandTime } from '../../../limiter/test/hand-time.js';
import { policyBy } from '../../../limiter/test/policies.js';
import {
  NO_READING,
  type QuotaCheckpoint,
  type QuotaCounter,
  type StoredUsage,
} from '../policy-redis/quota-store.js';
import { QuotaCheckpoints } from './quota-checkpoints.js';

const JANUARY = Date.UTC(2026, 1, 1);
const FEBRUARY = Date.UTC(2026, 2, 1);
const KEY = '{acme}:q1:api:month';

function monthlyCheck(nowMs: number): Check {
  const limit = policyBy({ algorithm: 'quota', limit: 1_000_000, period: 'month' });
  const compiled = compileLimit(limit, {}, { timeZone: 'UTC', billingAnchorDay: 1, nowMs });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  return { key: KEY, policy: compiled.limit.policy, cost: 1 };
}

/** Checkpoints in memory, which can be unavailable: the model of `scripts/quota-checkpoint-1.lua`. */
class Checkpoints {
  isAway = false;
  writes = 0;
  readonly kept = new Map<string, QuotaCheckpoint>();

  async write(checkpoints: readonly QuotaCheckpoint[]): Promise<void> {
    this.check();
    this.writes += checkpoints.length;
    for (const one of checkpoints) {
      const before = this.kept.get(nameOf(one)) ?? NO_READING;
      const lowers = one.loweredAtUs > before.atUs;
      if (!lowers && (one.used <= before.used || one.atUs <= before.loweredAtUs)) continue;
      this.kept.set(nameOf(one), { ...one, loweredAtUs: lowers ? one.loweredAtUs : before.loweredAtUs });
    }
  }

  restoreMark: string | null = 'first';

  async readRestoreMark(): Promise<string | null> {
    this.check();
    return this.restoreMark;
  }

  async read(counter: QuotaCounter): Promise<StoredUsage> {
    this.check();
    return { reading: this.kept.get(nameOf(counter)) ?? NO_READING, restoreMark: this.restoreMark };
  }

  private check(): void {
    if (this.isAway) throw new Error('away');
  }
}

const nameOf = ({ tenant, key, periodEndMs }: QuotaCounter) => `${tenant} ${key} ${periodEndMs}`;

/** Nodes with one counter store; each gets the refund events. */
class Cluster {
  readonly clock = new FakeClock();
  readonly store = new Checkpoints();
  readonly errors: string[] = [];
  readonly check = monthlyCheck(this.clock.nowMs());
  countersAway = false;
  looks = 0;
  readonly counters = new MemoryStore({
    clockUs: () => this.clock.nowUs(),
    onClear: (key) => {
      for (const node of this.nodes) node.clear(key);
    },
  });
  readonly nodes: QuotaCheckpoints[];

  constructor(count: number) {
    this.nodes = Array.from({ length: count }, () => this.addNode());
  }

  addNode(): QuotaCheckpoints {
    return new QuotaCheckpoints({
      store: this.store,
      readCounter: (check) => {
        this.looks++;
        const away: Unavailable = { available: false, reason: 'disconnected' };
        if (this.countersAway) return Promise.resolve(away);
        return this.counters.amend({ op: 'take', check: { ...check, cost: 0 } });
      },
      onError: (message) => this.errors.push(message),
      nowMs: () => this.clock.nowMs(),
    });
  }

  node(index: number): QuotaCheckpoints {
    return this.nodes[index] as QuotaCheckpoints;
  }

  /** Charges, and reports the usage to a node. */
  charge(index: number, cost: number): void {
    this.clock.advanceMs(1);
    const { checks, nowUs } = this.counters.chargeNow({ checks: [{ ...this.check, cost }], peek: false });
    const used = 1_000_000 - (checks[0]?.remaining ?? 0);
    this.node(index).note('acme', this.check, JANUARY, used, nowUs);
  }

  async give(cost: number): Promise<void> {
    this.clock.advanceMs(1);
    await this.counters.amend({ op: 'refund', checks: [{ ...this.check, cost }] });
  }

  async flush(): Promise<void> {
    for (const node of this.nodes) await node.flush();
  }

  see(index: number, used: number, periodEndMs = JANUARY): void {
    this.clock.advanceMs(1);
    this.node(index).note('acme', this.check, periodEndMs, used, this.clock.nowUs());
  }

  async found(index: number, periodEndMs = JANUARY): Promise<number> {
    return (await this.node(index).find('acme', KEY, periodEndMs)).used;
  }
}

const time = useHandTime();

describe('QuotaCheckpoints', () => {
  it('finds the highest usage that any node wrote', async () => {
    const cluster = new Cluster(3);
    cluster.see(0, 500);
    await cluster.node(0).flush();
    cluster.see(1, 499);
    await cluster.node(1).flush();
    expect(await cluster.found(2)).toBe(500);
    expect(await cluster.found(1)).toBe(500);
  });

  it('separates periods: a new one starts at 0, and late readings of the old one are ignored', async () => {
    const cluster = new Cluster(2);
    cluster.see(0, 500);
    await cluster.node(0).flush();
    expect(await cluster.found(1, FEBRUARY)).toBe(0);
    cluster.see(0, 3, FEBRUARY);
    cluster.see(0, 501);
    await cluster.node(0).flush();
    expect(await cluster.found(1, FEBRUARY)).toBe(3);
    expect(cluster.node(0).usedIn(KEY, JANUARY)).toBe(0);
  });

  it('is not lowered by a lost counter', async () => {
    const cluster = new Cluster(1);
    cluster.see(0, 500);
    cluster.see(0, 1);
    await cluster.flush();
    expect(cluster.node(0).usedIn(KEY, JANUARY)).toBe(500);
    expect(await cluster.found(0)).toBe(500);
  });

  it('writes each change once', async () => {
    const cluster = new Cluster(1);
    for (let used = 1; used <= 100; used++) cluster.see(0, used);
    await cluster.flush();
    await cluster.flush();
    expect(cluster.store.writes).toBe(1);
  });

  it('journals each change once, oldest first, and again after a failed write', () => {
    const cluster = new Cluster(1);
    const node = cluster.node(0);
    cluster.see(0, 5);
    cluster.see(0, 7);
    node.note('acme', { ...cluster.check, key: `${KEY}=u1` }, JANUARY, 3, cluster.clock.nowUs());
    const [first, ...none] = node.takeUnjournaled(1);
    expect(none).toEqual([]);
    expect(first).toMatchObject({ tenant: 'acme', key: KEY, periodEndMs: JANUARY, used: 7, loweredAtUs: 0 });
    expect(node.takeUnjournaled(10).map(({ key }) => key)).toEqual([`${KEY}=u1`]);
    expect(node.takeUnjournaled(10)).toEqual([]);
    if (first !== undefined) node.returnUnjournaled([first]);
    expect(node.takeUnjournaled(10)).toEqual([first]);
  });

  it('detects a restore of the store, but not at its start', async () => {
    const cluster = new Cluster(2);
    cluster.store.restoreMark = 'a';
    await cluster.flush();
    expect(cluster.node(0).storeRestores).toBe(0);
    cluster.store.restoreMark = null;
    await cluster.flush();
    cluster.nodes.push(cluster.addNode());
    await cluster.flush();
    cluster.store.restoreMark = 'b';
    await cluster.flush();
    await cluster.flush();
    expect(cluster.nodes.map(({ storeRestores }) => storeRestores)).toEqual([1, 1, 1]);
  });

  it('retries failed writes with the current value', async () => {
    const cluster = new Cluster(1);
    cluster.store.isAway = true;
    cluster.see(0, 5);
    await cluster.flush();
    cluster.see(0, 6);
    await cluster.flush();
    cluster.store.isAway = false;
    await cluster.node(0).close();
    expect(await cluster.found(0)).toBe(6);
    expect(cluster.errors).toHaveLength(2);
  });

  it('returns its own usage as incomplete while the store is unavailable', async () => {
    const cluster = new Cluster(1);
    cluster.store.isAway = true;
    cluster.see(0, 5);
    expect(await cluster.node(0).find('acme', KEY, JANUARY)).toMatchObject({ used: 5, isComplete: false });
    expect(await cluster.node(0).find('acme', 'other', JANUARY)).toMatchObject({
      used: 0,
      isComplete: false,
    });
  });

  it('does not return a reading recorded during the lookup', async () => {
    const cluster = new Cluster(1);
    cluster.see(0, 1);
    await cluster.node(0).flush();
    const found = cluster.node(0).find('acme', KEY, JANUARY);
    cluster.see(0, 2);
    expect(await found).toMatchObject({ used: 1, isComplete: true });
  });

  it('does not wait for an unresponsive store', async () => {
    const never = () => new Promise<never>(() => undefined);
    const node = new QuotaCheckpoints({
      store: { write: never, read: never, readRestoreMark: never },
      readCounter: never,
      onError: () => undefined,
    });
    const found = node.find('acme', KEY, JANUARY);
    time.advanceMs(25);
    expect(await found).toMatchObject({ used: 0, isComplete: false });
  });

  it('is lowered to the remaining usage by a refund, and never dropped', async () => {
    const cluster = new Cluster(2);
    cluster.charge(0, 900_000);
    await cluster.flush();
    cluster.charge(1, 100);
    await cluster.give(90);
    expect(await cluster.found(0)).toBe(900_000);
    await cluster.flush();
    cluster.nodes.push(cluster.addNode());
    expect(await cluster.found(2)).toBe(900_010);
    expect(await cluster.found(1)).toBe(900_010);
  });

  it('reads a constantly refunded counter once a second and ends at its usage', async () => {
    const cluster = new Cluster(1);
    cluster.charge(0, 1000);
    for (let i = 0; i < 50; i++) {
      cluster.charge(0, 10);
      await cluster.give(5);
    }
    expect(cluster.looks).toBeLessThan(5);
    await cluster.flush();
    expect(await cluster.found(0)).toBe(1250);
  });

  it('ignores readings from before a refund', async () => {
    const cluster = new Cluster(2);
    cluster.charge(1, 900);
    const late = cluster.addNode();
    late.note('acme', cluster.check, JANUARY, 900, cluster.clock.nowUs());
    await cluster.give(200);
    await cluster.flush();
    await late.flush();
    cluster.nodes.push(cluster.addNode());
    expect(await cluster.found(2)).toBe(700);
  });

  it('is 0 at once after a full refund', async () => {
    const cluster = new Cluster(1);
    cluster.charge(0, 100);
    await cluster.flush();
    await cluster.give(100);
    await expect.poll(() => cluster.found(0)).toBe(0);
    await cluster.flush();
    expect(cluster.store.kept.get(`acme ${KEY} ${JANUARY}`)?.used).toBe(0);
  });

  it('is not lowered by refunds of a lost counter', async () => {
    const cluster = new Cluster(2);
    cluster.charge(0, 900_000);
    await cluster.flush();
    cluster.counters.forget(KEY);
    cluster.charge(0, 100);
    await cluster.give(50);
    await cluster.flush();
    expect(await cluster.found(0)).toBe(900_000);
    expect(await cluster.found(1)).toBe(900_000);
  });

  it('retries the reading while the counters are unavailable', async () => {
    const cluster = new Cluster(1);
    cluster.charge(0, 100);
    await cluster.flush();
    cluster.countersAway = true;
    await cluster.give(20);
    await cluster.flush();
    cluster.countersAway = false;
    await cluster.flush();
    expect(await cluster.found(0)).toBe(80);
  });

  it('applies a reset, also if another node read more while the store was unavailable', async () => {
    const cluster = new Cluster(2);
    cluster.see(0, 100);
    await cluster.node(0).flush();
    cluster.store.isAway = true;
    cluster.clock.advanceMs(1);
    await cluster.node(1).forget('acme', KEY, JANUARY);
    expect(await cluster.node(1).find('acme', KEY, JANUARY)).toMatchObject({ used: 0, isComplete: true });
    cluster.store.isAway = false;
    cluster.see(1, 7);
    await cluster.node(1).flush();
    expect(cluster.store.kept.get(`acme ${KEY} ${JANUARY}`)?.used).toBe(7);
    await cluster.node(0).flush();
    expect(cluster.store.kept.get(`acme ${KEY} ${JANUARY}`)?.used).toBe(7);
  });
});

it('uses a checkpoint that arrived while the event loop was blocked', async () => {
  const read = Promise.withResolvers<StoredUsage>();
  const checkpoints = new QuotaCheckpoints({
    store: {
      read: () => read.promise,
      write: () => Promise.resolve(),
      readRestoreMark: () => Promise.resolve(null),
    },
    readCounter: () => Promise.reject(new Error('not read')),
    onError: () => undefined,
    readWithinMs: 25,
  });
  const found = checkpoints.find('acme', KEY, JANUARY);
  time.advanceMs(24);
  time.blockMs(60);
  read.resolve({ reading: { used: 60, atUs: 1, loweredAtUs: 0 }, restoreMark: 'first' });
  expect(await found).toMatchObject({ used: 60, isComplete: true });
});
