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
  T0_MS,
  T0_US,
  visits,
} from '../../test/algorithm-laws.js';
import { type CompiledTokenBucketInterval, tokenBucketInterval } from './token-bucket-interval.js';

type Terms = Parameters<typeof compiledBy>[2];

const policy = (
  limit: number,
  windowMs: number,
  capacity: number,
  terms: Terms = {},
): CompiledTokenBucketInterval =>
  compiledBy(
    tokenBucketInterval,
    { algorithm: 'token_bucket', limit, windowMs, capacity, refill: 'interval' },
    terms,
  );

describe('token bucket, refilled at the end of each interval', () => {
  it('100 tokens a minute up to 500: 500 at once, 100 more after a minute, never more than 500', () => {
    const p = policy(100, MINUTE_MS, 500);
    const empty = burst(tokenBucketInterval, p, 501, 30 * SECOND_US);
    expect(empty.passed).toBe(500);
    expect(tokenBucketInterval.step(empty.state, p, 1, T0_US + 59 * SECOND_US, 0)).toMatchObject({
      allowed: false,
      remaining: 0,
      waitUs: SECOND_US,
      // All 500 are refilled five minutes after 10:00.
      resetAfterUs: 241 * SECOND_US,
    });
    expect(burst(tokenBucketInterval, p, 101, 60 * SECOND_US, empty.state).passed).toBe(100);
    expect(burst(tokenBucketInterval, p, 301, 180 * SECOND_US, empty.state).passed).toBe(300);
    expect(burst(tokenBucketInterval, p, 501, 3600 * SECOND_US, empty.state).passed).toBe(500);
  });

  it('a cost of two intervals waits for the second', () => {
    const p = policy(100, MINUTE_MS, 500);
    const { state } = burst(tokenBucketInterval, p, 500, 30 * SECOND_US);
    expect(tokenBucketInterval.step(state, p, 101, T0_US + 30 * SECOND_US, 0).waitUs).toBe(90 * SECOND_US);
    expect(tokenBucketInterval.step(state, p, 501, T0_US + 30 * SECOND_US, 0).waitUs).toBe(-1);
  });

  it('soft 10 % of 100 a minute allows ten more and marks them', () => {
    const p = policy(100, MINUTE_MS, 100, { throttle: { mode: 'soft', percent: 10 } });
    const steps = play(tokenBucketInterval, p, Array<number>(111).fill(0));
    expect(steps.filter(({ allowed }) => allowed)).toHaveLength(110);
    expect(steps.filter(({ over }) => over)).toHaveLength(10);
  });

  it('refills nothing after the clock steps back until it passes the boundary again', () => {
    const p = policy(2, 1000, 2);
    const empty = { count: 2, startMs: T0_MS };
    // At 9:59:59.9, the boundary at 10:00:00 is not counted twice; the next one is at 10:00:01.
    expect(tokenBucketInterval.step(empty, p, 1, T0_US - 100_000, 0)).toMatchObject({
      allowed: false,
      waitUs: 1_100_000,
    });
    expect(tokenBucketInterval.step(empty, p, 1, T0_US, 0)).toMatchObject({
      allowed: false,
      waitUs: 1_000_000,
    });
  });

  it('ignores a boundary that is an hour ahead, written under a wrong clock', () => {
    const ahead = { count: 2, startMs: T0_MS + 3_600_000 };
    expect(tokenBucketInterval.step(ahead, policy(2, 1000, 2), 1, T0_US, 0)).toMatchObject({
      allowed: true,
      remaining: 1,
    });
  });

  it('carries over writes of a node without the new policy', () => {
    const p = policy(2, 1000, 5);
    const late = { count: 3, startMs: T0_MS + 10_000 };
    expect(tokenBucketInterval.rebase(late, p, policy(2, 1000, 9), 'keep', T0_US)).toEqual(late);
  });

  it("marks a request as a burst if it spends more than one interval's tokens", () => {
    const p = policy(100, MINUTE_MS, 500);
    const reset = (requestsBefore: number) => {
      const { state } = burst(tokenBucketInterval, p, requestsBefore, 0);
      return tokenBucketInterval.step(state, p, 1, T0_US, 0).resetAfterUs;
    };
    expect(tokenBucketInterval.isBurst(p, 1, reset(99))).toBe(false);
    expect(tokenBucketInterval.isBurst(p, 1, reset(100))).toBe(true);
  });

  it('keeps charges above any limit up to the capacity of the bucket', () => {
    const p = policy(100, MINUTE_MS, 500);
    const forced = tokenBucketInterval.step(undefined, { ...p, extra: 2 ** 50 }, 1_000_000, T0_US, 0);
    expect(forced.state).toEqual({ count: 500, startMs: T0_MS });
  });

  it('rejects a queue, a lease, and a bucket that takes more than 366 days to refill', () => {
    const rule = {
      algorithm: 'token_bucket',
      limit: 1,
      windowMs: 86_400_000,
      capacity: 366,
      refill: 'interval',
    } as const;
    expect(refusedFields(tokenBucketInterval, rule)).toEqual([]);
    expect(refusedFields(tokenBucketInterval, { ...rule, capacity: 367 })).toEqual(['capacity']);
    expect(
      refusedFields(tokenBucketInterval, rule, { throttle: { mode: 'queue', maxDelayMs: 100 } }),
    ).toEqual(['throttle.mode']);
    expect(
      refusedFields(tokenBucketInterval, rule, { consistency: { mode: 'leased', leaseMs: 200 } }),
    ).toEqual(['consistency.mode']);
  });

  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.oneof(fc.constantFrom(1, 7, 1000), fc.integer({ min: 1, max: 3 * MINUTE_MS })),
    capacity: fc.integer({ min: 1, max: 40 }),
    throttle: fc.constantFrom<Terms>({}, { throttle: { mode: 'soft', percent: 100 } }),
  });
  const policies = numbers.map((n) => policy(n.limit, n.windowMs, n.capacity, n.throttle));

  it('never admits more than the capacity and the refills of whole intervals', () => {
    fc.assert(
      fc.property(policies, requests, (p, asked) => {
        let units = 0;
        for (const { step, cost, nowUs } of visits(tokenBucketInterval, p, asked)) {
          if (step.allowed) units += cost;
          const boundaries = Math.floor(nowUs / 1000 / p.windowMs) - Math.floor(T0_MS / p.windowMs);
          expect(units).toBeLessThanOrEqual(p.capacity + p.extra + boundaries * p.refill);
        }
      }),
      { numRuns: 300 },
    );
  });

  itKeepsTheLaws(tokenBucketInterval, policies);
  itCarriesOver(tokenBucketInterval, fc.tuple(policies, policies), (to) => to.mostMissing, true);
});
