import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitSpec } from '../../lib/limit-spec.js';
import { diffLimits, type Effect } from './limit-diff.js';

const fixed: LimitSpec = {
  name: 'create',
  apiKey: 'url-shortener',
  operations: ['createURL'],
  per: ['user'],
  algorithm: 'FIXED_WINDOW',
  limit: 100,
  windowMs: 60_000,
  burst: null,
  alignment: 'CLOCK',
  onUnavailable: 'SHARE',
};
const gcra: LimitSpec = { ...fixed, algorithm: 'GCRA', burst: 10, alignment: null };

describe('the effect of a change', () => {
  it.each<[string, LimitSpec, Partial<LimitSpec>, Effect]>([
    ['a higher limit loosens', fixed, { limit: 101 }, 'loosened'],
    ['a lower limit tightens', fixed, { limit: 99 }, 'tightened'],
    [
      'a longer window for the same limit is slower in the long run',
      fixed,
      { windowMs: 120_000 },
      'tightened',
    ],
    // 6000/h is 100/min in the long run, but lets 6000 arrive at once.
    [
      'the same rate over a longer window lets more in at once',
      fixed,
      { limit: 6_000, windowMs: 3_600_000 },
      'loosened',
    ],
    // 200/h is slower than 100/min, but lets 200 arrive at once.
    ['slower in the long run yet more at once is mixed', fixed, { limit: 200, windowMs: 3_600_000 }, 'mixed'],
    ['a higher burst loosens', gcra, { burst: 11 }, 'loosened'],
    ['a plain GCRA rate change leaves the burst alone', gcra, { limit: 50 }, 'tightened'],
    [
      'even spacing lets fewer in at once',
      fixed,
      { algorithm: 'GCRA', burst: 10, alignment: null },
      'tightened',
    ],
    ['another alignment is neutral', fixed, { alignment: 'FIRST_REQUEST' }, 'neutral'],
    ['covering one operation more tightens', fixed, { operations: ['createURL', 'deleteURL'] }, 'tightened'],
    ['covering every operation tightens', fixed, { operations: [] }, 'tightened'],
    ['covering another operation is mixed', fixed, { operations: ['deleteURL'] }, 'mixed'],
    ['counting by one dimension more loosens', fixed, { per: ['user', 'ip'] }, 'loosened'],
    ['counting by the tenant alone tightens', fixed, { per: [] }, 'tightened'],
    ['refusing during an outage tightens', fixed, { onUnavailable: 'DENY' }, 'tightened'],
    ['allowing during an outage loosens', fixed, { onUnavailable: 'ALLOW' }, 'loosened'],
  ])('%s', (_title, before, change, effect) => {
    expect(diffLimits([before], [{ ...before, ...change }])).toMatchObject([{ kind: 'changed', effect }]);
  });

  it('an added limit tightens, a removed one loosens', () => {
    expect(diffLimits([], [fixed])).toMatchObject([{ kind: 'added', effect: 'tightened' }]);
    expect(diffLimits([fixed], [])).toMatchObject([{ kind: 'removed', effect: 'loosened' }]);
  });

  it('a renamed limit is one removed and one added', () => {
    const kinds = diffLimits([fixed], [{ ...fixed, name: 'other' }]).map((change) => change.kind);
    expect(kinds).toEqual(['added', 'removed']);
  });
});

describe('symmetry', () => {
  const limit = fc.record({
    name: fc.constant('create'),
    apiKey: fc.constant('url-shortener'),
    operations: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    per: fc.uniqueArray(fc.constantFrom('user', 'ip')),
    algorithm: fc.constantFrom<'GCRA' | 'FIXED_WINDOW'>('GCRA', 'FIXED_WINDOW'),
    limit: fc.integer({ min: 1, max: 1_000 }),
    windowMs: fc.integer({ min: 1, max: 100_000 }),
    burst: fc.integer({ min: 0, max: 50 }),
    alignment: fc.constantFrom<'CLOCK' | 'FIRST_REQUEST'>('CLOCK', 'FIRST_REQUEST'),
    onUnavailable: fc.constantFrom<'SHARE' | 'DENY' | 'ALLOW'>('SHARE', 'DENY', 'ALLOW'),
  });
  const opposite = {
    loosened: 'tightened',
    tightened: 'loosened',
    mixed: 'mixed',
    neutral: 'neutral',
  } as const;

  it('equal limits differ in nothing, and the way back has the opposite effect', () => {
    fc.assert(
      fc.property(limit, limit, (a, b) => {
        expect(diffLimits([a], [{ ...a }])).toEqual([]);
        const [there] = diffLimits([a], [b]);
        const [back] = diffLimits([b], [a]);
        expect(back?.effect).toBe(there && opposite[there.effect]);
      }),
    );
  });
});
