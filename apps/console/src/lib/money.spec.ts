import { describe, expect, it } from 'vitest';
import { formatMajor, formatMoney, parseMoney } from './money.js';

describe('money', () => {
  it.each([
    [4900, 'EUR', '€49.00', '49.00'],
    [1, 'EUR', '€0.01', '0.01'],
    [1200, 'JPY', '¥1,200', '1200'],
    [1500, 'KWD', 'KWD\u00a01.500', '1.500'],
  ])('%i of the smallest unit of %s is %s', (minor, currency, shown, typed) => {
    expect(formatMoney(minor, currency)).toBe(shown);
    expect(formatMajor(minor, currency)).toBe(typed);
    expect(parseMoney(typed, currency)).toEqual({ ok: true, value: minor });
  });

  it.each([
    ['49', 'EUR', 4900],
    ['1,200.5', 'EUR', 120_050],
    ['0.29', 'USD', 29],
    ['12.00', 'JPY', 12],
  ])('%s %s is read exactly', (text, currency, value) => {
    expect(parseMoney(text, currency)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'EUR', 'Type an amount such as 49.00'],
    ['-1', 'EUR', 'Type an amount such as 49.00'],
    ['1.005', 'EUR', 'EUR has 2 decimals'],
    ['1.5', 'JPY', 'JPY has no smaller unit'],
  ])('%s %s is refused with what to type', (text, currency, message) => {
    expect(parseMoney(text, currency)).toEqual({ ok: false, message });
  });
});
