import { describe, expect, it } from 'vitest';
import { type AlgorithmName, type LimitPolicy, limitPolicySchema, type PolicyOf } from './limit-policy.js';
import { summarizeLimit } from './limit-summary.js';

const common = {
  name: 'create',
  api: 'url-shortener',
  operations: [],
  per: [],
  onUnavailable: 'share' as const,
  limit: 100,
};
const minute = { ...common, windowMs: 60_000 };

const kinds: { [A in AlgorithmName]: PolicyOf<A> } = {
  fixed_window: { ...minute, algorithm: 'fixed_window', alignment: 'clock' },
  sliding_window_log: { ...minute, algorithm: 'sliding_window_log' },
  sliding_window_counter: { ...minute, algorithm: 'sliding_window_counter', buckets: 60 },
  token_bucket: { ...minute, algorithm: 'token_bucket', capacity: 500, refill: 'continuous' },
  leaky_bucket: { ...minute, algorithm: 'leaky_bucket', queue: 20 },
  gcra: { ...minute, algorithm: 'gcra', burst: 0 },
  concurrency: { ...common, algorithm: 'concurrency', limit: 5, leaseMs: 30_000 },
  quota: { ...common, algorithm: 'quota', limit: 10_000, period: 'month' },
};

/** A limit of one kind, changed. */
function limit<A extends AlgorithmName>(algorithm: A, over: Partial<PolicyOf<A>> = {}): LimitPolicy {
  return limitPolicySchema.parse({ ...kinds[algorithm], ...over });
}

const HOUR_MS = 3_600_000;

describe('describes each algorithm in a sentence', () => {
  it.each<[string, LimitPolicy]>([
    ['Up to 100 requests a minute per tenant; then 429 until the next one begins.', limit('fixed_window')],
    [
      'Up to 1 request an hour per tenant; then 429 until it ends; the first request starts it.',
      limit('fixed_window', { limit: 1, windowMs: HOUR_MS, alignment: 'first_request' }),
    ],
    [
      'Up to 10,000 requests every 30 days per tenant; then 429 until the next one begins.',
      limit('fixed_window', { limit: 10_000, windowMs: 30 * 24 * HOUR_MS }),
    ],
    [
      'Up to 5 requests every 250 ms per tenant; then 429 until the next one begins.',
      limit('fixed_window', { limit: 5, windowMs: 250 }),
    ],
    [
      'Up to 100 requests every 90 seconds per tenant; then 429 until the next one begins.',
      limit('fixed_window', { windowMs: 90_000 }),
    ],
    [
      'Up to 100 requests in any minute per tenant; then 429 until the oldest is a minute old.',
      limit('sliding_window_log'),
    ],
    [
      'Up to 3 requests in any 5 minutes per tenant; then 429 until the oldest is 5 minutes old.',
      limit('sliding_window_log', { limit: 3, windowMs: 300_000 }),
    ],
    [
      'Up to 100 requests in any minute per tenant, counted in 60 steps of a second; then 429 until enough of them are over.',
      limit('sliding_window_counter'),
    ],
    [
      'Up to 100 requests in any day per tenant, counted in 24 steps of an hour; then 429 until enough of them are over.',
      limit('sliding_window_counter', { windowMs: 24 * HOUR_MS, buckets: 24 }),
    ],
    [
      'Up to 100 requests in any hour per tenant, estimated from this window and the one before; then 429 until enough of them are over.',
      limit('sliding_window_counter', { windowMs: HOUR_MS, buckets: 1 }),
    ],
    [
      'Up to 500 at once per tenant, refilled evenly by 100 a minute; then 429 until enough are back.',
      limit('token_bucket'),
    ],
    [
      'Up to 500 at once per tenant, refilled by 100 at the end of every minute; then 429 until enough are back.',
      limit('token_bucket', { refill: 'interval' }),
    ],
    [
      'Up to 500 at once per tenant, refilled evenly by 100 every 5 minutes; then 429 until enough are back.',
      limit('token_bucket', { windowMs: 300_000 }),
    ],
    [
      'One request every 600 ms per tenant, 20 more waiting at most, each with its delay; then 429 until one has left.',
      limit('leaky_bucket'),
    ],
    [
      'One request every minute per tenant, none waiting; then 429 until the next one is due.',
      limit('leaky_bucket', { limit: 1, queue: 0 }),
    ],
    [
      '100 requests a minute per tenant, one every 600 ms; then 429 until the next one is due.',
      limit('gcra'),
    ],
    [
      '10 requests every 15 minutes per tenant, one every 1.5 minutes, up to 21 at once; then 429 until the next one is due.',
      limit('gcra', { limit: 10, windowMs: 900_000, burst: 20 }),
    ],
    [
      '60 requests a minute per tenant, one every second; then 429 until the next one is due.',
      limit('gcra', { limit: 60 }),
    ],
    [
      '1 request an hour per tenant; then 429 until the next one is due.',
      limit('gcra', { limit: 1, windowMs: HOUR_MS }),
    ],
    [
      'Up to 5 requests at the same time per tenant; then 429 until one ends. A permit that is neither released nor renewed is free again after 30 seconds.',
      limit('concurrency'),
    ],
    [
      'Up to 1 request at the same time per tenant; then 429 until one ends. A permit that is neither released nor renewed is free again after an hour.',
      limit('concurrency', { limit: 1, leaseMs: HOUR_MS }),
    ],
    [
      "Up to 10,000 requests a month per tenant, by the tenant's calendar; then 429 until the next one begins.",
      limit('quota'),
    ],
    [
      "Up to 10,000 requests a billing period per tenant, by the tenant's calendar; then 429 until the next one begins.",
      limit('quota', { period: 'billing' }),
    ],
  ])('says: %s', (sentence, policy) => {
    expect(summarizeLimit(policy)).toBe(sentence);
  });
});

