import { describe, expect, it } from 'vitest';
import { compareLimits } from './limit-comparison.js';
import type { LimitPolicy, PolicyOf } from './limit-policy.js';

const common = { name: 'create', api: 'shop', operations: [], per: [], onUnavailable: 'share' as const };
const MINUTE_MS = 60_000;
const amountsOf = (limit: number) => ({ by: 'region', labels: [{ label: 'eu', limit }] });
const AMOUNTS = amountsOf(2);
const WARM_UP = { ms: 10 * MINUTE_MS, startPercent: 10 };
const PENALTY = { denials: 5, windowMs: MINUTE_MS, blockMs: 1000, maxBlockMs: 5000 };

const fixed = (over: Partial<PolicyOf<'fixed_window'>> = {}): LimitPolicy => ({
  ...common,
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: MINUTE_MS,
  alignment: 'clock',
  ...over,
});
const gcra = (over: Partial<PolicyOf<'gcra'>> = {}): LimitPolicy => ({
  ...common,
  algorithm: 'gcra',
  limit: 100,
  windowMs: MINUTE_MS,
  burst: 9,
  ...over,
});
const counter = (buckets: number): LimitPolicy => ({
  ...common,
  algorithm: 'sliding_window_counter',
  limit: 100,
  windowMs: MINUTE_MS,
  buckets,
});
const permits = (over: Partial<PolicyOf<'concurrency'>> = {}): LimitPolicy => ({
  ...common,
  algorithm: 'concurrency',
  limit: 10,
  leaseMs: 1000,
  ...over,
});

/** `+` increased, `-` decreased. */
function signOf(before: LimitPolicy | undefined, after: LimitPolicy | undefined): string {
  const { increased, decreased } = compareLimits(
    before === undefined ? [] : [before],
    after === undefined ? [] : [after],
  );
  return `${increased.map(() => '+').join('')}${decreased.map(() => '-').join('')}`;
}

