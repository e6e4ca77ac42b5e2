import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  burst,
  compiledBy,
  itCarriesOver,
  itKeepsTheLaws,
  MINUTE_MS,
  play,
  refusedFields,
  requests,
  SECOND_US,
  T0_US,
  visits,
} from '../../test/algorithm-laws.js';
import { tokenBucket } from './token-bucket.js';
import type { CompiledVirtualTime } from './virtual-time.js';

type Terms = Parameters<typeof compiledBy>[2];

const policy = (limit: number, windowMs: number, capacity: number, terms: Terms = {}): CompiledVirtualTime =>
  compiledBy(
    tokenBucket,
    { algorithm: 'token_bucket', limit, windowMs, capacity, refill: 'continuous' },
    terms,
  );

describe('token bucket, refilled continuously', () => {
  it('100 tokens a minute up to 500: 500 at once, then one every 600 ms, and never more than 500', () => {
    const p = policy(100, MINUTE_MS, 500);
    const empty = burst(tokenBucket, p, 501, 0);
    expect(empty.passed).toBe(500);
    expect(tokenBucket.step(empty.state, p, 1, T0_US, 0)).toMatchObject({ remaining: 0, waitUs: 600_000 });
    expect(burst(tokenBucket, p, 101, 60 * SECOND_US, empty.state).passed).toBe(100);
    expect(burst(tokenBucket, p, 501, 300 * SECOND_US, empty.state).passed).toBe(500);
    expect(burst(tokenBucket, p, 501, 3600 * SECOND_US, empty.state).passed).toBe(500);
  });

  it('tells a request that runs ahead of the even rate', () => {
    const p = policy(100, MINUTE_MS, 500);
    const [first, second] = play(tokenBucket, p, [0, 0]);
    expect(tokenBucket.isBurst(p, 1, first?.resetAfterUs ?? 0)).toBe(false);
    expect(tokenBucket.isBurst(p, 1, second?.resetAfterUs ?? 0)).toBe(true);
  });

  it('leased keeps out of the bucket what comes back within a lease', () => {
    // 100 a second: 20 within 200 ms.
    const leased = policy(100, 1000, 50, { consistency: { mode: 'leased', leaseMs: 200 } });
    expect(leased.capacity).toBe(30);
    const rule = {
      algorithm: 'token_bucket',
      limit: 100,
      windowMs: 1000,
      capacity: 20,
      refill: 'continuous',
    } as const;
    expect(refusedFields(tokenBucket, rule, { consistency: { mode: 'leased', leaseMs: 200 } })).toEqual([
      'consistency.leaseMs',
    ]);
  });

  it('refuses a bucket that would take more than 366 days to fill', () => {
    const rule = {
      algorithm: 'token_bucket',
      limit: 1,
      windowMs: 86_400_000,
      capacity: 367,
      refill: 'continuous',
    } as const;
    expect(refusedFields(tokenBucket, rule)).toEqual(['capacity']);
    expect(refusedFields(tokenBucket, { ...rule, capacity: 366 })).toEqual([]);
  });

  it('1 of 19 used stays 1 of 19 under another long window, to the microsecond', () => {
    const from = policy(20, 1_097_350, 19);
    const to = policy(2, 620_390, 19);
    const { state } = tokenBucket.step(undefined, from, 1, T0_US, 0);
    const carried = tokenBucket.rebase(state ?? 0, from, to, 'proportional', T0_US);
    expect(carried).toBe(T0_US + to.intervalUs);
  });

  const policies = fc
    .record({
      limit: fc.integer({ min: 1, max: 1000 }),
      windowMs: fc.integer({ min: 1000, max: 3_600_000 }),
      capacity: fc.integer({ min: 1, max: 30 }),
      throttle: fc.constantFrom<Terms>({}, { throttle: { mode: 'soft', percent: 100 } }),
    })
    .map((n) => policy(n.limit, n.windowMs, n.capacity, n.throttle));

  it('never admits more than the capacity and what came back since', () => {
    fc.assert(
      fc.property(policies, requests, (p, asked) => {
        let units = 0;
        for (const { step, cost, nowUs } of visits(tokenBucket, p, asked)) {
          if (step.allowed) units += cost;
          expect(units).toBeLessThanOrEqual(
            p.capacity + p.extra + Math.floor((nowUs - T0_US) / p.intervalUs),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  itKeepsTheLaws(tokenBucket, policies);
  itCarriesOver(tokenBucket, fc.tuple(policies, policies), (to) => to.capacity + to.extra, false);
});
