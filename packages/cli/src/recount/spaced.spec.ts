import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcraLimit, limitOf } from '../../test/limits.js';
import { arrivalsWithin, play, T0 } from '../../test/play.js';
import { countOverInTime, intervalBucketRecount, spacedRecount } from './spaced.js';
import { NOTHING_FOUND } from './windows.js';

const MINUTE = 60_000;
// The worked example: 100 tokens are added per minute, up to 500.
const policy = limitOf('token_bucket', { limit: 100, capacity: 500, refill: 'interval' });

function taken(atMs: number, cost: number, resetMs = Math.floor((T0 + atMs) / MINUTE + 1) * MINUTE) {
  const common = { limit: policy.name, client: 'a', revision: 1, limitMax: 100, windowMs: MINUTE, policy };
  return { ...common, cost, sentMs: T0 + atMs, receivedMs: T0 + atMs + 4, resetMs };
}

const judgeInterval = (...charges: ReturnType<typeof taken>[]) => intervalBucketRecount.judge(charges, 5);

describe('recount of a bucket that is refilled at intervals', () => {
  it('allows the whole bucket, then one refill after each boundary', () => {
    expect(judgeInterval(taken(30_000, 500), taken(61_000, 100), taken(121_000, 100))).toEqual(NOTHING_FOUND);
  });

  it('finds admissions before their refill', () => {
    expect(judgeInterval(taken(10_000, 500), taken(50_000, 1))).toMatchObject({
      overAdmitted: 1,
      contradictions: 0,
      finding: '1 admitted beyond 500 at once and 100 at the end of each 60000 ms',
    });
    expect(judgeInterval(taken(30_000, 500), taken(61_000, 100), taken(62_000, 1)).overAdmitted).toBe(1);
  });

  it('counts requests across a boundary in favor of the server', () => {
    expect(judgeInterval(taken(30_000, 500), taken(59_998, 100))).toEqual(NOTHING_FOUND);
    expect(judgeInterval(taken(30_000, 500), taken(59_980, 100)).overAdmitted).toBe(100);
  });

  it.each([
    ['between two boundaries', T0 + MINUTE + 1],
    ['before anything was taken', T0],
    ['later than an empty bucket takes to fill', T0 + 6 * MINUTE],
  ])('does not believe that the bucket is full %s', (_title, resetMs) => {
    expect(judgeInterval(taken(30_000, 1, resetMs)).contradictions).toBe(1);
  });
});

type SpacedCharge = Parameters<typeof spacedRecount.judge>[0][number];

const judge = (charges: readonly SpacedCharge[]) => spacedRecount.judge(charges, 5);

const policies = fc.oneof(
  fc
    .record({
      limit: fc.integer({ min: 1, max: 100 }),
      windowMs: fc.integer({ min: 200, max: 5000 }),
      burst: fc.nat(10),
    })
    .map(gcraLimit),
  // Finer than a millisecond, the resolution of `reset`.
  fc.constant(gcraLimit({ limit: 8000, windowMs: 1000, burst: 3 })),
);
const arrivals = arrivalsWithin(2000);

describe('recount of continuously refilled limits', () => {
  it('finds no violation in admissions of the model, even with slow requests', () => {
    fc.assert(
      fc.property(policies, arrivals, (policy, requests) => {
        expect(judge(play('gcra', policy, requests))).toEqual(NOTHING_FOUND);
      }),
      { numRuns: 500 },
    );
  });

  it('finds a single additional admission by its arrival time', () => {
    const spaced = fc
      .record({ limit: fc.integer({ min: 1, max: 100 }), burst: fc.nat(10) })
      .map(({ limit, burst }) => gcraLimit({ limit, burst, windowMs: 5000 }));
    fc.assert(
      fc.property(spaced, arrivals, fc.nat(), (policy, requests, pick) => {
        const charges = play('gcra', policy, requests);
        const copied = charges[pick % Math.max(1, charges.length)];
        if (copied === undefined) return;
        const verdict = judge([...charges, { ...copied, cost: 1 }]);
        expect(verdict.overAdmitted).toBeGreaterThan(0);
        expect(verdict.finding).toContain('admitted beyond');
      }),
    );
  });

  it.each([
    ['a burst of 5', gcraLimit({ burst: 5 }), 6],
    ['a bucket of 3', limitOf('token_bucket', { capacity: 3 }), 3],
    ['a queue of 2', limitOf('leaky_bucket', { queue: 2 }), 3],
    // 10 % of 60 is 6.
    ['a soft band', gcraLimit({ burst: 0, throttle: { mode: 'soft', percent: 10 } }), 7],
  ] as const)('limits %s to its burst', (_title, policy, atOnce) => {
    const common = {
      limit: policy.name,
      client: 'a',
      revision: 1,
      limitMax: 60,
      windowMs: 60_000,
      cost: 1,
      policy,
    };
    const charges = Array.from({ length: atOnce }, (_, i) => {
      return { ...common, sentMs: T0, receivedMs: T0 + 3, resetMs: T0 + (i + 1) * 1000 };
    });
    expect(judge(charges)).toEqual(NOTHING_FOUND);
    const verdict = judge([...charges, { ...common, sentMs: T0, receivedMs: T0 + 3, resetMs: T0 + 1000 }]);
    expect(verdict).toMatchObject({ overAdmitted: 1 });
  });

  it('accepts by time the burst, then one request per interval', () => {
    // 60 a minute, 5 more at once: six at 0 s, then one at each second.
    const spacing = { intervalUs: 1_000_000, capacity: 6 };
    const at = (ms: number) => ({ sentMs: T0 + ms, receivedMs: T0 + ms + 3, cost: 1 });
    const burst = Array.from({ length: 6 }, () => at(0));
    expect(countOverInTime([...burst, at(1000), at(2000)], spacing)).toBe(0);
    expect(countOverInTime([...burst, at(500)], spacing)).toBe(1);
    expect(countOverInTime([...burst, at(997)], spacing)).toBe(0);
    expect(countOverInTime([...burst, at(996)], spacing)).toBe(1);
    expect(countOverInTime([...burst, ...burst], spacing)).toBe(6);
  });

  it('finds over-admission by time exactly when some interval exceeds its bound', () => {
    const spans = fc.array(fc.record({ sentMs: fc.nat(60), tookMs: fc.nat(20) }), {
      maxLength: 25,
      size: 'max',
    });
    const spacings = fc.record({
      intervalUs: fc.integer({ min: 500, max: 20_000 }),
      capacity: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(spans, spacings, (list, { intervalUs, capacity }) => {
        const charges = list.map(({ sentMs, tookMs }) => ({ sentMs, receivedMs: sentMs + tookMs, cost: 1 }));
        const exceeds = charges.some(({ sentMs: from }) =>
          charges.some(({ receivedMs: until }) => {
            const inside = charges.filter(({ sentMs, receivedMs }) => sentMs >= from && receivedMs <= until);
            const bound = capacity + Math.floor(((until - from) * 1000) / intervalUs);
            return until >= from && inside.length > bound;
          }),
        );
        expect(countOverInTime(charges, { intervalUs, capacity }) > 0).toBe(exceeds);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['before anything could be used', T0],
    ['further ahead than the limit reaches', T0 + 60_000],
  ])('does not believe an arrival time that lies %s', (_name, resetMs) => {
    const [charge] = play('gcra', gcraLimit(), [
      { sentMs: 0, decidedAfterUs: 0, answeredAfterUs: 0, cost: 1 },
    ]);
    if (charge === undefined) throw new Error('nothing was admitted');
    expect(judge([{ ...charge, resetMs }]).contradictions).toBe(1);
  });
});
