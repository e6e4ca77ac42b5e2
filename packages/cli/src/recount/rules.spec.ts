import type { LimitPolicy, PolicyOf } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitOf } from '../../test/limits.js';
import { arrivalsWithin, play } from '../../test/play.js';
import { NOTHING_FOUND } from './recount-rule.js';
import { ruleFor } from './rules.js';

type Kind = Parameters<typeof play>[0];

const limit = fc.integer({ min: 1, max: 30 });
const windowMs = fc.constantFrom(300, 600, 900, 1200);
// A band of less than one request is none: such a policy is refused.
const throttle = fc.constantFrom<LimitPolicy['throttle'][]>(undefined, { mode: 'soft', percent: 100 });
const shared = { limit, windowMs, throttle };

const POLICIES: [Kind, fc.Arbitrary<LimitPolicy>][] = [
  [
    'fixed_window',
    fc
      .record({
        ...shared,
        alignment: fc.constantFrom<PolicyOf<'fixed_window'>['alignment'][]>('clock', 'first_request'),
      })
      .map((over) => limitOf('fixed_window', over)),
  ],
  ['sliding_window_log', fc.record(shared).map((over) => limitOf('sliding_window_log', over))],
  [
    'sliding_window_counter',
    fc
      .record({ ...shared, buckets: fc.constantFrom(2, 3, 60) })
      .map((over) => limitOf('sliding_window_counter', over)),
  ],
  [
    'sliding_window_estimate',
    fc.record(shared).map((over) => limitOf('sliding_window_counter', { ...over, buckets: 1 })),
  ],
  [
    'token_bucket',
    fc
      .record({ ...shared, capacity: fc.integer({ min: 1, max: 40 }) })
      .map((over) => limitOf('token_bucket', over)),
  ],
  [
    'token_bucket_interval',
    fc
      .record({ ...shared, more: fc.nat(20) })
      .map(({ more, ...over }) =>
        limitOf('token_bucket', { ...over, capacity: over.limit + more, refill: 'interval' }),
      ),
  ],
  ['leaky_bucket', fc.record({ ...shared, queue: fc.nat(10) }).map((over) => limitOf('leaky_bucket', over))],
  ['gcra', fc.record({ ...shared, burst: fc.nat(10) }).map((over) => limitOf('gcra', over))],
  [
    'quota',
    fc
      .record({
        limit,
        throttle,
        period: fc.constantFrom<PolicyOf<'quota'>['period'][]>('day', 'week', 'month', 'billing'),
      })
      .map((over) => limitOf('quota', over)),
  ],
];

/** The most that any of the policies above lets through within the replay. */
const BEYOND_ANY_LIMIT = 3000;

describe.each(POLICIES)('recount of %s', (kind, policies) => {
  const judge = (charges: ReturnType<typeof play>) => {
    const [first] = charges;
    const rule = first && ruleFor(first.policy).rule;
    return rule?.judge(charges, 5) ?? NOTHING_FOUND;
  };

  it('finds nothing in what the model admits, however long requests were under way', () => {
    fc.assert(
      fc.property(policies, arrivalsWithin(3000), (policy, requests) => {
        expect(judge(play(kind, policy, requests))).toEqual(NOTHING_FOUND);
      }),
      { numRuns: 300 },
    );
  });

  it('finds what a counter that was forgotten lets through again', () => {
    fc.assert(
      fc.property(policies, arrivalsWithin(3000), fc.nat(), (policy, requests, pick) => {
        const charges = play(kind, policy, requests);
        const copied = charges[pick % Math.max(1, charges.length)];
        if (copied === undefined) return;
        const verdict = judge([...charges, { ...copied, cost: BEYOND_ANY_LIMIT }]);
        expect(verdict.overAdmitted).toBeGreaterThan(0);
        expect(verdict.finding).toContain('admitted');
      }),
    );
  });
});
