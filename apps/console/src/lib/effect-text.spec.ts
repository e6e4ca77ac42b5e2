import { describe, expect, it } from 'vitest';
import { describeEffect, effectOf, parseFactor, summarizeOffer } from './effect-text.js';

it.each([
  ['2x', 200],
  ['1.5x', 150],
  ['1.25 ×', 125],
  ['150 %', 150],
  ['300', 300],
])('%s is %i of a hundred', (text, percent) => {
  expect(parseFactor(text)).toEqual({ ok: true, value: percent });
});

it('parses effects and rejects invalid numbers', () => {
  const draft = { kind: 'SET', amount: '10k' } as const;
  expect(effectOf(draft)).toEqual({ kind: 'SET', limit: 10_000 });
  expect(effectOf({ ...draft, kind: 'ADD', amount: '1,500' })).toEqual({ kind: 'ADD', units: 1_500 });
  expect(effectOf({ ...draft, kind: 'MULTIPLY', amount: '2x' })).toEqual({ kind: 'MULTIPLY', percent: 200 });
  expect(effectOf({ ...draft, amount: '0' })).toEqual({ kind: 'SET', limit: 0 });
  expect(effectOf({ ...draft, kind: 'ADD', amount: '0' })).toBeUndefined();
  expect(effectOf({ ...draft, amount: 'many' })).toBeUndefined();
});

const EFFECT = { apiKey: null, limitName: null, appliesTo: null, units: null, percent: null };

describe('an effect', () => {
  it.each([
    [{ ...EFFECT, apiKey: 'maps', limitName: 'day', kind: 'ADD', units: 5000 }, 'adds 5,000 to day of maps'],
    [{ ...EFFECT, apiKey: 'maps', kind: 'MULTIPLY', percent: 200 }, 'doubles every limit of maps'],
    [
      { ...EFFECT, appliesTo: 'RATE', kind: 'MULTIPLY', percent: 150 },
      'raises every rate of every API to 150 %',
    ],
    [{ ...EFFECT, appliesTo: 'QUOTA', kind: 'MULTIPLY', percent: 300 }, 'triples every quota of every API'],
  ] as const)('is said in words', (effect, words) => {
    expect(describeEffect(effect)).toBe(words);
  });
});

describe('an offer', () => {
  it('describes an upgrade with tiers and effects', () => {
    const effects = [
      { ...EFFECT, apiKey: 'maps', kind: 'MULTIPLY', percent: 200 },
      { ...EFFECT, apiKey: 'maps', appliesTo: 'QUOTA', kind: 'ADD', units: 1000 },
    ] as const;
    const offer = { kind: 'UPGRADE', priceMinor: 4900, currency: 'EUR', interval: 'MONTH' } as const;
    expect(summarizeOffer({ ...offer, effects, tierKeys: ['pro', 'team'], maxQuantity: 1 })).toBe(
      'Doubles every limit of maps and adds 1,000 to every quota of maps, for €49.00 a month until canceled. ' +
        'Only for tenants on pro or team.',
    );
  });

  it('describes a top-up with duration and quantity', () => {
    const pack = { ...EFFECT, apiKey: 'maps', kind: 'ADD' } as const;
    const effects = [
      { ...pack, limitName: 'day', units: 5000 },
      { ...pack, limitName: 'hour', units: 500 },
    ];
    const offer = { kind: 'TOPUP', priceMinor: 900, currency: 'EUR', validDays: 30 } as const;
    expect(summarizeOffer({ ...offer, effects, tierKeys: [], maxQuantity: 10 })).toBe(
      'Adds 5,000 to day and 500 to hour of maps for 30 days, for €9.00 once. Up to 10 per order.',
    );
  });
});
