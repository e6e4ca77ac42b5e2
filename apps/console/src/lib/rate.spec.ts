import type { Rule } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAmount,
  formatAmounts,
  formatCount,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  formatRate,
  parseAmount,
  parseAmounts,
  parseCount,
  parseDuration,
  parseMilliseconds,
  parsePercent,
  parseRate,
} from './rate.js';

const quota: Rule = { algorithm: 'quota', limit: 10_000, period: 'month' };
const permits: Rule = { algorithm: 'concurrency', limit: 5, leaseMs: 30_000 };
const bucket: Rule = {
  algorithm: 'token_bucket',
  limit: 100,
  windowMs: 60_000,
  capacity: 500,
  refill: 'continuous',
};

describe('parseAmounts', () => {
  it.each([
    [
      'region: eu 100, us 1.5M, * 50',
      {
        by: 'region',
        labels: [
          { label: 'eu', limit: 100 },
          { label: 'us', limit: 1_500_000 },
        ],
        others: 50,
      },
    ],
    [
      'zone: eu-west-1 1,234, b.c 12,345',
      {
        by: 'zone',
        labels: [
          { label: 'eu-west-1', limit: 1234 },
          { label: 'b.c', limit: 12_345 },
        ],
      },
    ],
    ['plan:2 300,* 0', { by: 'plan', labels: [{ label: '2', limit: 300 }], others: 0 }],
    ['', undefined],
  ])('reads %j, and its own text', (text, amounts) => {
    expect(parseAmounts(text)).toEqual({ ok: true, value: amounts });
    expect(parseAmounts(formatAmounts(amounts))).toEqual({ ok: true, value: amounts });
  });

  it.each([
    ['eu 100', 'Enter a dimension and amounts, such as region: eu 100, us 300'],
    ['region: ', 'Enter a dimension and amounts, such as region: eu 100, us 300'],
    ['region: eu', 'Write “eu” as a label and its amount, such as eu 100'],
    ['region: eu 100, us', 'Write “eu 100, us” as a label and its amount, such as eu 100'],
  ])('explains %j', (text, message) => {
    expect(parseAmounts(text)).toEqual({ ok: false, message });
  });
});

describe('parseRate', () => {
  it.each([
    ['100/min', 100, 60_000],
    ['100 / minute', 100, 60_000],
    ['10k/h', 10_000, 3_600_000],
    ['5 per second', 5, 1_000],
    ['5 a second', 5, 1_000],
    ['20 an hour', 20, 3_600_000],
    ['1.5M per day', 1_500_000, 86_400_000],
    ['1,000 every 15 min', 1_000, 900_000],
    ["12'000/week", 12_000, 604_800_000],
    ['100/15m', 100, 900_000],
    ['3 in 250 ms', 3, 250],
    ['1 / 1.5 s', 1, 1_500],
    ['20 rps', 20, 1_000],
    ['600rpm', 600, 60_000],
    ['2k rph', 2_000, 3_600_000],
    ['10K/30D', 10_000, 30 * 86_400_000],
  ])('reads %s', (text, limit, windowMs) => {
    expect(parseRate(text)).toEqual({ ok: true, value: { limit, windowMs } });
  });

  it.each([
    ['', /100\/min/],
    ['100', /time unit/],
    ['fast/min', /not a number/],
    ['0.5/s', /whole number/],
    ['100/fortnight', /time unit/],
    ['100/month', /days/],
    ['100/0s', /whole number of milliseconds/],
    ['9007199254740992/s', /2\^53/],
    ['-5/min', /not a number/],
  ])('rejects %j with the expected format', (text, message) => {
    const parsed = parseRate(text);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok || parsed.message).toMatch(message);
  });
});

