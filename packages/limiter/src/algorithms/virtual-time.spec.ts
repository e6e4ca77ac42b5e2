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
import { type CompiledVirtualTime, gcra, leakyBucket, tokenBucket } from './virtual-time.js';

type Terms = Parameters<typeof compiledBy>[2];

const policy = (limit: number, windowMs: number, more: number, terms: Terms = {}): CompiledVirtualTime =>
  compiledBy(gcra, { algorithm: 'gcra', limit, windowMs, burst: more }, terms);

const allowed = (p: CompiledVirtualTime, arrivalsUs: readonly number[]) =>
  play(gcra, p, arrivalsUs).map((step) => step.allowed);

describe('gcra', () => {
  it('GCRA at 100 a second: 10 ms spacing, TAT and allowed-at values as in the article', () => {
    const p = policy(100, 1000, 0);
    expect(p.intervalUs).toBe(10_000);
    // First request at .500: TAT = .510.
    const first = gcra.step(undefined, p, 1, T0_US + 500_000, 0);
    expect(first).toMatchObject({ allowed: true, state: T0_US + 510_000, remaining: 0, waitUs: 0 });
    // At .509999 it is 1 µs too early; at .510 allowed, TAT .520.
    expect(gcra.step(first.state, p, 1, T0_US + 509_999, 0)).toMatchObject({ allowed: false, waitUs: 1 });
    expect(gcra.step(first.state, p, 1, T0_US + 510_000, 0)).toMatchObject({
      allowed: true,
      state: T0_US + 520_000,
    });
  });

  it('GCRA at 100 a second with burst 5: five more at once, then one every 10 ms', () => {
    const p = policy(100, 1000, 5);
    const six = burst(gcra, p, 7, 500_000);
    // Six at .500: TAT = .560, allowed at TAT - 50 ms = .510.
    expect(six).toEqual({ passed: 6, state: T0_US + 560_000 });
    expect(gcra.step(six.state, p, 1, T0_US + 509_999, 0)).toMatchObject({ allowed: false, waitUs: 1 });
    expect(gcra.step(six.state, p, 1, T0_US + 510_000, 0)).toMatchObject({
      allowed: true,
      state: T0_US + 570_000,
    });
  });

  it('regains burst while idle', () => {
    // All six at 0, idle until 30 ms: three more at once.
    expect(allowed(policy(100, 1000, 5), [0, 0, 0, 0, 0, 0, 30_000, 30_000, 30_000, 30_000])).toEqual([
      ...Array<boolean>(9).fill(true),
      false,
    ]);
  });

  it('a cost above the burst is never allowed', () => {
    expect(gcra.step(undefined, policy(100, 1000, 5), 7, T0_US, 0)).toMatchObject({
      allowed: false,
      waitUs: -1,
    });
    expect(gcra.step(undefined, policy(100, 1000, 5), 6, T0_US, 0)).toMatchObject({
      allowed: true,
      remaining: 0,
    });
  });

  // letsencrypt/boulder#8785: after an override was raised, the old stored time still denied requests.
  it('the old stored time does not deny requests under a raised limit', () => {
    const from = policy(3, MINUTE_MS, 2);
    const to = policy(100, MINUTE_MS, 99);
    const { state } = burst(gcra, from, 3, 0);
    expect(gcra.step(state, from, 1, T0_US, 0)).toMatchObject({ allowed: false, waitUs: 20 * SECOND_US });
    const remaining = (rule: 'keep' | 'reset' | 'proportional' | 'additive') =>
      gcra.step(gcra.rebase(state ?? 0, from, to, rule, T0_US), to, 0, T0_US, 0).remaining;
    expect(remaining('keep')).toBe(97);
    expect(remaining('additive')).toBe(97);
    expect(remaining('reset')).toBe(100);
    expect(remaining('proportional')).toBe(0);
  });

  it('under a lowered limit, the wait follows the new limit', () => {
    const from = policy(100, MINUTE_MS, 99);
    const to = policy(3, MINUTE_MS, 2);
    const { state } = burst(gcra, from, 50, 0);
    const kept = gcra.rebase(state ?? 0, from, to, 'keep', T0_US);
    expect(gcra.step(kept, to, 1, T0_US, 0)).toMatchObject({
      allowed: false,
      remaining: 0,
      waitUs: 20 * SECOND_US,
    });
  });

  it('a queue allows requests above the limit up to the maximum wait, and returns the wait', () => {
    const p = policy(100, 1000, 0, { throttle: { mode: 'queue', maxDelayMs: 25 } });
    expect(play(gcra, p, [0, 0, 0, 0]).map(({ allowed: passes, waitUs }) => [passes, waitUs])).toEqual([
      [true, 0],
      [true, 10_000],
      [true, 20_000],
      [false, 5_000],
    ]);
  });

  it('rejects, by field, values that integers cannot represent', () => {
    expect(refusedFields(gcra, { algorithm: 'gcra', limit: 700_000, windowMs: 1000, burst: 0 })).toEqual([
      'limit',
    ]);
    expect(refusedFields(gcra, { algorithm: 'gcra', limit: 1, windowMs: 86_400_000, burst: 400 })).toEqual([
      'burst',
    ]);
  });

  it('ignores a time further ahead than a clock error of one burst', () => {
    const p = policy(100, 1000, 5);
    // Six take 60 ms: 120 ms ahead still counts, one microsecond more does not.
    expect(gcra.step(T0_US + 120_000, p, 1, T0_US, 0)).toMatchObject({ allowed: false, waitUs: 70_000 });
    expect(gcra.step(T0_US + 120_001, p, 1, T0_US, 0)).toMatchObject({ allowed: true, remaining: 5 });
  });

  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 1000 }),
    windowMs: fc.integer({ min: 1000, max: 86_400_000 }),
    burst: fc.integer({ min: 0, max: 20 }),
    throttle: fc.constantFrom<Terms>({}, { throttle: { mode: 'soft', percent: 100 } }),
  });
  const policies = numbers.map((n) => policy(n.limit, n.windowMs, n.burst, n.throttle));

  it('never admits more than burst + 1 + elapsed ÷ interval in any period', () => {
    fc.assert(
      fc.property(policies, requests, (p, asked) => {
        const admitted = visits(gcra, p, asked).filter(({ step }) => step.allowed);
        for (const [from, first] of admitted.entries()) {
          let units = 0;
          for (const { cost, nowUs } of admitted.slice(from)) {
            units += cost;
            const elapsedUs = nowUs - first.nowUs;
            expect(units).toBeLessThanOrEqual(p.capacity + p.extra + Math.floor(elapsedUs / p.intervalUs));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('admits at most one burst more after the clock steps back', () => {
    fc.assert(
      fc.property(policies, requests, fc.nat(2_000_000_000), (p, asked, backUs) => {
        const last = visits(gcra, p, asked).at(-1);
        if (last === undefined) return;
        let state = last.step.state;
        let units = 0;
        for (let i = 0; i < p.capacity + p.extra + 5; i++) {
          const step = gcra.step(state, p, 1, last.nowUs - backUs, 0);
          state = step.state;
          if (step.allowed) units++;
        }
        expect(units).toBeLessThanOrEqual(p.capacity + p.extra);
      }),
      { numRuns: 50 },
    );
  });

  itKeepsTheLaws(gcra, policies);
  itCarriesOver(gcra, fc.tuple(policies, policies), (to) => to.capacity + to.extra, false);
});

const bucketPolicy = (
  limit: number,
  windowMs: number,
  capacity: number,
  terms: Terms = {},
): CompiledVirtualTime =>
  compiledBy(
    tokenBucket,
    { algorithm: 'token_bucket', limit, windowMs, capacity, refill: 'continuous' },
    terms,
  );

describe('token bucket, refilled continuously', () => {
  it('100 tokens a minute up to 500: 500 at once, then one every 600 ms, never more than 500', () => {
    const p = bucketPolicy(100, MINUTE_MS, 500);
    const empty = burst(tokenBucket, p, 501, 0);
    expect(empty.passed).toBe(500);
    expect(tokenBucket.step(empty.state, p, 1, T0_US, 0)).toMatchObject({ remaining: 0, waitUs: 600_000 });
    expect(burst(tokenBucket, p, 101, 60 * SECOND_US, empty.state).passed).toBe(100);
    expect(burst(tokenBucket, p, 501, 300 * SECOND_US, empty.state).passed).toBe(500);
    expect(burst(tokenBucket, p, 501, 3600 * SECOND_US, empty.state).passed).toBe(500);
  });

  it('marks a request that runs ahead of the even rate', () => {
    const p = bucketPolicy(100, MINUTE_MS, 500);
    const [first, second] = play(tokenBucket, p, [0, 0]);
    expect(tokenBucket.isBurst(p, 1, first?.resetAfterUs ?? 0)).toBe(false);
    expect(tokenBucket.isBurst(p, 1, second?.resetAfterUs ?? 0)).toBe(true);
  });

  it('a leased bucket reserves the refills of one lease', () => {
    // 100 a second: 20 within 200 ms.
    const leased = bucketPolicy(100, 1000, 50, { consistency: { mode: 'leased', leaseMs: 200 } });
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

  it('rejects a bucket that takes more than 366 days to refill', () => {
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

  it('1 of 19 stays 1 of 19 under another long window, to the microsecond', () => {
    const from = bucketPolicy(20, 1_097_350, 19);
    const to = bucketPolicy(2, 620_390, 19);
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
    .map((n) => bucketPolicy(n.limit, n.windowMs, n.capacity, n.throttle));

  it('never admits more than the capacity and the refills since', () => {
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

const queuePolicy = (limit: number, windowMs: number, queue: number): CompiledVirtualTime =>
  compiledBy(leakyBucket, { algorithm: 'leaky_bucket', limit, windowMs, queue });

describe('leaky bucket', () => {
  it('one a second with a queue of three: each gets its start time, the fifth is denied until there is room', () => {
    const p = queuePolicy(1, 1000, 3);
    const steps = play(leakyBucket, p, [0, 0, 0, 0, 0, SECOND_US - 1, SECOND_US]);
    expect(steps.map(({ allowed, waitUs }) => [allowed, waitUs])).toEqual([
      [true, 0],
      [true, SECOND_US],
      [true, 2 * SECOND_US],
      [true, 3 * SECOND_US],
      [false, SECOND_US],
      [false, 1],
      // The first has run: this one is behind three others.
      [true, 3 * SECOND_US],
    ]);
  });

  it('drains at a constant rate however requests arrive', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(9), requests, (limit, queue, asked) => {
        const p = queuePolicy(limit, 1000, queue);
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

  it('without a queue, allows one per interval', () => {
    const p = queuePolicy(10, 1000, 0);
    expect(play(leakyBucket, p, [0, 0, 100_000]).map(({ allowed }) => allowed)).toEqual([true, false, true]);
    expect(leakyBucket.step(undefined, p, 2, T0_US, 0)).toMatchObject({ allowed: false, waitUs: -1 });
  });

  it('rejects a queue on top of a queue, and leases', () => {
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
    .map((n) => queuePolicy(n.limit, n.windowMs, n.queue));

  itKeepsTheLaws(leakyBucket, policies);
  itCarriesOver(leakyBucket, fc.tuple(policies, policies), (to) => to.capacity, false);
});
