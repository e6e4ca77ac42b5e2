import type { Rule } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, parseAmount, readAmount } from './limit-amount.js';

const quota: Rule = { algorithm: 'quota', limit: 10_000, period: 'month' };
const slots: Rule = { algorithm: 'concurrency', limit: 5, leaseMs: 30_000 };
const bucket: Rule = {
  algorithm: 'token_bucket',
  limit: 100,
  windowMs: 60_000,
  capacity: 500,
  refill: 'continuous',
};

describe('how much a rule lets through', () => {
  it.each([
    [bucket, '100/min'],
    [quota, '10k/month'],
    [{ ...quota, period: 'billing' } satisfies Rule, '10k/billing period'],
    [slots, '5 at once'],
  ])('is written as people say it: $1', (rule, text) => {
    expect(formatAmount(rule)).toBe(text);
  });

  it.each<[string, Rule, Partial<Rule>]>([
    ['20', slots, { limit: 20 }],
    ['20 at once', slots, { limit: 20 }],
    ['1.5k', quota, { limit: 1500 }],
    ['500/day', quota, { limit: 500, period: 'day' }],
    ['500 per week', quota, { limit: 500, period: 'week' }],
    ['500 a billing period', quota, { limit: 500, period: 'billing' }],
    ['10 rps', bucket, { limit: 10, windowMs: 1000 }],
  ])('reads %s', (text, rule, change) => {
    expect(parseAmount(text, rule)).toEqual({ ok: true, value: { ...rule, ...change } });
  });

  it.each([
    ['5/min', slots, /not a number/],
    ['10k/hour', quota, /10k\/month/],
    ['100', bucket, /per how long/],
  ])('refuses %s and says what to type', (text, rule, message) => {
    const parsed = parseAmount(text, rule);
    expect(parsed.ok || parsed.message).toMatch(message);
  });

  it('reads back what it writes', () => {
    const limit = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const rules = fc.oneof(
      fc.record({ limit }).map(({ limit: count }): Rule => ({ ...slots, limit: count })),
      fc
        .record({
          limit,
          period: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'billing' as const),
        })
        .map((over): Rule => ({ algorithm: 'quota', ...over })),
      fc
        .record({ limit, windowMs: fc.integer({ min: 1, max: 10 ** 10 }) })
        .map((over): Rule => ({ ...bucket, ...over })),
    );
    fc.assert(
      fc.property(rules, (rule) => {
        expect(parseAmount(formatAmount(rule), rule)).toEqual({ ok: true, value: rule });
      }),
    );
  });

  it.each<[string, Rule | undefined, Partial<Rule>]>([
    ['10k per month', undefined, { algorithm: 'quota', limit: 10_000, period: 'month' }],
    ['5 at once', bucket, { algorithm: 'concurrency', limit: 5 }],
    ['100/min', slots, { algorithm: 'fixed_window', limit: 100, windowMs: 60_000 }],
    ['60/min', bucket, { algorithm: 'token_bucket', limit: 60, capacity: 500 }],
    ['500/week', quota, { algorithm: 'quota', limit: 500, period: 'week' }],
    ['2k/day', undefined, { algorithm: 'fixed_window', limit: 2000 }],
  ])('goes over to the algorithm that %s asks for', (text, rule, change) => {
    const read = readAmount(text, rule);
    expect(read.ok && read.value).toMatchObject(change);
  });
});
