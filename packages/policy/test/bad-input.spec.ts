import { limitPolicySchema } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';
import { checkLimitPolicy } from '../src/check-limit.js';
import { mutated } from './json-mutations.js';

const common = {
  name: 'create-minute',
  api: 'url-shortener',
  operations: [],
  per: [],
  onUnavailable: 'share',
};
const fixed = { ...common, algorithm: 'fixed_window', limit: 3, windowMs: 60_000, alignment: 'clock' };
const log = { ...common, algorithm: 'sliding_window_log', limit: 3, windowMs: 60_000 };
const counter = { ...common, algorithm: 'sliding_window_counter', limit: 3, windowMs: 60_000, buckets: 60 };
const estimate = { ...counter, buckets: 1 };
const gcra = { ...common, algorithm: 'gcra', limit: 3, windowMs: 60_000, burst: 0 };
const bucket = {
  ...common,
  algorithm: 'token_bucket',
  limit: 3,
  windowMs: 60_000,
  capacity: 5,
  refill: 'continuous',
};
const interval = { ...bucket, refill: 'interval' };
const leaky = { ...common, algorithm: 'leaky_bucket', limit: 3, windowMs: 60_000, queue: 5 };
const slots = { ...common, algorithm: 'concurrency', limit: 3, leaseMs: 60_000 };
const quota = { ...common, algorithm: 'quota', limit: 3, period: 'month' };

const queue = { mode: 'queue', maxDelayMs: 1000 };
const leased = { mode: 'leased', leaseMs: 1000 };
const soft = (percent: number) => ({ mode: 'soft', percent });
const MOST = Number.MAX_SAFE_INTEGER;

type Row = [why: string, policy: object, field: string, reason: RegExp];

const UNSAYABLE: Row[] = [
  ['a limit of 0.5', { ...fixed, limit: 1.5 }, 'limit', /whole number/],
  ['a limit of 2^53', { ...fixed, limit: 2 ** 53 }, 'limit', /whole number/],
  ['a limit of 1e309', { ...fixed, limit: JSON.parse('1e309') }, 'limit', /whole number|expected/i],
  ['a limit that is not a number', { ...fixed, limit: Number.NaN }, 'limit', /whole number|expected/i],
  ['a limit in a string', { ...fixed, limit: '3' }, 'limit', /whole number|expected/i],
  ['a negative window', { ...fixed, windowMs: -1 }, 'windowMs', /1 or more/],
  ['a window of a year and a day', { ...fixed, windowMs: 367 * 86_400_000 }, 'windowMs', /366 days/],
  [
    'a band above the integer range',
    { ...fixed, limit: MOST, throttle: soft(10) },
    'throttle.percent',
    /2\^53/,
  ],
  ['the same for a quota', { ...quota, limit: MOST - 1, throttle: soft(1000) }, 'throttle.percent', /2\^53/],
  [
    'the same for an elastic limit',
    { ...fixed, limit: MOST, throttle: { mode: 'elastic', maxPercent: 1, pool: 'p' } },
    'throttle.maxPercent',
    /2\^53/,
  ],
  ['three million a second, evenly', { ...gcra, limit: 3_000_000, windowMs: 1000 }, 'limit', /microsecond/],
  ['a burst of years', { ...gcra, limit: 1, windowMs: 86_400_000, burst: 400 }, 'burst', /366 days/],
  ['a bucket of years', { ...bucket, limit: 1, windowMs: 86_400_000, capacity: 400 }, 'capacity', /366 days/],
  [
    'the same in intervals',
    { ...interval, limit: 1, windowMs: 86_400_000, capacity: 400 },
    'capacity',
    /366 days/,
  ],
  ['a queue of years', { ...leaky, limit: 1, windowMs: 86_400_000, queue: 400 }, 'queue', /366 days/],
  ['a log above its maximum', { ...log, limit: 10_001 }, 'limit', /10000 admissions/],
  [
    'a log with a band above its maximum',
    { ...log, limit: 10_000, throttle: soft(600) },
    'throttle.percent',
    /65535/,
  ],
  [
    'a log with a queue above its maximum',
    { ...log, limit: 10_000, windowMs: 10, throttle: queue },
    'throttle.maxDelayMs',
    /65535/,
  ],
  ['sub-windows with a sum above the integer range', { ...counter, limit: 2 ** 52 + 1 }, 'limit', /2\^52/],
  ['a weight that is not exact', { ...estimate, limit: 2 ** 40 }, 'limit', /2\^53/],
  ['more permits than a state holds', { ...slots, limit: 10_001 }, 'limit', /at most 10000 permits/],
  ['a band of more permits than that', { ...slots, limit: 10_000, throttle: soft(1) }, 'limit', /10000/],
  ['121 sub-windows', { ...counter, buckets: 121 }, 'buckets', /120/],
];

