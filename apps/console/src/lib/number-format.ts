import { currencyDigits } from '@tollgate/contracts/format';
import type { Parsed } from './rate.js';

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

export { formatMoney } from '@tollgate/contracts/format';

/** Inverse of {@link parseMoney}: `49.00`. */
export function formatMajor(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  return (minor / 10 ** digits).toFixed(digits);
}

/** Parses an amount into the smallest unit of the currency: `49`, `1,200.50`. Exact. */
export function parseMoney(text: string, currency: string): Parsed<number> {
  const digits = currencyDigits(currency);
  const match = /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d*))?$/.exec(text.trim());
  if (!match)
    return { ok: false, message: `Enter an amount such as ${formatMajor(10 ** digits * 49, currency)}` };
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) {
    const message = digits === 0 ? `${currency} has no smaller unit` : `${currency} has ${digits} decimals`;
    return { ok: false, message };
  }
  const value = Number((match[1] ?? '').replaceAll(',', '') + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(value) ? { ok: true, value } : { ok: false, message: 'Enter a smaller amount' };
}

/** All currencies of the browser, common ones first. */
export function listCurrencies(): string[] {
  const usual = ['EUR', 'USD', 'GBP', 'CHF', 'JPY'];
  return [...usual, ...Intl.supportedValuesOf('currency').filter((code) => !usual.includes(code))];
}
