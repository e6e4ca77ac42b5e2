import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BudgetSpent, KeyBudget, type KeyBudgetOptions, type ServerMemory } from './key-budget.js';

const HOUR_MS = 3_600_000;

/** 10,000,000 to measure; less keeps this file quick. */
const IDS = Number(process.env.KEY_BUDGET_IDS ?? 500_000);

function budgetOf(options: Omit<KeyBudgetOptions, 'onSpent'>) {
  const told: [string, BudgetSpent][] = [];
  const budget = new KeyBudget({ ...options, onSpent: (tenant, spent) => told.push([tenant, spent]) });
  return { budget, told };
}

describe('KeyBudget', () => {
  it('admits as many keys as the budget, again and again, and reports the first denial once', () => {
    const { budget, told } = budgetOf({ keysPerTenant: 3 });
    const admit = (tenant: string, ids: number[]) =>
      ids.map((id) => budget.admit(tenant, `{${tenant}}:f1:api:limit=u${id}`, 5));
    expect(admit('acme', [1, 2, 2, 3, 4, 1, 5, 3])).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(admit('other', [4, 5, 6, 7])).toEqual([true, true, true, false]);
    expect(told).toEqual([
      ['acme', 'tenant'],
      ['other', 'tenant'],
    ]);
  });

  it('does not charge the budget for peeks', () => {
    const { budget, told } = budgetOf({ keysPerTenant: 2 });
    const key = (id: number) => `{acme}:f1:api:limit=u${id}`;
    for (let id = 0; id < 100; id++) expect(budget.isAdmitted('acme', key(id), 1)).toBe(true);
    expect([1, 2, 3].map((id) => budget.admit('acme', key(id), 1))).toEqual([true, true, false]);
    expect([1, 2, 3, 4].map((id) => budget.isAdmitted('acme', key(id), 1))).toEqual([
      ...[true, true, false, false],
    ]);
    expect(budget.isAdmitted('acme', key(4), HOUR_MS)).toBe(true);
    expect(told).toHaveLength(1);
  });

  it('starts a new budget every hour', () => {
    const { budget, told } = budgetOf({ keysPerTenant: 1 });
    for (const nowMs of [0, HOUR_MS - 1, HOUR_MS]) {
      expect(budget.admit('acme', `{acme}:${nowMs}`, nowMs)).toBe(nowMs !== HOUR_MS - 1);
    }
    expect(budget.admit('acme', '{acme}:x', HOUR_MS + 1)).toBe(false);
    expect(told).toHaveLength(2);
  });

  describe('while the memory of the store is short', () => {
    const key = (id: number) => `{acme}:f1:api:limit=u${id}`;
    /** Each tenant may create counters of `tenantBytes` within an hour. */
    class FakeMemory implements ServerMemory {
      createdBytes = 0;

      constructor(public left = 0) {}

      tenantBytes(): number {
        return this.left;
      }

      created(_key: string, bytes: number): void {
        this.createdBytes += bytes;
      }
    }

    it('admits new keys worth the bytes of a tenant, and known keys always', () => {
      const memory = new FakeMemory(1000);
      const { budget, told } = budgetOf({ memory });
      const admitted = (tenant: string) =>
        Array.from({ length: 20 }, (_, id) => budget.admit(tenant, key(id).replace('acme', tenant), 1));
      expect(admitted('acme').filter(Boolean)).toHaveLength(8);
      expect(admitted('acme').slice(0, 8)).toEqual(Array(8).fill(true));
      expect(admitted('other').filter(Boolean)).toHaveLength(8);
      expect(memory.createdBytes).toBeGreaterThan(2000);
      expect(told).toEqual([
        ['acme', 'memory'],
        ['other', 'memory'],
      ]);
      memory.left = Number.POSITIVE_INFINITY;
      expect(budget.admit('acme', key(19), 1)).toBe(true);
    });

    it('admits the keys of the last hour, not those of earlier ones', () => {
      const memory = new FakeMemory(Number.POSITIVE_INFINITY);
      const { budget } = budgetOf({ memory });
      budget.admit('acme', key(1), 0);
      memory.left = 0;
      expect(budget.isAdmitted('acme', key(1), HOUR_MS)).toBe(true);
      expect(budget.admit('acme', key(1), HOUR_MS)).toBe(true);
      expect([budget.isAdmitted('acme', key(2), HOUR_MS), budget.admit('acme', key(2), HOUR_MS)]).toEqual([
        false,
        false,
      ]);
      expect(budget.admit('acme', key(1), 2 * HOUR_MS)).toBe(true);
      expect(budget.admit('acme', key(1), 4 * HOUR_MS)).toBe(false);
    });
  });

  it('never denies an admitted key within the hour and never exceeds the budget', () => {
    const ids = fc.array(fc.tuple(fc.nat(3), fc.nat(400)), { maxLength: 3000 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 150 }), (requests, keysPerTenant) => {
        const { budget } = budgetOf({ keysPerTenant });
        const admitted = new Map<number, Set<number>>();
        for (const [tenant, id] of requests) {
          const keys = admitted.get(tenant) ?? new Set();
          admitted.set(tenant, keys);
          const isAdmitted = budget.admit(`t${tenant}`, `{t${tenant}}:f1:api:limit=${id}`, 1);
          if (keys.has(id)) expect(isAdmitted).toBe(true);
          else expect(isAdmitted).toBe(keys.size < keysPerTenant);
          if (isAdmitted) keys.add(id);
        }
      }),
    );
  });

  it('reserves the last space for tenants with few keys and keeps admitted keys', () => {
    const { budget, told } = budgetOf({ keysPerTenant: 10_000_000, maxBytes: 2 * 1024 * 1024 });
    const admit = (tenant: string, id: number) => budget.admit(tenant, `{${tenant}}:f1:api:limit=u${id}`, 1);
    let large = 0;
    while (admit('large', large)) large++;
    expect(told).toEqual([['large', 'space']]);
    expect(large).toBeGreaterThan(200_000);
    const small = Array.from({ length: 500 }, (_, id) => admit('small', id));
    expect(small.every(Boolean)).toBe(true);
    const again = Array.from({ length: large }, (_, id) => admit('large', id));
    expect(again.every(Boolean)).toBe(true);
    let others = 0;
    while (admit(`t${others % 1000}`, others)) others++;
    expect(told.at(-1)?.[1]).toBe('space');
    expect(large + others).toBeLessThan(700_000);
  });

  it('bounds the memory for unlimited identifiers of one tenant below a megabyte', () => {
    const { budget } = budgetOf({});
    const before = process.memoryUsage().arrayBuffers;
    let admitted = 0;
    for (let id = 0; id < IDS; id++) {
      if (budget.admit('acme', `{acme}:f1:api:limit=u${id}`, 1)) admitted++;
    }
    const growth = process.memoryUsage().arrayBuffers - before;
    console.info(`${IDS} ids of one tenant: ${admitted} admitted, ${growth} bytes more in buffers`);
    expect(admitted).toBeGreaterThanOrEqual(100_000);
    expect(admitted).toBeLessThan(100_000 + 100);
    expect(growth).toBeLessThan(1024 * 1024);
  });

  it('admits ten million keys of a hundred tenants within 50 MB', () => {
    const { budget, told } = budgetOf({});
    const before = process.memoryUsage().arrayBuffers;
    for (let id = 0; id < IDS; id++) budget.admit(`t${id % 100}`, `{t${id % 100}}:f1:api:limit=u${id}`, 1);
    const growth = process.memoryUsage().arrayBuffers - before;
    console.info(`${IDS} ids of 100 tenants: ${growth} bytes more in buffers`);
    expect(told).toEqual([]);
    expect(growth).toBeLessThan(Math.max(10_000_000, 5 * IDS));
  });
});
