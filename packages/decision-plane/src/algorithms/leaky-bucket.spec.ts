import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compiledBy,
  itCarriesOver,
  itKeepsTheLaws,
  play,
  refusedFields,
  requests,
  SECOND_US,
  T0_US,
  visits,
} from '../../test/algorithm-laws.js';
import { leakyBucket } from './leaky-bucket.js';
import type { CompiledVirtualTime } from './virtual-time.js';

const policy = (limit: number, windowMs: number, queue: number): CompiledVirtualTime =>
  compiledBy(leakyBucket, { algorithm: 'leaky_bucket', limit, windowMs, queue });

describe('leaky bucket', () => {
  it('one a second with a queue of three: each is told its turn, the fifth is dropped until there is space', () => {
    const p = policy(1, 1000, 3);
    const steps = play(leakyBucket, p, [0, 0, 0, 0, 0, SECOND_US - 1, SECOND_US]);
    expect(steps.map(({ allowed, waitUs }) => [allowed, waitUs])).toEqual([
      [true, 0],
      [true, SECOND_US],
      [true, 2 * SECOND_US],
      [true, 3 * SECOND_US],
      [false, SECOND_US],
      [false, 1],
      // The first has left: this one is behind three others.
      [true, 3 * SECOND_US],
    ]);
  });

  it('drains at a constant rate however requests arrive', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(9), requests, (limit, queue, asked) => {
        const p = policy(limit, 1000, queue);
        let freeAtUs = 0;
        for (const { step, cost, nowUs } of visits(leakyBucket, p, asked)) {
          if (!step.allowed || cost === 0) continue;
          const runsAtUs = nowUs + step.waitUs;
          expect(runsAtUs).toBeGreaterThanOrEqual(freeAtUs);
          expect(step.waitUs).toBeLessThanOrEqual(queue * p.intervalUs);
          freeAtUs = runsAtUs + cost * p.intervalUs;
        }
      }),
      { numRuns: 200 },
    );
  });

  it('without a queue lets one through an interval', () => {
    const p = policy(10, 1000, 0);
    expect(play(leakyBucket, p, [0, 0, 100_000]).map(({ allowed }) => allowed)).toEqual([true, false, true]);
    expect(leakyBucket.step(undefined, p, 2, T0_US, 0)).toMatchObject({ allowed: false, waitUs: -1 });
  });

  it('refuses a queue of a queue, and leases: each request has a turn of its own', () => {
    const rule = { algorithm: 'leaky_bucket', limit: 10, windowMs: 1000, queue: 5 } as const;
    expect(refusedFields(leakyBucket, rule, { throttle: { mode: 'queue', maxDelayMs: 100 } })).toEqual([
      'throttle.mode',
    ]);
    expect(refusedFields(leakyBucket, rule, { consistency: { mode: 'leased', leaseMs: 200 } })).toEqual([
      'consistency.mode',
    ]);
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 1000 }),
      windowMs: fc.integer({ min: 1000, max: 3_600_000 }),
      queue: fc.integer({ min: 0, max: 20 }),
    })
    .map((n) => policy(n.limit, n.windowMs, n.queue));

  itKeepsTheLaws(leakyBucket, policies);
  itCarriesOver(leakyBucket, fc.tuple(policies, policies), (to) => to.capacity, false);
});
