import { CURRENCIES } from '@tollgate/contracts/money';
import { describe, expect, it } from 'vitest';
import {
  formatLatency,
  formatMajor,
  formatMoney,
  formatNumber,
  formatPerSecond,
  formatShare,
  listCurrencies,
  parseMoney,
  plural,
} from './number-format.js';

describe('plural', () => {
  it('adds an s to every count but one', () => {
    expect([0, 1, 2].map((count) => plural(count, 'tenant'))).toEqual(['0 tenants', '1 tenant', '2 tenants']);
  });

  it('takes an irregular plural and groups digits', () => {
    expect(plural(1_234, 'entry', 'entries')).toBe('1,234 entries');
    expect(plural(1, 'chain has', 'chains have')).toBe('1 chain has');
  });
});

describe('numbers', () => {
  it('groups digits by thousands', () => {
    expect(formatNumber(1_234_567)).toBe('1,234,567');
  });

  it('shows one decimal of rates below ten', () => {
    expect([0.25, 9.94, 12.6].map(formatPerSecond)).toEqual(['0.3', '9.9', '13']);
  });

  it('never rounds a share above zero down to 0 %', () => {
    expect([0, 0.004, 0.126, 1].map(formatShare)).toEqual(['0 %', '< 1 %', '13 %', '100 %']);
  });

  it('switches from milliseconds to seconds at one second', () => {
    expect([140.4, 1_200].map(formatLatency)).toEqual(['140 ms', '1.2 s']);
  });
});

describe('money', () => {
  it.each([
    [4900, 'EUR', '€49.00', '49.00'],
    [1, 'EUR', '€0.01', '0.01'],
    [1200, 'JPY', '¥1,200', '1200'],
    [1500, 'KWD', 'KWD\u00a01.500', '1.50'],
    [1234, 'KWD', 'KWD\u00a01.234', '1.2340'],
    [490_000, 'HUF', 'HUF\u00a04,900.00', '4900.00'],
    [50_000, 'ISK', 'ISK\u00a0500.00', '500.00'],
  ])('%i of the smallest unit of %s is %s', (minor, currency, shown, typed) => {
    expect(formatMoney(minor, currency)).toBe(shown);
    expect(formatMajor(minor, currency)).toBe(typed);
    expect(parseMoney(typed, currency)).toEqual({ ok: true, value: minor });
  });

  it.each(CURRENCIES)('reads %s as it is written in a form', (currency) => {
    for (const minor of [1, 4900, 1_234_560])
      expect(parseMoney(formatMajor(minor, currency), currency)).toEqual({ ok: true, value: minor });
  });

  it('offers every currency once, common ones first', () => {
    expect(listCurrencies().slice(0, 2)).toEqual(['EUR', 'USD']);
    expect(listCurrencies().toSorted()).toEqual(CURRENCIES);
  });

  it.each([
    ['49', 'EUR', 4900],
    ['1,200.5', 'EUR', 120_050],
    ['0.29', 'USD', 29],
    ['12.00', 'JPY', 12],
    ['1,200', 'EUR', 120_000],
    ['1,234.500', 'KWD', 1_234_500],
  ])('%s %s is read exactly', (text, currency, value) => {
    expect(parseMoney(text, currency)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'EUR', 'Enter an amount such as 49.00'],
    ['-1', 'EUR', 'Enter an amount such as 49.00'],
    ['1.0055', 'EUR', 'EUR has 2 decimals'],
    ['1.5', 'JPY', 'JPY has no smaller unit'],
  ])('rejects %s %s with the expected format', (text, currency, message) => {
    expect(parseMoney(text, currency)).toEqual({ ok: false, message });
  });

  it.each([
    ['1.200', 'EUR', ['1200', '1.2']],
    ['49.000', 'JPY', ['49000', '49']],
    ['1.500', 'KWD', ['1500', '1.5']],
    ['1,500', 'KWD', ['1500', '1.5']],
    ['1.000,50', 'EUR', ['1000.5']],
    ['49,90', 'EUR', ['49.9']],
  ])('refuses %s %s and offers %j', (text, currency, readings) => {
    expect(parseMoney(text, currency)).toMatchObject({ ok: false, readings });
  });
});
