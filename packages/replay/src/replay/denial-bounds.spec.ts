import type { LimitPolicy } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, policyBy } from '../../../limiter/test/policies.js';
import { denialBounds, quotaBounds, type UsageBucket, type UsageDay } from './denial-bounds.js';

const RUNS = Number(process.env.BOUNDS_RUNS ?? 400);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 9, 1);

interface Request {
  atUs: number;
  cost: number;
  /** Denied by something else, before the limit was met. */
  isDeniedElsewhere: boolean;
}

/** Bursts of requests over two days, some of them close together. */
const requestsOf = (costs: fc.Arbitrary<number>, isAlone: boolean): fc.Arbitrary<Request[]> =>
  fc
    .array(
      fc.record({
        afterMs: fc.oneof(fc.nat(2000), fc.nat(3 * MINUTE_MS), fc.nat(4 * HOUR_MS)),
        requests: fc.integer({ min: 1, max: 12 }),
        apartUs: fc.constantFrom(1, 1000, 900_000, 7_000_000),
        isElsewhere: isAlone ? fc.constant(false) : fc.constantFrom(false, false, false, true),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .chain((bursts) =>
      fc.array(costs, { minLength: 12 * bursts.length, maxLength: 12 * bursts.length }).map((units) => {
        let atUs = (START_MS + DAY_MS) * 1000;
        return bursts.flatMap(({ afterMs, requests, apartUs, isElsewhere }, burst) => {
          atUs += afterMs * 1000;
          const startUs = atUs;
          atUs += requests * apartUs;
          return Array.from({ length: requests }, (_, n) => ({
            atUs: startUs + (n + 1) * apartUs,
            cost: units[burst * 12 + n] as number,
            isDeniedElsewhere: isElsewhere && n % 3 === 0,
          }));
        });
      }),
    );

const windowMs = fc.constantFrom(1000, 7000, MINUTE_MS, 90_000, 5 * MINUTE_MS, HOUR_MS, DAY_MS);
const amount = fc.integer({ min: 1, max: 40 });

/** A limit, and the same one with other numbers. */
const pairs: fc.Arbitrary<[LimitPolicy, LimitPolicy]> = fc
  .record({
    windowMs,
    before: amount,
    more: fc.integer({ min: 0, max: 30 }),
    burst: fc.nat(12),
    own: fc.nat(5),
  })
  .chain(({ windowMs, before, more, burst, own }) => {
    const after = before + more;
    const pairOf = (ruleOf: (limit: number, burst: number) => object): [LimitPolicy, LimitPolicy] => [
      policyBy(ruleOf(before, burst) as never),
      policyBy(ruleOf(after, burst + own) as never),
    ];
    return fc.constantFrom(
      pairOf((limit) => ({ algorithm: 'fixed_window', limit, windowMs, alignment: 'clock' })),
      pairOf((limit) => ({ algorithm: 'fixed_window', limit, windowMs, alignment: 'first_request' })),
      pairOf((limit) => ({ algorithm: 'sliding_window_log', limit, windowMs })),
      pairOf((limit) => ({ algorithm: 'sliding_window_counter', limit, windowMs: HOUR_MS, buckets: 6 })),
      pairOf((limit) => ({ algorithm: 'sliding_window_counter', limit, windowMs, buckets: 1 })),
      pairOf((limit, burst) => ({ algorithm: 'gcra', limit, windowMs, burst })),
      pairOf((limit, burst) => ({ algorithm: 'leaky_bucket', limit, windowMs, queue: burst })),
      pairOf((limit, burst) => ({
        ...{ algorithm: 'token_bucket', limit, windowMs },
        ...{ capacity: burst + 1, refill: 'continuous' },
      })),
      pairOf((limit, burst) => ({
        ...{ algorithm: 'token_bucket', limit, windowMs },
        ...{ capacity: burst + 1, refill: 'interval' },
      })),
    );
  });

/** Requests that the model denies. */
function deniedBy(limit: LimitPolicy, requests: readonly Request[]): Set<Request> {
  const { policy } = compiled(limit);
  const model = algorithmOf(policy.kind);
  let state: unknown;
  return new Set(
    requests.filter(({ atUs, cost }) => {
      const step = model.step(state, policy, cost, atUs, 0);
      if (step.allowed) state = step.state;
      return !step.allowed;
    }),
  );
}

/** Usage of the requests as stored: minutes since a time, and hours with the busiest minute of two days before. */
function stored(
  requests: readonly Request[],
  denied: ReadonlySet<Request>,
  minutesFromMs: number,
): UsageBucket[] {
  const lengthOf = (atMs: number) => (atMs < minutesFromMs ? HOUR_MS : MINUTE_MS);
  const startOf = (atMs: number) => Math.floor(atMs / lengthOf(atMs)) * lengthOf(atMs);
  const minutes = Map.groupBy(requests, ({ atUs }) => Math.floor(atUs / 1000 / MINUTE_MS) * MINUTE_MS);
  const busiest = (fromMs: number, toMs: number) =>
    Math.max(
      0,
      ...[...minutes].map(([atMs, some]) =>
        atMs >= fromMs && atMs < toMs ? some.reduce((sum, { cost }) => sum + cost, 0) : 0,
      ),
    );
  return [...Map.groupBy(requests, ({ atUs }) => startOf(atUs / 1000))].map(([startMs, some]) => ({
    ...{ startMs, ms: lengthOf(startMs), requests: some.length, wasLower: true },
    units: some.reduce((sum, { cost }) => sum + cost, 0),
    denied: some.filter((request) => denied.has(request)).length,
    deniedElsewhere: some.filter(({ isDeniedElsewhere }) => isDeniedElsewhere).length,
    busiestMinute: startMs < minutesFromMs ? busiest(startMs - DAY_MS, startMs + HOUR_MS) : undefined,
  }));
}

describe('bounds of denials', () => {
  const options = { numRuns: RUNS };
  const from = fc.nat(20).map((hours) => START_MS + DAY_MS + hours * HOUR_MS);

  it('contain the denials of the models, for requests with the same cost', () => {
    const requests = fc.integer({ min: 1, max: 3 }).chain((cost) => requestsOf(fc.constant(cost), true));
    fc.assert(
      fc.property(pairs, requests, from, ([before, after], list, minutesFromMs) => {
        const buckets = stored(list, deniedBy(before, list), minutesFromMs);
        const { policy } = compiled(after);
        const cost = list[0]?.cost ?? 1;
        const { low, high, requests, denied } = denialBounds(after, policy, buckets, { fromMs: 0, cost });
        const actual = deniedBy(after, list).size;
        expect(requests).toBe(list.length);
        expect(denied).toBe(deniedBy(before, list).size);
        expect(low).toBeLessThanOrEqual(actual);
        expect(high).toBeGreaterThanOrEqual(actual);
        expect(high).toBeLessThanOrEqual(denied);
      }),
      options,
    );
  });

  it('contain the denials of the models, for requests with different costs', () => {
    fc.assert(
      fc.property(
        pairs,
        requestsOf(fc.integer({ min: 0, max: 4 }), true),
        from,
        ([, after], list, minutesFromMs) => {
          const buckets = stored(list, new Set(), minutesFromMs);
          const bounds = denialBounds(after, compiled(after).policy, buckets, { fromMs: 0, cost: null });
          const actual = deniedBy(after, list).size;
          expect(bounds.low).toBeLessThanOrEqual(actual);
          expect(bounds.high).toBeGreaterThanOrEqual(actual);
        },
      ),
      options,
    );
  });

  it('contain the denials of the models, with any part of the requests denied elsewhere', () => {
    fc.assert(
      fc.property(
        pairs,
        requestsOf(fc.constant(1), false),
        from,
        fc.infiniteStream(fc.boolean()),
        (pair, list, minutesFromMs, meets) => {
          const [before, after] = pair;
          const own = list.filter(({ isDeniedElsewhere }) => !isDeniedElsewhere);
          const buckets = stored(list, deniedBy(before, own), minutesFromMs);
          const bounds = denialBounds(after, compiled(after).policy, buckets, { fromMs: 0, cost: 1 });
          const met = list.filter(({ isDeniedElsewhere }) => !isDeniedElsewhere || meets.next().value);
          const actual = deniedBy(after, met).size;
          expect(bounds.low).toBeLessThanOrEqual(actual);
          expect(bounds.high).toBeGreaterThanOrEqual(actual);
        },
      ),
      options,
    );
  });

  it('count from a time, after which nothing before is forgotten', () => {
    fc.assert(
      fc.property(
        pairs,
        requestsOf(fc.constant(1), true),
        from,
        fc.nat(30),
        (pair, list, minutesFromMs, hours) => {
          const [before, after] = pair;
          const { policy } = compiled(after);
          const windowMs = 'windowMs' in after ? after.windowMs : HOUR_MS;
          const unitMs = Math.max(HOUR_MS, windowMs);
          const fromMs = Math.floor((START_MS + DAY_MS + hours * HOUR_MS) / unitMs) * unitMs;
          const buckets = stored(list, deniedBy(before, list), minutesFromMs);
          const { low, high } = denialBounds(after, policy, buckets, { fromMs, cost: 1 });
          const actual = [...deniedBy(after, list)].filter(({ atUs }) => atUs >= fromMs * 1000).length;
          expect(low).toBeLessThanOrEqual(actual);
          expect(high).toBeGreaterThanOrEqual(actual);
        },
      ),
      options,
    );
  });

  it('are exact for windows of the clock that coincide with minutes or hours', () => {
    const exact = fc
      .record({ windowMs: fc.constantFrom(MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, DAY_MS), limit: amount })
      .map((rate) => fixedWindowPolicy(rate));
    fc.assert(
      fc.property(exact, requestsOf(fc.constant(2), true), (limit, list) => {
        const minutesFromMs = limit.windowMs < HOUR_MS ? 0 : Number.POSITIVE_INFINITY;
        const buckets = stored(list, deniedBy(limit, list), minutesFromMs);
        const { low, high } = denialBounds(limit, compiled(limit).policy, buckets, { fromMs: 0, cost: 2 });
        const actual = deniedBy(limit, list).size;
        expect({ low, high }).toEqual({ low: actual, high: actual });
      }),
      options,
    );
  });

  it('are exact for quotas, with units that are used once', () => {
    const day = fc.record({ requests: fc.nat(9), denied: fc.nat(3) });
    fc.assert(
      fc.property(
        fc.array(day, { maxLength: 20 }),
        fc.nat(60),
        fc.nat(40),
        fc.nat(20),
        (list, capacity, once, first) => {
          const days = list.map(
            ({ requests, denied }, n): UsageDay => ({
              ...{ startMs: n * DAY_MS, periodMs: n < 11 ? -1 : 11 * DAY_MS, deniedElsewhere: 0 },
              ...{ requests: requests + denied, units: 2 * (requests + denied), denied },
            }),
          );
          const all = { fromMs: 0, cost: 2 };
          const requestsOfPeriod = (isSecond: boolean) =>
            days
              .filter(({ periodMs }) => periodMs >= 0 === isSecond)
              .reduce((sum, one) => sum + one.requests, 0);
          const beyond = [false, true].map((isSecond) =>
            Math.max(0, requestsOfPeriod(isSecond) - Math.floor(capacity / 2)),
          );
          const without = (beyond[0] as number) + (beyond[1] as number);
          const bounds = quotaBounds(capacity, days, all);
          expect(bounds).toMatchObject({ low: without, high: without });
          const withOnce = quotaBounds(capacity, days, all, once);
          expect(withOnce.high).toBe(Math.max(0, without - Math.floor(once / 2)));
          const later = quotaBounds(capacity, days, { fromMs: first * DAY_MS, cost: 2 });
          expect(later.high).toBeLessThanOrEqual(without);
        },
      ),
      options,
    );
  });

  it('show the effect of a higher limit in an hour with one busy minute', () => {
    const hour = {
      startMs: START_MS,
      ms: HOUR_MS,
      requests: 900,
      units: 900,
      denied: 60,
      deniedElsewhere: 0,
    };
    const limit = (amount: number) => fixedWindowPolicy({ limit: amount });
    const boundsOf = (amount: number, busiestMinute?: number) =>
      denialBounds(
        limit(amount),
        compiled(limit(amount)).policy,
        [{ ...hour, busiestMinute, wasLower: true }],
        {
          ...{ fromMs: 0, cost: 1 },
        },
      );
    expect(boundsOf(150)).toEqual({ requests: 900, denied: 60, low: 0, high: 60 });
    expect(boundsOf(150, 150)).toMatchObject({ low: 0, high: 0 });
    expect(boundsOf(890)).toMatchObject({ low: 0, high: 10 });
    expect(boundsOf(10)).toMatchObject({ low: 300 });
  });
});
