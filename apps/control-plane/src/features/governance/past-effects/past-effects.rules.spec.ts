import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import type { LimitStep } from '../../customers/index.js';
import type { CoveredUsage } from './past-effects.repository.js';
import { bucketsOf, costOf, gapOf, isAtMost } from './past-effects.rules.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const limit = (more: object = {}) =>
  ({
    ...{ name: 'a', api: 'shop', operations: [], per: [], onUnavailable: 'share' },
    ...{ algorithm: 'fixed_window', limit: 10, windowMs: 60_000, alignment: 'clock', ...more },
  }) as LimitPolicy;

const usage = (hour: number, more: Partial<CoveredUsage> = {}): CoveredUsage => ({
  ...{ at: new Date(hour * HOUR_MS), requests: 5, units: 5, denied: 0, deniedElsewhere: 0 },
  ...{ leastCost: 1, mostCost: 1, ...more },
});

describe('what usage shows of a limit', () => {
  it.each([
    [undefined, {}],
    [undefined, { algorithm: 'quota', period: 'month' }],
    ['PER_CALLER', { per: ['user'] }],
    ['NOT_BY_REQUESTS', { per: ['global'] }],
    ['NOT_BY_REQUESTS', { algorithm: 'concurrency' }],
    ['NOT_BY_REQUESTS', { charge: 'on_failure' }],
    ['NOT_BY_REQUESTS', { penalty: {} }],
    ['NOT_ENFORCED', { enforcement: { mode: 'shadow' } }],
  ])('lacks %s for %o', (gap, more) => {
    expect(gapOf(limit(more), 60_000)).toBe(gap);
  });

  it('lacks windows of more than a day', () => {
    expect(gapOf(limit(), DAY_MS + 1)).toBe('LONG_WINDOW');
  });

  it('has the cost of a request only if all operations have the same whole one', () => {
    expect(costOf([usage(1), usage(2)])).toBe(1);
    expect(costOf([usage(1), usage(2, { mostCost: 3 })])).toBeNull();
    expect(costOf([usage(1, { leastCost: 1.5, mostCost: 1.5 })])).toBeNull();
  });
});

describe('buckets', () => {
  const after = limit({ limit: 20 });
  const step = (hour: number, policy: LimitPolicy): LimitStep => ({
    ...{ at: new Date(hour * HOUR_MS), limit: policy.limit, lasting: policy.limit, policy },
  });
  const dayOf = (atMs: number) => Math.floor(atMs / DAY_MS) * DAY_MS;
  const bucketsWith = (more: object) =>
    bucketsOf([usage(25), usage(50)], HOUR_MS, {
      ...{ after, steps: [step(0, limit())], busiest: new Map([[DAY_MS, 7]]), dayOf },
      ...{ busyDays: new Set([DAY_MS, 2 * DAY_MS]), ...more },
    });

  it('have the busiest minute of their day and the day before, if it is known', () => {
    expect(bucketsWith({}).map(({ busiestMinute }) => busiestMinute)).toEqual([7, undefined]);
    const busiest = new Map([
      [DAY_MS, 7],
      [2 * DAY_MS, 3],
    ]);
    expect(bucketsWith({ busiest }).map(({ busiestMinute }) => busiestMinute)).toEqual([7, 7]);
  });

  it('were under a lower limit unless it was higher, of another kind, or changed meanwhile', () => {
    const lowerWith = (...steps: LimitStep[]) => bucketsWith({ steps }).map(({ wasLower }) => wasLower);
    expect(lowerWith(step(0, limit()))).toEqual([true, true]);
    expect(lowerWith(step(0, limit({ limit: 21 })), step(26, limit()))).toEqual([false, true]);
    expect(lowerWith(step(0, limit()), step(25.5, limit()))).toEqual([false, true]);
    expect(lowerWith(step(26, limit()))).toEqual([false, true]);
    expect(lowerWith(step(0, limit({ algorithm: 'gcra', burst: 1 })))).toEqual([false, false]);
  });

  it('compare all numbers of a limit', () => {
    const gcra = (amount: number, burst: number) => limit({ algorithm: 'gcra', limit: amount, burst });
    expect(isAtMost(gcra(10, 5), gcra(10, 5))).toBe(true);
    expect(isAtMost(gcra(10, 6), gcra(20, 5))).toBe(false);
    expect(isAtMost(limit(), limit({ limit: 20, windowMs: 1000 }))).toBe(false);
  });
});
