import {
  ADJUSTMENT_SOURCES,
  type Adjustment,
  type AdjustmentEffect,
  limitPolicySchema,
  resolveLimit,
} from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';

const effects: fc.Arbitrary<AdjustmentEffect> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    units: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  }),
  fc.record({
    kind: fc.constant('multiply' as const),
    percent: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(1_000_000)),
  }),
  fc.record(
    {
      kind: fc.constant('set' as const),
      limit: fc.oneof(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      ),
      burst: fc.nat(1000),
      capacity: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      queue: fc.nat(1000),
    },
    { requiredKeys: ['kind', 'limit'] },
  ),
);

const adjustments = fc
  .array(fc.record({ source: fc.constantFrom(...ADJUSTMENT_SOURCES), effect: effects }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((all) =>
    all.map(
      ({ source, effect }, i): Adjustment => ({
        id: `adj-${i}`,
        source,
        api: 'url-shortener',
        limit: 'create-minute',
        effect,
      }),
    ),
  );

/** Bands and leases that do not fit a lowered limit. */
const terms = fc.record(
  {
    throttle: fc.oneof(
      fc.record({ mode: fc.constant('soft' as const), percent: fc.constantFrom(1, 10, 1000) }),
      fc.record({
        mode: fc.constant('elastic' as const),
        maxPercent: fc.constantFrom(1, 50, 10_000),
        pool: fc.constant('writes'),
      }),
    ),
    consistency: fc.record({ mode: fc.constant('leased' as const), leaseMs: fc.constantFrom(100, 5000) }),
  },
  { requiredKeys: [] },
);

describe('adjusted limits', () => {
  it.each(KINDS)('%s: any adjustment results in a limit that nodes can use', (kind) => {
    const bases = fc.tuple(policiesOf(kind), terms).map(([policy, more]) => {
      const base = { ...policy, ...more };
      return compileLimit(base).ok ? base : policy;
    });
    fc.assert(
      fc.property(bases, adjustments, (base, all) => {
        fc.pre(compileLimit(base).ok);
        const { policy } = resolveLimit(base, all);
        expect(limitPolicySchema.safeParse(policy).error?.issues).toBeUndefined();
        const compiled = compileLimit(policy);
        expect(compiled.ok ? [] : compiled.errors, JSON.stringify(policy)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