describe('a number with two readings', () => {
  it.each([
    ['1.000/min', ['1000/min', '1/min']],
    ['10.000/h', ['10000/h', '10/h']],
    ['1.500 per second', ['1500 per second']],
    ['1,500k/day', ['1500000/day', '1500/day']],
    ['100 / 1.000 s', ['100 / 1000s', '100 / 1s']],
    ['1/1.000s', ['1/1000s', '1/1s']],
    ['1.000.000/day', ['1000000/day']],
  ])('is refused in the rate %s', (text, readings) => {
    expect(parseRate(text)).toMatchObject({ ok: false, readings });
    for (const reading of readings) expect(parseRate(reading).ok).toBe(true);
  });

  it.each<[string, Rule | undefined, string[]]>([
    ['1.000/month', undefined, ['1000/month', '1/month']],
    ['1.000', quota, ['1000', '1']],
    ['10.000 at once', undefined, ['10000 at once', '10 at once']],
    ['10.000', permits, ['10000', '10']],
    ['1.000/min', quota, ['1000/min', '1/min']],
  ])('is refused in the amount %s', (text, rule, readings) => {
    expect(parseAmount(text, rule)).toMatchObject({ ok: false, readings });
  });

  it.each([
    [parseCount, '1.000', ['1000', '1']],
    [parseDuration, '1.500 s', ['1500 s', '1.5 s']],
    [parseMilliseconds, '1.000 ms', ['1000', '1']],
    [parsePercent, '10.000 %', ['10000', '10']],
    [parseAmounts, 'region: eu 1.000, us 10k', ['region: eu 1000, us 10k', 'region: eu 1, us 10k']],
    [parseAmounts, 'plan:2 300,* 2.000', ['plan:2 300,* 2000', 'plan:2 300,* 2']],
  ])('is refused by %o in %s', (parse, text, readings) => {
    expect(parse(text)).toMatchObject({ ok: false, readings });
  });

  it('is named with its readings', () => {
    expect(parseCount('1.000')).toMatchObject({
      message: '“1.000” can mean 1000 or 1. Enter one of them.',
    });
  });
});

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['250 ms', 250],
    ['1.5 min', 90_000],
    ['1h', 3_600_000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toEqual({ ok: true, value: ms }));

  it.each([
    ['30', /30s/],
    ['', /30s/],
    ['1 month', /days/],
    ['0s', /whole number of milliseconds/],
  ])('rejects %j with the expected format', (text, message) => {
    const parsed = parseDuration(text);
    expect(parsed.ok || parsed.message).toMatch(message);
  });
});

describe('parseMilliseconds', () => {
  it.each([
    ['250', 250],
    ['1,000', 1000],
    ['250 ms', 250],
    ['  ', undefined],
  ])('reads %j', (text, ms) => expect(parseMilliseconds(text)).toEqual({ ok: true, value: ms }));

  it.each(['5.5', '1s', '-5'])('rejects %j with an example', (text) => {
    const parsed = parseMilliseconds(text);
    expect(parsed.ok || parsed.message).toBe('Enter whole milliseconds such as 100, or leave it empty');
  });
});

describe('parsePercent', () => {
  it.each([
    ['10', 10],
    ['10%', 10],
    ['150 %', 150],
  ])('reads %s', (text, percent) => expect(parsePercent(text)).toEqual({ ok: true, value: percent }));
});