describe('who is counted', () => {
  it.each<[string, string[]]>([
    ['per tenant and user', ['user']],
    ['per tenant, user and ip', ['user', 'ip']],
    ['for all tenants together', ['global']],
    ['per ip of all tenants together', ['global', 'ip']],
    ['per user and ip of all tenants together', ['global', 'user', 'ip']],
  ])('says: %s', (who, per) => {
    expect(summarizeLimit(limit('fixed_window', { per }))).toBe(
      `Up to 100 requests a minute ${who}; then 429 until the next one begins.`,
    );
  });
});

describe('adds a sentence for each term', () => {
  const plain = summarizeLimit(limit('fixed_window'));

  it.each<[string, Partial<PolicyOf<'fixed_window'>>]>([
    ['Up to 10 more pass above the limit, marked.', { throttle: { mode: 'soft', percent: 10 } }],
    ['Up to 1 more passes above the limit, marked.', { throttle: { mode: 'soft', percent: 1 } }],
    [
      'Up to 50 more pass while pool main has capacity to spare.',
      { throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' } },
    ],
    [
      'Requests are delayed by up to 250 ms; 429 only if the delay would be longer.',
      { throttle: { mode: 'queue', maxDelayMs: 250 } },
    ],
    [
      'Requests are delayed by up to a second; 429 only if the delay would be longer.',
      { throttle: { mode: 'queue', maxDelayMs: 1000 } },
    ],
    [
      'Only failures count: a request without a reported outcome is in flight for 30 seconds.',
      { charge: 'on_failure' },
    ],
    ['Only successes count: a reported failure is refunded.', { charge: 'on_success' }],
    ['Shadow mode: counted, never denied.', { enforcement: { mode: 'shadow' } }],
    [
      'Enforced for 20 % of counters, in shadow mode for the others.',
      { enforcement: { mode: 'percent', percent: 20 } },
    ],
    [
      'After 10 denials in a minute, all requests are denied for 5 minutes, doubled with each repetition up to an hour.',
      { penalty: { denials: 10, windowMs: 60_000, blockMs: 300_000, maxBlockMs: 3_600_000 } },
    ],
    [
      'New tenants start at 20 % and have the whole limit after 7 days.',
      { warmUp: { ms: 604_800_000, startPercent: 20 } },
    ],
    [
      'Of these, by region, at most 20 for eu and 3 for us; 50 for all others together.',
      {
        amounts: {
          by: 'region',
          labels: [
            { label: 'eu', limit: 20 },
            { label: 'us', limit: 3 },
          ],
          others: 50,
        },
      },
    ],
    [
      'After 1 denial, all requests are denied for an hour.',
      { penalty: { denials: 1, windowMs: 60_000, blockMs: 3_600_000, maxBlockMs: 3_600_000 } },
    ],
    ['Nodes lease capacity, for 2 seconds at most.', { consistency: { mode: 'leased', leaseMs: 2000 } }],
    [
      'Candidate, counted but never enforced: up to 50 requests in any minute per tenant; then 429 until the oldest is a minute old.',
      { candidate: { algorithm: 'sliding_window_log', limit: 50, windowMs: 60_000 } },
    ],
  ])('adds: %s', (sentence, terms) => {
    expect(summarizeLimit(limit('fixed_window', terms))).toBe(`${plain} ${sentence}`);
  });

  it('says how addresses count, and what rolls over', () => {
    expect(summarizeLimit(limit('fixed_window', { per: ['ip'], ipv4Prefix: 24 }))).toMatch(
      / IPv4 addresses count by their \/24, IPv6 by their \/64\.$/,
    );
    expect(summarizeLimit(limit('quota', { rolloverPercent: 50 }))).toMatch(
      / Unused units roll over to the next period, at most 50 % of the limit\.$/,
    );
  });

  it('adds no sentence for default terms', () => {
    const spelledOut = limit('fixed_window', {
      throttle: { mode: 'hard' },
      enforcement: { mode: 'enforce' },
      charge: 'always',
      consistency: { mode: 'strict' },
      onMissing: 'shared',
    });
    expect(summarizeLimit(spelledOut)).toBe(plain);
  });

  it.each([
    ['skip', 'Requests without user or ip are not limited by it.'],
    ['refuse', 'Requests without user or ip are rejected with 400.'],
  ] as const)('describes the treatment of requests without a value: %s', (onMissing, sentence) => {
    const byUser = limit('fixed_window', { per: ['global', 'user', 'ip'], onMissing });
    expect(summarizeLimit(byUser).endsWith(`. ${sentence}`)).toBe(true);
    expect(summarizeLimit(limit('fixed_window', { per: [], onMissing }))).not.toContain('without');
  });

  it('puts several in order', () => {
    const policy = limit('fixed_window', {
      enforcement: { mode: 'shadow' },
      charge: 'on_failure',
      throttle: { mode: 'soft', percent: 10 },
    });
    expect(summarizeLimit(policy)).toBe(
      `${plain} Up to 10 more pass above the limit, marked. Only failures count: a request without a reported outcome is in flight for 30 seconds. Shadow mode: counted, never denied.`,
    );
  });
});
