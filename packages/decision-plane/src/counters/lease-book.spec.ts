import { getOrAdd } from '@tollgate/contracts/maps';
import { type Amendment, type Check, MemoryStore } from '@tollgate/limiter/stores';
import { FakeClock } from '@tollgate/limiter/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, policyBy } from '../../../limiter/test/policies.js';
import { LeaseBook, type LeaseSlot } from './lease-book.js';

const LEASE_MS = 1000;
const leased = { consistency: { mode: 'leased', leaseMs: LEASE_MS } } as const;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Nodes that share one store and one clock. */
class Cluster {
  readonly clock = new FakeClock();
  readonly store = new MemoryStore({
    clockUs: () => this.clock.nowUs(),
    onClear: (key) => {
      for (const book of this.books) book.cleared(key);
    },
  });
  private asked = 0;
  private readonly slots = new WeakMap<LeaseBook, LeaseSlot[]>();
  /** The remaining units that the store reported. */
  readonly readings: number[] = [];
  private books: LeaseBook[];

  constructor(
    readonly check: Check,
    nodes: number,
  ) {
    this.books = Array.from({ length: nodes }, () => this.book(nodes));
  }

  /** Asks a node as the decider does: the lease, found by one of two slots or by its key, else the store. */
  ask(node: number): boolean {
    const book = this.books[node];
    if (book?.spend(this.check, LEASE_MS, undefined, this.slotsOf(book)[this.asked++ % 3])) return true;
    return this.store.chargeNow({ checks: [this.check], peek: false }).allowed;
  }

  /** A node crashes with its leases; a new one replaces it. */
  crash(node: number): void {
    this.books[node] = this.book(this.books.length);
  }

  get leasedUnits(): number {
    return this.books.reduce((sum, book) => sum + book.leasedUnits, 0);
  }

  get used(): number {
    const { checks } = this.store.chargeNow({ checks: [this.check], peek: true });
    return this.check.policy.capacity - (checks[0]?.remaining ?? 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.books.map((book) => book.close()));
  }

  private slotsOf(book: LeaseBook): LeaseSlot[] {
    return getOrAdd(this.slots, book, () => [{ lease: undefined }, { lease: undefined }]);
  }

  private book(nodes: number): LeaseBook {
    return new LeaseBook({
      amend: (amendment: Amendment) => this.store.amend(amendment),
      nodes: () => nodes,
      clockMs: () => this.clock.nowMs(),
      onReading: (_, { remaining }) => void this.readings.push(remaining),
    });
  }
}

