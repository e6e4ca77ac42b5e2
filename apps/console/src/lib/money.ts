import { currencyDigits } from '@tollgate/contracts/format';
import type { Parsed } from './rate.js';

export { formatMoney } from '@tollgate/contracts/format';

/** An amount for a field that {@link parseMoney} reads back: `49.00`. */
export function formatMajor(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  return (minor / 10 ** digits).toFixed(digits);
}

/** Reads an amount as people type it, into the smallest unit of the currency: `49`, `1,200.50`. Exact. */
export function parseMoney(text: string, currency: string): Parsed<number> {
  const digits = currencyDigits(currency);
  const match = /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d*))?$/.exec(text.trim());
  if (!match)
    return { ok: false, message: `Type an amount such as ${formatMajor(10 ** digits * 49, currency)}` };
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) {
    const message = digits === 0 ? `${currency} has no smaller unit` : `${currency} has ${digits} decimals`;
    return { ok: false, message };
  }
  const value = Number((match[1] ?? '').replaceAll(',', '') + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(value) ? { ok: true, value } : { ok: false, message: 'That is too much' };
}

/** Every currency that the browser knows, for a picker; the usual ones first. */
export function listCurrencies(): string[] {
  const usual = ['EUR', 'USD', 'GBP', 'CHF', 'JPY'];
  return [...usual, ...Intl.supportedValuesOf('currency').filter((code) => !usual.includes(code))];
}
