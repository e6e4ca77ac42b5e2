import type { LimitPolicy, PolicyOf } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from './limit-diff.js';
import { diffLimits } from './limit-diff.js';
import { ruleOf, withRule } from './limit-fields.js';

const fixed: PolicyOf<'fixed_window'> = {
  name: 'create',
  api: 'url-shortener',
  operations: ['createURL'],
  per: ['user'],
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: 60_000,
  alignment: 'clock',
  onUnavailable: 'share',
};
const gcra = withRule(fixed, { algorithm: 'gcra', limit: 100, windowMs: 60_000, burst: 10 });
const log = withRule(fixed, { algorithm: 'sliding_window_log', limit: 100, windowMs: 60_000 });
const bucket = withRule(fixed, {
  ...{ algorithm: 'token_bucket', limit: 100, windowMs: 60_000 },
  ...{ capacity: 500, refill: 'continuous' },
});
const permits = withRule(fixed, { algorithm: 'concurrency', limit: 5, leaseMs: 30_000 });
const quota = withRule(fixed, { algorithm: 'quota', limit: 1000, period: 'day' });
const elastic = (maxPercent: number, pool = 'main'): Partial<LimitPolicy> => ({
  throttle: { mode: 'elastic', maxPercent, pool },
});
const soft = (percent: number): Partial<LimitPolicy> => ({ throttle: { mode: 'soft', percent } });
const queue: Partial<LimitPolicy> = { throttle: { mode: 'queue', maxDelayMs: 250 } };

