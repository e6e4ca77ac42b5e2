import { CURRENCIES, currencyDigits } from '@tollgate/contracts/money';
import { readTypedNumber, scaleDecimal, writeTypedNumber } from '@tollgate/contracts/typed-number';
import { type Parsed, unread } from './rate.js';

const grouped = new Intl.NumberFormat('en-US');
const twoDecimals = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const perSecond = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `12,345`. */
export const formatNumber = (value: number): string => grouped.format(value);

/** A rate for a small label: one decimal below ten, whole above. */
export const formatPerSecond = (value: number): string =>
  value < 10 ? perSecond.format(value) : grouped.format(Math.round(value));

/** A share from 0 to 1 as `4 %`; `< 1 %` instead of a misleading zero. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return '< 1 %';
  return `${grouped.format(Math.round(share * 100))} %`;
}

/** A share from 0 to 1 with up to two decimals: `3.19 %`, `0.2 %`. */
export const formatPercent = (share: number): string => `${twoDecimals.format(share * 100)} %`;

/** A part of a whole as `4 %`; a dash where the whole is 0. */
export const formatPart = (part: number, whole: number): string =>
  whole === 0 ? '–' : formatShare(part / whole);

/** `0.6 ms`, `140 ms`, `1.2 s`. */
export function formatLatency(ms: number): string {
  return ms < 1_000 ? `${formatPerSecond(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** `1 tenant`, `12 tenants`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}

export { formatMoney } from '@tollgate/contracts/money';

/** Inverse of {@link parseMoney}: `49.00`, `1.50` for 1,500 fils, which `1.500` could also mean 1,500 dinars. */
export function formatMajor(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  return writeTypedNumber((minor / 10 ** digits).toFixed(digits));
}

/** Parses an amount into the smallest unit of the currency: `49`, `1,200.50`. Exact. */
export function parseMoney(text: string, currency: string): Parsed<number> {
  const decimals = currencyDigits(currency);
  const read = readTypedNumber(text, { decimals });
  if (!read.ok)
    return unread(
      text,
      read.readings,
      `Enter an amount such as ${formatMajor(10 ** decimals * 49, currency)}`,
    );
  const minor = scaleDecimal(read.decimal, decimals);
  if (minor === undefined) {
    const message =
      decimals === 0 ? `${currency} has no smaller unit` : `${currency} has ${decimals} decimals`;
    return { ok: false, message };
  }
  const value = Number(minor);
  return Number.isSafeInteger(value) ? { ok: true, value } : { ok: false, message: 'Enter a smaller amount' };
}

/** All currencies, common ones first. */
export function listCurrencies(): string[] {
  const usual = ['EUR', 'USD', 'GBP', 'CHF', 'JPY'];
  return [...usual, ...CURRENCIES.filter((code) => !usual.includes(code))];
}
