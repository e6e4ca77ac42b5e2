import { describe, expect, it } from 'vitest';
import { CURRENCIES, chargeStepMinor, currencyDigits, findChargeProblem, formatMoney } from './money.js';

/** Digits as Stripe documents them for charges, typed in independently of the table: everything else has two. */
const NO_DIGITS = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const NO_DIGITS_WITHOUT_STRIPE = 'IQD IRR KPW SYP'.split(' ');
const THREE_DIGITS = 'BHD JOD KWD LYD OMR TND'.split(' ');

/** Two digits at Stripe, none in ICU: one price was shown as 100 times of what was charged. */
const SHOWN_WRONG = 'AFN ALL COP HUF IDR ISK LAK LBP MMK PKR SLL SOS UGX YER'.split(' ');

/** Units of account, in which nothing is sold. */
const NO_MONEY = ['XDR', 'XSU'];

describe('the table of currencies', () => {
  it('has every ISO 4217 currency that the runtime knows', () => {
    expect(CURRENCIES).toEqual(expect.arrayContaining(runtimeCurrencies()));
    expect(CURRENCIES).toEqual([...new Set(CURRENCIES)].toSorted());
  });

  it.each(runtimeCurrencies())('has the digits with which Stripe charges %s', (currency) => {
    const expected =
      NO_DIGITS.includes(currency) || NO_DIGITS_WITHOUT_STRIPE.includes(currency)
        ? 0
        : THREE_DIGITS.includes(currency)
          ? 3
          : 2;
    expect(currencyDigits(currency)).toBe(expected);
    expect(formatMoney(12 * 10 ** expected, currency)).toMatch(
      new RegExp(`12${expected === 0 ? '' : `\\.${'0'.repeat(expected)}`}$`),
    );
  });

  it('does not take the digits of ICU, which are for everyday use', () => {
    const differing = runtimeCurrencies().filter((currency) => {
      const icu = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
      return icu.maximumFractionDigits !== currencyDigits(currency);
    });
    expect(SHOWN_WRONG).toEqual(expect.arrayContaining(differing));
  });
});

describe('an amount', () => {
  it.each([
    [4900, 'EUR', '€49.00'],
    [1200, 'JPY', '¥1,200'],
    [490_000, 'HUF', 'HUF 4,900.00'],
    [50_000, 'ISK', 'ISK 500.00'],
    [1_230, 'KWD', 'KWD 1.230'],
    [-250, 'USD', '-$2.50'],
  ])('of %i in the smallest unit of %s is %s', (minor, currency, text) => {
    expect(formatMoney(minor, currency).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it.each([
    ['KWD', 1_230, undefined],
    ['KWD', 1_234, 'The last digit must be 0, such as KWD 1.230.'],
    ['KWD', 4, 'The last digit must be 0, such as KWD 0.010.'],
    ['ISK', 50_000, undefined],
    ['UGX', 50_050, 'UGX is charged in whole amounts, such as UGX 500.00.'],
    ['HUF', 50_050, undefined],
    ['EUR', 1, undefined],
  ])('of %s is charged if its last digits allow it: %i', (currency, minor, problem) => {
    expect(findChargeProblem(minor, currency)?.replaceAll('\u00a0', ' ')).toBe(problem);
    expect(minor % chargeStepMinor(currency) === 0).toBe(problem === undefined);
  });
});

function runtimeCurrencies(): string[] {
  return Intl.supportedValuesOf('currency').filter((code) => !NO_MONEY.includes(code));
}