describe('the effect of a change', () => {
  it.each<[string, LimitPolicy, object, Effect]>([
    ['a higher limit is an increase', fixed, { limit: 101 }, 'increased'],
    ['a lower limit is a decrease', fixed, { limit: 99 }, 'decreased'],
    [
      'a longer window for the same limit is slower in the long run',
      fixed,
      { windowMs: 120_000 },
      'decreased',
    ],
    // 6000/h is 100/min in the long run, but lets 6000 arrive at once.
    [
      'the same rate over a longer window lets more in at once',
      fixed,
      { limit: 6_000, windowMs: 3_600_000 },
      'increased',
    ],
    // 200/h is slower than 100/min, but lets 200 arrive at once.
    ['slower in the long run yet more at once is mixed', fixed, { limit: 200, windowMs: 3_600_000 }, 'mixed'],
    ['a higher burst is an increase', gcra, { burst: 11 }, 'increased'],
    ['a plain GCRA rate change leaves the burst alone', gcra, { limit: 50 }, 'decreased'],
    ['another algorithm is mixed', fixed, ruleOf(gcra), 'mixed'],
    ['an exact window instead of a fixed one is mixed', fixed, ruleOf(log), 'mixed'],
    ['a bucket instead of a window is mixed', fixed, ruleOf(bucket), 'mixed'],
    ['a smaller bucket is a decrease', bucket, { capacity: 400 }, 'decreased'],
    ['another refill of a bucket is mixed', bucket, { refill: 'interval' }, 'mixed'],
    ['what runs at the same time is another measure', fixed, ruleOf(permits), 'mixed'],
    ['more at the same time is an increase', permits, { limit: 6 }, 'increased'],
    ['a longer permit timeout is a decrease', permits, { leaseMs: 60_000 }, 'decreased'],
    ['a quota for a longer period is a decrease', quota, { period: 'week' }, 'decreased'],
    ['another alignment is mixed', fixed, { alignment: 'first_request' }, 'mixed'],
    [
      'covering one operation more is a decrease',
      fixed,
      { operations: ['createURL', 'deleteURL'] },
      'decreased',
    ],
    ['covering every operation is a decrease', fixed, { operations: [] }, 'decreased'],
    ['covering another operation is mixed', fixed, { operations: ['deleteURL'] }, 'mixed'],
    ['counting by one dimension more is an increase', fixed, { per: ['user', 'ip'] }, 'increased'],
    ['counting by the tenant alone is a decrease', fixed, { per: [] }, 'decreased'],
    ['counting all tenants together is a decrease', fixed, { per: ['global', 'user'] }, 'decreased'],
    ['rejecting requests without a value is a decrease', fixed, { onMissing: 'refuse' }, 'decreased'],
    ['skipping requests without a value is an increase', fixed, { onMissing: 'skip' }, 'increased'],
    ['refusing during an outage is a decrease', fixed, { onUnavailable: 'deny' }, 'decreased'],
    ['allowing during an outage is an increase', fixed, { onUnavailable: 'allow' }, 'increased'],
    ['waiting longer for Redis is neutral', fixed, { deadlineMs: 250 }, 'neutral'],
    ['hiding a limit from response headers is neutral', fixed, { inHeaders: false }, 'neutral'],
    ['a soft band is an increase', fixed, soft(10), 'increased'],
    ['a wider soft band is an increase', { ...fixed, ...soft(10) } as LimitPolicy, soft(20), 'increased'],
    [
      'borrowing instead of a soft band is mixed',
      { ...fixed, ...soft(10) } as LimitPolicy,
      elastic(50),
      'mixed',
    ],
    ['another pool is mixed', { ...fixed, ...elastic(50) } as LimitPolicy, elastic(50, 'other'), 'mixed'],
    ['waiting instead of a refusal is an increase', fixed, queue, 'increased'],
    ['shadow is an increase', fixed, { enforcement: { mode: 'shadow' } }, 'increased'],
    [
      'enforcing a shadow limit for some tenants is a decrease',
      { ...fixed, enforcement: { mode: 'shadow' } },
      { enforcement: { mode: 'percent', percent: 20 } },
      'decreased',
    ],
    ['counting failures only is an increase', fixed, { charge: 'on_failure' }, 'increased'],
    ['leasing is a decrease', fixed, { consistency: { mode: 'leased', leaseMs: 1000 } }, 'decreased'],
    ['packing is neutral', fixed, { storage: 'packed', expectedSubjects: 500 }, 'neutral'],
    [
      'a shorter prefix of addresses is a decrease',
      { ...quota, per: ['ip'] },
      { ipv6Prefix: 48 },
      'decreased',
    ],
    [
      'amounts of labels are a decrease',
      fixed,
      { amounts: { by: 'region', labels: [{ label: 'eu', limit: 1 }] } },
      'decreased',
    ],
    ['rolling unused units over is an increase', quota, { rolloverPercent: 50 }, 'increased'],
    ['trying a rule beside it is neutral', fixed, { candidate: ruleOf(gcra) }, 'neutral'],
  ])('%s', (_title, before, change, effect) => {
    const after = { ...before, ...change } as LimitPolicy;
    expect(diffLimits([before], [after])).toMatchObject([{ kind: 'changed', effect }]);
  });

  it('treats explicit defaults as equal to omitted terms', () => {
    const spelledOut: LimitPolicy = {
      ...fixed,
      throttle: { mode: 'hard' },
      enforcement: { mode: 'enforce' },
      charge: 'always',
      consistency: { mode: 'strict' },
    };
    expect(diffLimits([fixed], [spelledOut])).toEqual([]);
  });

  it('treats an added limit as decreased and a removed one as increased', () => {
    expect(diffLimits([], [fixed])).toMatchObject([{ kind: 'added', effect: 'decreased' }]);
    expect(diffLimits([fixed], [])).toMatchObject([{ kind: 'removed', effect: 'increased' }]);
  });

  it('treats a rename as one removal and one addition', () => {
    const kinds = diffLimits([fixed], [{ ...fixed, name: 'other' }]).map((change) => change.kind);
    expect(kinds).toEqual(['added', 'removed']);
  });
});