describe('compareLimits', () => {
  it.each<[string, string, LimitPolicy | undefined, LimitPolicy | undefined]>([
    ['nothing changed', '', fixed(), fixed()],
    ['removed', '+', fixed(), undefined],
    ['added', '-', undefined, fixed()],
    ['a higher limit', '+', fixed(), fixed({ limit: 101 })],
    ['a shorter window for the same limit', '+', fixed(), fixed({ windowMs: 30_000 })],
    ['the same rate with smaller bursts', '-', fixed(), fixed({ limit: 50, windowMs: 30_000 })],
    [
      '1,000 per hour instead of 100 per minute: larger bursts, lower rate',
      '+-',
      fixed(),
      fixed({ limit: 1000, windowMs: 3_600_000 }),
    ],
    ['another window alignment', '+-', fixed(), fixed({ alignment: 'first_request' })],
    ['another algorithm', '+-', fixed(), gcra()],
    ['a greater burst', '+', gcra(), gcra({ burst: 10 })],
    ['a higher rate with a smaller burst', '+-', gcra(), gcra({ limit: 200, burst: 5 })],
    ['finer steps', '-', counter(6), counter(60)],
    ['an estimate instead of steps', '+-', counter(6), counter(1)],
    ['more permits', '+', permits(), permits({ limit: 11 })],
    ['a longer permit timeout', '-', permits(), permits({ leaseMs: 2000 })],
    ['a soft band', '+', fixed(), fixed({ throttle: { mode: 'soft', percent: 10 } })],
    ['an explicit hard throttle', '', fixed(), fixed({ throttle: { mode: 'hard' } })],
    [
      'a queue instead of a soft band',
      '+-',
      gcra({ throttle: { mode: 'soft', percent: 10 } }),
      gcra({ throttle: { mode: 'queue', maxDelayMs: 100 } }),
    ],
    ['in shadow', '+', fixed(), fixed({ enforcement: { mode: 'shadow' } })],
    [
      'enforced for more counters',
      '-',
      fixed({ enforcement: { mode: 'percent', percent: 10 } }),
      fixed({ enforcement: { mode: 'percent', percent: 20 } }),
    ],
    ['one operation instead of all', '+', fixed(), fixed({ operations: ['read'] })],
    ['one more operation', '-', fixed({ operations: ['read'] }), fixed({ operations: ['read', 'write'] })],
    ['another operation', '+-', fixed({ operations: ['read'] }), fixed({ operations: ['write'] })],
    ['by user', '+', fixed(), fixed({ per: ['user'] })],
    ['by ip in place of user', '+-', fixed({ per: ['user'] }), fixed({ per: ['ip'] })],
    ['all tenants together', '-', fixed({ per: ['ip'] }), fixed({ per: ['global', 'ip'] })],
    [
      'skips requests without a user',
      '+',
      fixed({ per: ['user'] }),
      fixed({ per: ['user'], onMissing: 'skip' }),
    ],
    [
      'rejects requests without a user',
      '-',
      fixed({ per: ['user'] }),
      fixed({ per: ['user'], onMissing: 'refuse' }),
    ],
    [
      'a shared counter, spelled out',
      '',
      fixed({ per: ['user'] }),
      fixed({ per: ['user'], onMissing: 'shared' }),
    ],
    ['onMissing skip without dimensions', '', fixed(), fixed({ onMissing: 'skip' })],
    ['allow during an outage', '+', fixed(), fixed({ onUnavailable: 'allow' })],
    ['a longer wait for Redis', '', fixed(), fixed({ deadlineMs: 250 })],
    ['charging only failures', '+', fixed(), fixed({ charge: 'on_failure' })],
    ['leased', '-', gcra(), gcra({ consistency: { mode: 'leased', leaseMs: 1000 } })],
    ['penalized', '-', gcra(), gcra({ penalty: PENALTY })],
    [
      'more denials until a block',
      '+',
      gcra({ penalty: PENALTY }),
      gcra({ penalty: { ...PENALTY, denials: 9 } }),
    ],
    ['with amounts of labels', '-', gcra(), gcra({ amounts: AMOUNTS })],
    ['a lower amount', '-', gcra({ amounts: AMOUNTS }), gcra({ amounts: amountsOf(1) })],
    [
      'an own amount for one of the others',
      '+',
      gcra({ amounts: { ...AMOUNTS, others: 2 } }),
      gcra({ amounts: { ...AMOUNTS, labels: [...AMOUNTS.labels, { label: 'us', limit: 2 }], others: 2 } }),
    ],
    ['amounts for others', '-', gcra({ amounts: AMOUNTS }), gcra({ amounts: { ...AMOUNTS, others: 0 } })],
    [
      'amounts by another label',
      '+-',
      gcra({ amounts: AMOUNTS }),
      gcra({ amounts: { ...AMOUNTS, by: 'plan' } }),
    ],
    ['with a warm-up', '-', gcra(), gcra({ warmUp: WARM_UP })],
    ['a higher start', '+', gcra({ warmUp: WARM_UP }), gcra({ warmUp: { ...WARM_UP, startPercent: 50 } })],
    ['longer blocks', '-', gcra({ penalty: PENALTY }), gcra({ penalty: { ...PENALTY, maxBlockMs: 9000 } })],
    [
      'a candidate, which denies nothing',
      '',
      fixed(),
      fixed({ candidate: { algorithm: 'fixed_window', limit: 1, windowMs: 1000, alignment: 'clock' } }),
    ],
  ])('%s: %s', (_what, sign, before, after) => {
    expect(signOf(before, after)).toBe(sign);
    const turned = [...sign].map((one) => (one === '+' ? '-' : '+')).sort();
    expect([...signOf(after, before)].sort()).toEqual(turned);
  });

  it('names limits with their API, sorted', () => {
    const before = [fixed({ name: 'b' }), fixed({ name: 'a' }), fixed({ api: 'other' })];
    const after = before.map((limit) => ({ ...limit, limit: limit.limit + 1 }));
    expect(compareLimits(before, after)).toEqual({
      increased: ['other/create', 'shop/a', 'shop/b'],
      decreased: [],
    });
  });
});
