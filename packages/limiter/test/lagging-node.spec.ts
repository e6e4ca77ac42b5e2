import type { CarryOver } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/memory/memory-store.js';
import { compiled, fixedWindowPolicy, gcraPolicy } from './policies.js';

const HOUR = { windowMs: 3_600_000, alignment: 'clock' } as const;

// A change reaches nodes at different times: for a while, two policies decide alternately.
describe('while one node does not know a change yet', () => {
  /** Number of 400 requests allowed, alternating between the nodes, after `used` were charged before the change. */
  function admitted(
    from: Parameters<typeof compiled>[0],
    to: typeof from,
    rule: CarryOver,
    used: number,
  ): number {
    const nowUs = Date.UTC(2026, 0, 1, 12, 30) * 1000;
    const store = new MemoryStore({ clockUs: () => nowUs });
    const before = compiled(from, { id: 3 }).policy;
    const carries = [{ id: 3, rule, atUs: nowUs, policy: before }];
    const after = compiled(to, { id: 4, carries }).policy;
    for (let i = 0; i < used; i++)
      store.chargeNow({ checks: [{ key: 'k', policy: before, cost: 1 }], peek: false });
    let passed = 0;
    for (let i = 0; i < 400; i++) {
      const policy = i % 2 === 0 ? after : before;
      if (store.chargeNow({ checks: [{ key: 'k', policy, cost: 1 }], peek: false }).allowed) passed++;
    }
    return passed;
  }

  it('resets once', () => {
    const limit = (n: number) => fixedWindowPolicy({ limit: n, ...HOUR });
    expect(admitted(limit(10), limit(10), 'reset', 10)).toBe(10);
    expect(admitted(limit(10), limit(20), 'reset', 10)).toBe(20);
  });

  it('scales usage in proportion once', () => {
    const limit = (n: number) => fixedWindowPolicy({ limit: n, ...HOUR });
    expect(admitted(limit(10), limit(100), 'proportional', 5)).toBe(50);
    // The node without the change still enforces its own limit.
    expect(admitted(limit(100), limit(10), 'proportional', 50)).toBeLessThanOrEqual(100);
  });

  it('rescales a rate once', () => {
    const rate = (n: number) => gcraPolicy({ limit: n, windowMs: 60_000, burst: n - 1 });
    expect(admitted(rate(60), rate(120), 'keep', 60)).toBeLessThanOrEqual(120);
  });
});