describe('symmetry', () => {
  const count = fc.integer({ min: 1, max: 1000 });
  const windowMs = fc.integer({ min: 1, max: 100_000 });
  const ruleArbitrary = fc.oneof(
    fc.record({
      ...{ algorithm: fc.constant('fixed_window' as const), limit: count, windowMs },
      alignment: fc.constantFrom('clock' as const, 'first_request' as const),
    }),
    fc.record({ algorithm: fc.constant('sliding_window_log' as const), limit: count, windowMs }),
    fc.record({
      algorithm: fc.constant('sliding_window_counter' as const),
      limit: count,
      windowMs,
      buckets: count,
    }),
    fc.record({
      ...{ algorithm: fc.constant('token_bucket' as const), limit: count, windowMs, capacity: count },
      refill: fc.constantFrom('continuous' as const, 'interval' as const),
    }),
    fc.record({ algorithm: fc.constant('leaky_bucket' as const), limit: count, windowMs, queue: count }),
    fc.record({ algorithm: fc.constant('gcra' as const), limit: count, windowMs, burst: count }),
    fc.record({ algorithm: fc.constant('concurrency' as const), limit: count, leaseMs: count }),
    fc.record({
      ...{ algorithm: fc.constant('quota' as const), limit: count },
      period: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'billing' as const),
    }),
  );
  const terms = fc.record(
    {
      throttle: fc.constantFrom<LimitPolicy['throttle'][]>(
        { mode: 'hard' },
        { mode: 'soft', percent: 10 },
        { mode: 'elastic', maxPercent: 10, pool: 'main' },
        { mode: 'elastic', maxPercent: 50, pool: 'other' },
        { mode: 'queue', maxDelayMs: 250 },
      ),
      enforcement: fc.constantFrom<LimitPolicy['enforcement'][]>(
        { mode: 'enforce' },
        { mode: 'shadow' },
        { mode: 'percent', percent: 20 },
      ),
      charge: fc.constantFrom<LimitPolicy['charge'][]>('always', 'on_failure', 'on_success'),
      consistency: fc.constantFrom<LimitPolicy['consistency'][]>(
        { mode: 'strict' },
        { mode: 'leased', leaseMs: 500 },
      ),
      candidate: ruleArbitrary,
    },
    { requiredKeys: [] },
  );
  const shared = fc.record({
    name: fc.constant('create'),
    api: fc.constant('url-shortener'),
    operations: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    per: fc.uniqueArray(fc.constantFrom('user', 'ip')),
    onUnavailable: fc.constantFrom<LimitPolicy['onUnavailable'][]>('share', 'deny', 'allow'),
  });
  const limit = fc
    .tuple(shared, terms, ruleArbitrary)
    .map(([common, some, rule]): LimitPolicy => ({ ...common, ...some, ...rule }));
  const opposite = {
    increased: 'decreased',
    decreased: 'increased',
    mixed: 'mixed',
    neutral: 'neutral',
  } as const;

  it('finds no change between equal limits, and the opposite effect in reverse', () => {
    fc.assert(
      fc.property(limit, limit, (a, b) => {
        expect(diffLimits([a], [structuredClone(a)])).toEqual([]);
        const [there] = diffLimits([a], [b]);
        const [back] = diffLimits([b], [a]);
        expect(back?.effect).toBe(there && opposite[there.effect]);
      }),
    );
  });

  it('finds a change for every difference', () => {
    const normal = (policy: LimitPolicy) => ({
      throttle: { mode: 'hard' },
      enforcement: { mode: 'enforce' },
      charge: 'always',
      consistency: { mode: 'strict' },
      ...policy,
    });
    fc.assert(
      fc.property(limit, terms, ruleArbitrary, (a, some, rule) => {
        for (const b of [{ ...a, ...some }, withRule(a, rule)]) {
          const equal = JSON.stringify(sorted(normal(a))) === JSON.stringify(sorted(normal(b)));
          expect(diffLimits([a], [b]).length).toBe(equal ? 0 : 1);
        }
      }),
    );
  });

  function sorted(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(([, of]) => of !== undefined);
    return entries.sort(([a], [b]) => a.localeCompare(b)).map(([name, of]) => [name, sorted(of)]);
  }
});