const CONTRADICTING: Row[] = [
  [
    'a window too short for its resolution',
    { ...counter, windowMs: 50 },
    'buckets',
    /too short for its resolution/,
  ],
  [
    'a window that is not a multiple of its sub-windows',
    { ...counter, windowMs: 61_000 },
    'buckets',
    /divisor/,
  ],
  ['a repeated dimension', { ...fixed, per: ['user', 'user'] }, 'per', /twice/],
  ['global after another dimension', { ...fixed, per: ['user', 'global'] }, 'per', /global comes first/],
  ['the tenant as a dimension', { ...fixed, per: ['tenant'] }, 'per.0', /always included/],
  ['five dimensions', { ...fixed, per: ['a', 'b', 'c', 'd', 'e'] }, 'per', /at most 4/],
  ['a queue on a fixed window', { ...fixed, throttle: queue }, 'throttle.mode', /cannot be queued/],
  ['a queue on sub-windows', { ...counter, throttle: queue }, 'throttle.mode', /cannot be queued/],
  ['a queue on an estimate', { ...estimate, throttle: queue }, 'throttle.mode', /cannot be queued/],
  ['a queue on intervals', { ...interval, throttle: queue }, 'throttle.mode', /all at once/],
  ['a queue on permits', { ...slots, throttle: queue }, 'throttle.mode', /cannot be delayed/],
  ['a queue on a quota', { ...quota, throttle: queue }, 'throttle.mode', /cannot be queued/],
  ['a queue on a queue', { ...leaky, throttle: queue }, 'throttle.mode', /already a queue/],
  ['a leased log', { ...log, consistency: leased }, 'consistency.mode', /lease/],
  ['leased sub-windows', { ...counter, consistency: leased }, 'consistency.mode', /lease/],
  ['a leased estimate', { ...estimate, consistency: leased }, 'consistency.mode', /lease/],
  ['leased intervals', { ...interval, consistency: leased }, 'consistency.mode', /leased/],
  ['a leased queue', { ...leaky, consistency: leased }, 'consistency.mode', /leased/],
  ['leased slots', { ...slots, consistency: leased }, 'consistency.mode', /in advance/],
  [
    'leases with a charge by outcome',
    { ...fixed, consistency: leased, charge: 'on_failure' },
    'consistency.mode',
    /reported/,
  ],
  ['a permit charged by outcome', { ...slots, charge: 'on_success' }, 'charge', /permit/],
  ['fields of another algorithm', { ...fixed, burst: 3 }, '', /burst/],
];

const NEVER_FIRING: Row[] = [
  ['a limit below zero', { ...fixed, limit: -1 }, 'limit', /0 blocks the operations/],
  [
    'a soft band below one request',
    { ...fixed, throttle: soft(10) },
    'throttle.percent',
    /the band would never admit any/,
  ],
  [
    'an elastic band below one request',
    { ...fixed, throttle: { mode: 'elastic', maxPercent: 10, pool: 'p' } },
    'throttle.maxPercent',
    /the band would never admit any/,
  ],
  [
    'a lease of the whole burst',
    { ...gcra, limit: 1000, windowMs: 1000, burst: 5, consistency: leased },
    'consistency.leaseMs',
    /shorten the lease/,
  ],
  [
    'an invalid candidate',
    { ...fixed, candidate: { algorithm: 'sliding_window_counter', limit: 3, windowMs: 50, buckets: 60 } },
    'candidate.buckets',
    /resolution/,
  ],
];

describe('compile rejects a policy with field and reason', () => {
  it.each(UNSAYABLE)('not representable as integers: %s', expectRefused);
  it.each(CONTRADICTING)('contradictory: %s', expectRefused);
  it.each(NEVER_FIRING)('never effective: %s', expectRefused);

  function expectRefused(_why: string, policy: object, field: string, reason: RegExp): void {
    const result = checkLimitPolicy(policy);
    expect(result.ok ? [] : result.errors).toContainEqual({ field, message: expect.stringMatching(reason) });
  }

  it.each([null, undefined, 1, 'x', [], [fixed], new Map(), () => fixed])('not a policy: %s', (input) => {
    const result = checkLimitPolicy(input);
    expect(result.ok).toBe(false);
    expect(result.ok ? [] : result.errors[0]?.message).not.toHaveLength(0);
  });

  it('a changed valid policy compiles or is rejected by field, without throwing', () => {
    const valid = fc.oneof(...KINDS.map(policiesOf));
    const changed = valid.chain((policy) => mutated(policy));
    fc.assert(
      fc.property(changed, (input) => {
        const result = checkLimitPolicy(input);
        if (!result.ok) {
          expect(result.errors.length).toBeGreaterThan(0);
          for (const { field, message } of result.errors) {
            expect(typeof field).toBe('string');
            expect(message.length).toBeGreaterThan(5);
          }
          return;
        }
        expect(limitPolicySchema.parse(result.policy)).toEqual(result.policy);
        expect(result.summary.length).toBeGreaterThan(10);
      }),
      { numRuns: 3000 },
    );
  });
});