describe('leases', () => {
  const window = (limit: number) =>
    compiled(fixedWindowPolicy({ limit, windowMs: 60_000, alignment: 'clock', ...leased })).policy;
  const bucket = (limit: number) =>
    compiled(
      policyBy(
        { algorithm: 'token_bucket', limit, windowMs: 60_000, capacity: limit, refill: 'continuous' },
        leased,
      ),
    ).policy;

  const steps = fc.array(
    fc.record({
      node: fc.nat(3),
      requests: fc.integer({ min: 0, max: 60 }),
      crash: fc.integer({ min: 0, max: 9 }),
      passMs: fc.oneof(fc.nat(50), fc.nat(2000)),
    }),
    { minLength: 1, maxLength: 120 },
  );

  it('are found by each slot after the limit changed', async () => {
    const clock = new FakeClock();
    const store = new MemoryStore({ clockUs: () => clock.nowUs() });
    const book = new LeaseBook({
      amend: (amendment) => store.amend(amendment),
      nodes: () => 1,
      clockMs: () => clock.nowMs(),
    });
    const first: LeaseSlot = { lease: undefined };
    const second: LeaseSlot = { lease: undefined };
    const before = { key: '{acme}:k', policy: window(100), cost: 1 };
    const after = { ...before, policy: window(200) };
    const spend = async (check: Check, slot: LeaseSlot) => {
      const result = book.spend(check, LEASE_MS, undefined, slot);
      await settled();
      return result !== undefined;
    };
    for (const isLeased of [false, true]) expect(await spend(before, first)).toBe(isLeased);
    for (const isLeased of [false, true]) expect(await spend(after, second)).toBe(isLeased);
    expect(await spend(after, first)).toBe(true);
    await book.close();
  });

  it('never admit more than the limit on all nodes together, also after crashes; leased units are charged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), steps, async (limit, script) => {
        const cluster = new Cluster({ key: '{acme}:1', policy: window(limit), cost: 1 }, 4);
        const admitted = new Map<number, number>();
        for (const { node, requests, crash, passMs } of script) {
          for (let i = 0; i < requests; i++) {
            const minute = Math.floor(cluster.clock.nowMs() / 60_000);
            if (cluster.ask(node)) admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
          }
          await settled();
          expect(cluster.leasedUnits).toBeLessThanOrEqual(cluster.used);
          if (crash === 0) cluster.crash(node);
          cluster.clock.advanceMs(passMs);
        }
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(limit);
        await cluster.close();
      }),
    );
  });

  it('never exceed the capacity and refill of a bucket in any period', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 120, max: 600 }), steps, async (limit, script) => {
        const cluster = new Cluster({ key: '{acme}:1', policy: bucket(limit), cost: 1 }, 4);
        const times: number[] = [];
        for (const { node, requests, passMs } of script) {
          for (let i = 0; i < requests; i++) if (cluster.ask(node)) times.push(cluster.clock.nowMs());
          await settled();
          cluster.clock.advanceMs(passMs);
        }
        const perMs = limit / 60_000;
        for (let from = 0; from < times.length; from += 7) {
          for (let to = from; to < times.length; to += 7) {
            const spanMs = (times[to] ?? 0) - (times[from] ?? 0);
            expect(to - from + 1).toBeLessThanOrEqual(limit + Math.ceil(spanMs * perMs) + 1);
          }
        }
        await cluster.close();
      }),
      { numRuns: 40 },
    );
  });

  it('are refunded when a node closes', async () => {
    const cluster = new Cluster({ key: '{acme}:1', policy: window(1000), cost: 1 }, 1);
    let admitted = 0;
    for (let i = 0; i < 50; i++) {
      if (cluster.ask(0)) admitted++;
      cluster.clock.advanceMs(1);
      await settled();
    }
    expect(cluster.leasedUnits).toBeGreaterThan(0);
    await cluster.close();
    expect(cluster.used).toBe(admitted);
  });

  it('need the store for few decisions under steady load', async () => {
    const cluster = new Cluster({ key: '{acme}:1', policy: window(100_000), cost: 1 }, 1);
    let strict = 0;
    const decide = cluster.store.chargeNow.bind(cluster.store);
    cluster.store.chargeNow = (request) => {
      if (!request.peek) strict++;
      return decide(request);
    };
    for (let i = 0; i < 5000; i++) {
      cluster.ask(0);
      if (i % 10 === 0) await settled();
      if (i % 5 === 0) cluster.clock.advanceMs(1);
    }
    expect(strict).toBeLessThan(250);
    await cluster.close();
  });

  /** A node that holds 50 leased units of a counter, of which a few are used. */
  async function holding() {
    const cluster = new Cluster({ key: '{acme}:1', policy: window(1000), cost: 1 }, 2);
    for (let i = 0; i < 60; i++) {
      cluster.ask(0);
      cluster.clock.advanceMs(2);
      await settled();
    }
    expect(cluster.leasedUnits).toBeGreaterThan(10);
    return cluster;
  }

  it('are neither spent nor refunded after a reset', async () => {
    const cluster = await holding();
    await cluster.store.amend({ op: 'reset', keys: [cluster.check.key] });
    await settled();
    expect(cluster.leasedUnits).toBe(0);
    for (let i = 0; i < 30; i++) cluster.store.chargeNow({ checks: [cluster.check], peek: false });
    await cluster.close();
    expect(cluster.used).toBe(30);
  });

  it('end when a refund returns leased units', async () => {
    const cluster = await holding();
    await cluster.store.amend({ op: 'refund', checks: [{ ...cluster.check, cost: 900 }] });
    await settled();
    expect(cluster.leasedUnits).toBe(0);
    await cluster.close();
  });

  it('do not end when other nodes refund units', async () => {
    const cluster = await holding();
    const { leasedUnits } = cluster;
    cluster.store.chargeNow({ checks: [{ ...cluster.check, cost: 5 }], peek: false });
    await cluster.store.amend({ op: 'refund', checks: [{ ...cluster.check, cost: 5 }] });
    await settled();
    expect(cluster.leasedUnits).toBe(leasedUnits);
    await cluster.close();
  });

  it('report the remaining units of the store', async () => {
    const cluster = await holding();
    expect(cluster.readings.at(-1)).toBeLessThanOrEqual(1000 - cluster.leasedUnits);
    expect(cluster.readings.at(-1)).toBeGreaterThanOrEqual(1000 - cluster.used);
    await cluster.close();
  });
});
