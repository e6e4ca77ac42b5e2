import { type LimitPolicy, limitPolicySchema, type Rule } from '@tollgate/contracts';
import fc from 'fast-check';
import type { RuleKind } from '../src/algorithms/algorithm.js';
import { algorithmOf, kindOf } from '../src/algorithms/index.js';
import { policyBy } from './policies.js';

/** Windows of every order of magnitude: sequences move the clock by them, to meet boundaries. */
export const WINDOWS_MS = [1, 7, 1000, 60_000, 3_600_000, 86_400_000];

/** Windows, sub-windows and intervals of the rules below: boundaries are a microsecond before and after each. */
export const STEPS_MS = [
  ...WINDOWS_MS,
  10,
  20,
  30,
  60,
  100,
  2000,
  3000,
  6000,
  10_000,
  20_000,
  30_000,
  30 * 86_400_000,
];

const windowMs = fc.constantFrom(...WINDOWS_MS);
const smallLimit = fc.integer({ min: 1, max: 12 });
const longWindowMs = fc.constantFrom(1000, 60_000, 3_600_000, 86_400_000);
const rate = { limit: fc.constantFrom(1, 3, 7, 100, 999), windowMs: longWindowMs };

/** Kinds with a stored state of their own, except those that count failures. */
export type StateKind = RuleKind | 'packed_window';

/** One row per kind: rules of every shape, small enough for sequences to meet their boundaries. */
const RULES: Record<StateKind, fc.Arbitrary<Rule>> = {
  fixed_window: fc.record({
    algorithm: fc.constant('fixed_window' as const),
    limit: fc.oneof(smallLimit, fc.integer({ min: 1, max: 2 ** 40 })),
    windowMs,
    alignment: fc.constantFrom('clock' as const, 'first_request' as const),
  }),
  packed_window: fc.record({
    algorithm: fc.constant('fixed_window' as const),
    // Counts up to 9,006 are added to by Lua, up to 9,223,371 by HINCRBY.
    limit: fc.oneof(smallLimit, fc.constantFrom(9007, 20_000, 2 ** 40)),
    windowMs: fc.constantFrom(...WINDOWS_MS.filter((ms) => ms % 1000 === 0)),
    alignment: fc.constant('clock' as const),
  }),
  sliding_window_log: fc.record({
    algorithm: fc.constant('sliding_window_log' as const),
    limit: fc.oneof(smallLimit, fc.constantFrom(100, 10_000)),
    windowMs: fc.oneof(windowMs, fc.constant(30 * 86_400_000)),
  }),
  sliding_window_counter: fc.record({
    algorithm: fc.constant('sliding_window_counter' as const),
    limit: fc.oneof(smallLimit, fc.constantFrom(500, 2 ** 33)),
    windowMs: fc.constantFrom(60, 6000, 60_000, 3_600_000),
    buckets: fc.constantFrom(2, 3, 6, 60),
  }),
  sliding_window_estimate: fc.record({
    algorithm: fc.constant('sliding_window_counter' as const),
    limit: fc.oneof(smallLimit, fc.constantFrom(100, 1_000_000)),
    windowMs,
    buckets: fc.constant(1),
  }),
  token_bucket: fc.record({
    algorithm: fc.constant('token_bucket' as const),
    ...rate,
    capacity: fc.integer({ min: 1, max: 12 }),
    refill: fc.constant('continuous' as const),
  }),
  token_bucket_interval: fc.record({
    algorithm: fc.constant('token_bucket' as const),
    limit: smallLimit,
    windowMs,
    capacity: fc.oneof(smallLimit, fc.constant(300)),
    refill: fc.constant('interval' as const),
  }),
  leaky_bucket: fc.record({
    algorithm: fc.constant('leaky_bucket' as const),
    ...rate,
    queue: fc.integer({ min: 0, max: 9 }),
  }),
  gcra: fc.record({
    algorithm: fc.constant('gcra' as const),
    ...rate,
    burst: fc.integer({ min: 0, max: 9 }),
  }),
  concurrency: fc.record({
    algorithm: fc.constant('concurrency' as const),
    limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(100)),
    leaseMs: fc.constantFrom(1000, 60_000, 3_600_000),
  }),
  quota: fc.record({
    algorithm: fc.constant('quota' as const),
    limit: smallLimit,
    period: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'billing' as const),
  }),
};

const throttle = fc.option(
  fc.oneof(
    fc.record({ mode: fc.constant('soft' as const), percent: fc.constantFrom(10, 100) }),
    fc.record({ mode: fc.constant('queue' as const), maxDelayMs: fc.constantFrom(1, 1000, 60_000) }),
  ),
  { nil: undefined, freq: 2 },
);

/** Policies of one kind; unsupported throttles are left out. */
export function policiesOf(kind: StateKind): fc.Arbitrary<LimitPolicy> {
  const over =
    kind === 'packed_window' ? { storage: 'packed' as const, expectedSubjects: 1, per: ['user'] } : {};
  return fc.tuple(RULES[kind], throttle).map(([rule, mode]) => {
    const plain = limitPolicySchema.parse(policyBy(rule, over));
    if (mode === undefined) return plain;
    const throttled = { ...plain, throttle: mode };
    const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: 0 };
    return algorithmOf(kindOf(throttled)).compile(throttled, context).ok ? throttled : plain;
  });
}

const only = process.env.PARITY_KINDS?.split(',');

/** All kinds, or those in `PARITY_KINDS`. */
export const STATE_KINDS = (Object.keys(RULES) as StateKind[]).filter((kind) => only?.includes(kind) ?? true);

/** Those that a rule names. */
export const KINDS = STATE_KINDS.filter((kind): kind is RuleKind => kind !== 'packed_window');
