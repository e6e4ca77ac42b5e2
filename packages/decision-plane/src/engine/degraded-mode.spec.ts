import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, gcraPolicy } from '../../test/policies.js';
import type { CompiledLimit } from '../policy/compile.js';
import { MemoryStore } from '../store/memory-store.js';
import { DegradedMode } from './degraded-mode.js';

const T0_US = Date.UTC(2026, 0, 1) * 1000;
const MINUTE_US = 60_000_000;

describe('degraded mode', () => {
  /** A cluster whose nodes all saw the same last readings of one counter, and then lost the store. */
  function outage(limit: CompiledLimit, nodes: number, used: number) {
    let nowUs = T0_US;
    const clockUs = () => nowUs;
    const store = new MemoryStore({ clockUs });
    const check = { key: '{acme}:1', policy: limit.policy, cost: 1 };
    const { checks } = store.decideNow([{ ...check, cost: used }], false);
    const cluster = Array.from({ length: nodes }, () => {
      const node = new DegradedMode({ clockUs });
      node.remember([check], checks, nowUs);
      return node;
    });
    const offer = (times: number) => {
      let admitted = 0;
      for (const node of cluster) {
        for (let i = 0; i < times; i++) {
          if (node.decide([limit], [check], nodes, false).results[0]?.allowed) admitted++;
        }
      }
      return admitted;
    };
    return { offer, pass: (us: number) => (nowUs += us) };
  }

  it('three nodes share six that are left of ten: two each', () => {
    const window = outage(compiled(fixedWindowPolicy({ limit: 10 })), 3, 4);
    expect(window.offer(50)).toBe(6);
    window.pass(MINUTE_US);
    // The next window: a third of ten each.
    expect(window.offer(50)).toBe(9);
  });

  it('a rate refills at each node’s part', () => {
    // 60 a minute, 12 at once, all used: nothing now; after 3 s three are due, one a node.
    const rate = outage(compiled(gcraPolicy({ limit: 60, burst: 11 })), 3, 12);
    expect(rate.offer(50)).toBe(0);
    rate.pass(3_000_000);
    expect(rate.offer(50)).toBe(3);
  });

  it('over all nodes admits no more than was left, plus one a node for rounding, and nothing where nothing was left', () => {
    const policies = fc.record({
      limit: fc.integer({ min: 1, max: 200 }),
      nodes: fc.integer({ min: 1, max: 9 }),
      used: fc.nat(200),
      kind: fc.constantFrom('window' as const, 'rate' as const),
    });
    fc.assert(
      fc.property(policies, ({ limit, nodes, used, kind }) => {
        const policy =
          kind === 'window'
            ? fixedWindowPolicy({ limit, windowMs: 3_600_000 })
            : gcraPolicy({ limit, windowMs: 3_600_000, burst: limit - 1 });
        const spent = Math.min(used, limit);
        const admitted = outage(compiled(policy), nodes, spent).offer(limit + 5);
        expect(admitted).toBeLessThanOrEqual(limit - spent + nodes);
        if (spent === limit) expect(admitted).toBe(0);
      }),
    );
  });
});