describe('round trip', () => {
  const count = fc.oneof(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: 0, max: 90_000_000 }).map((n) => n * 100),
    fc.integer({ min: 0, max: 5_000 }),
  );
  const window = fc.oneof(
    fc.integer({ min: 1, max: 366 * 86_400_000 }),
    fc.constantFrom(1_000, 60_000, 900_000, 3_600_000, 86_400_000, 604_800_000, 1_209_600_000),
  );

  it('parses every rate it formats', () => {
    fc.assert(
      fc.property(count, window, (limit, windowMs) => {
        expect(parseRate(formatRate({ limit, windowMs }))).toEqual({ ok: true, value: { limit, windowMs } });
      }),
    );
  });

  it('parses every duration and percentage it formats', () => {
    fc.assert(
      fc.property(window, (n) => {
        expect(parseDuration(formatDuration(n))).toEqual({ ok: true, value: n });
        expect(parseMilliseconds(formatMilliseconds(n))).toEqual({ ok: true, value: n });
        expect(parsePercent(formatPercent(n))).toEqual({ ok: true, value: n });
      }),
    );
  });

  it('parses every count it formats', () => {
    fc.assert(
      fc.property(count, (n) => {
        expect(parseCount(formatCount(n))).toEqual({ ok: true, value: n });
      }),
    );
  });

  it('requests a number if the text is blank', () => {
    const message = 'Enter a number such as 250, 1,000 or 10k';
    expect(['', ' '].map(parseCount)).toEqual([
      { ok: false, message },
      { ok: false, message },
    ]);
  });
});

describe('wording', () => {
  it('abbreviates only without loss', () => {
    expect([999, 1_500, 10_000, 12_345, 12_300, 2_500_000].map(formatCount)).toEqual([
      '999',
      '1,500',
      '10k',
      '12,345',
      '12.3k',
      '2.5M',
    ]);
  });
});

describe('formatAmount and parseAmount', () => {
  it.each([
    [bucket, '100/min'],
    [quota, '10k/month'],
    [{ ...quota, period: 'billing' } satisfies Rule, '10k/billing period'],
    [permits, '5 at once'],
    [{ ...quota, limit: 0 }, 'Blocked'],
  ])('formats as $1', (rule, text) => {
    expect(formatAmount(rule)).toBe(text);
  });

  it.each<[string, Rule, Partial<Rule>]>([
    ['20', permits, { limit: 20 }],
    ['20 at once', permits, { limit: 20 }],
    ['1.5k', quota, { limit: 1500 }],
    ['500/day', quota, { limit: 500, period: 'day' }],
    ['500 per week', quota, { limit: 500, period: 'week' }],
    ['500 a billing period', quota, { limit: 500, period: 'billing' }],
    ['blocked', quota, { limit: 0 }],
    ['0', permits, { limit: 0 }],
    ['0/min', bucket, { limit: 0, windowMs: 60_000 }],
    ['10 rps', bucket, { limit: 10, windowMs: 1000 }],
  ])('reads %s', (text, rule, change) => {
    expect(parseAmount(text, rule)).toEqual({ ok: true, value: { ...rule, ...change } });
  });

  it.each([
    ['100', bucket, /time unit/],
    ['ten/month', quota, /10k\/month/],
    ['many at once', undefined, /not a number/],
    ['10k/year', undefined, /vary in length/],
    ['unlimited', bucket, /Remove the limit/],
  ])('rejects %s with the expected format', (text, rule, message) => {
    const parsed = parseAmount(text, rule);
    expect(parsed.ok || parsed.message).toMatch(message);
  });

  it('parses every amount it formats', () => {
    const limit = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const rules = fc.oneof(
      fc.record({ limit }).map(({ limit: count }): Rule => ({ ...permits, limit: count })),
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
    ['100/min', permits, { algorithm: 'fixed_window', limit: 100, windowMs: 60_000 }],
    ['60/min', bucket, { algorithm: 'token_bucket', limit: 60, capacity: 500 }],
    ['500/week', quota, { algorithm: 'quota', limit: 500, period: 'week' }],
    ['2k/day', undefined, { algorithm: 'fixed_window', limit: 2000 }],
    ['10k/month', bucket, { algorithm: 'quota', limit: 10_000, period: 'month' }],
    ['1M/mo', undefined, { algorithm: 'quota', limit: 1_000_000, period: 'month' }],
    ['10k/hour', quota, { algorithm: 'fixed_window', limit: 10_000, windowMs: 3_600_000 }],
  ])('switches to the algorithm that %s implies', (text, rule, change) => {
    const parsed = parseAmount(text, rule);
    expect(parsed.ok && parsed.value).toMatchObject(change);
  });
});
