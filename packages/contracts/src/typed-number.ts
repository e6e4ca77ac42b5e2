/**
 * A typed number. `decimal` is exact and without separators: `1200.5`. Otherwise `readings` are what the text can mean,
 * each written so that it has one meaning; none if the text is no number, or none of its meanings has a value here.
 */
export type TypedNumber = { ok: true; decimal: string } | { ok: false; readings: readonly string[] };

export interface NumberFormat {
  /** Most digits after the decimal point; default 0. */
  decimals?: number;
  /** Whether `10k` and `1.5M` are numbers. */
  suffixes?: boolean;
}

const MAX_LENGTH = 40;

const PLAIN = /^(?<whole>\d+)(?:\.(?<fraction>\d*))?$/;
/** One kind of separator throughout, and no leading zero. */
const GROUPED =
  /^(?<whole>[1-9]\d{0,2}(?<separator>[,_'’ \u00a0\u202f])\d{3}(?:\k<separator>\d{3})*)(?:\.(?<fraction>\d+))?$/;

/** One to three digits, a separator and three digits: a thousand or a fraction. */
const THREE_AFTER_POINT = /^[1-9]\d{0,2}\.\d{3}$/;
const THREE_AFTER_COMMA = /^[1-9]\d{0,2},\d{3}$/;

/** Numbers of other conventions, which have one meaning: `1.000.000`, `1.000,50`, `1 000,50`, `1,5`, `1,00,000`. */
const OTHER_CONVENTIONS: readonly RegExp[] = [
  /^([1-9]\d{0,2}(?:\.\d{3}){2,})(?:,(\d+))?$/,
  /^([1-9]\d{0,2}(?:[._'’ \u00a0\u202f]\d{3})+),(\d+)$/,
  /^(\d+),(\d+)$/,
  /^([1-9]\d?(?:,\d{2})+,\d{3})(?:\.(\d+))?$/,
];

const SUFFIX = /\s*(k|m|thousand|million)$/i;

/**
 * Reads a number that a person typed: a point before decimals; commas, spaces, `_` or `'` between thousands.
 *
 * `1.000` is 1 in one country and 1000 in another, so it is not read. Nor is `1,000` where it could be 1.000: with three or
 * more decimals, or before `k` and `M`. Elsewhere it is 1000, as Tollgate writes it.
 */
export function readTypedNumber(text: string, format: NumberFormat = {}): TypedNumber {
  const { decimals = 0, suffixes = false } = format;
  const typed = text.trim();
  if (typed.length > MAX_LENGTH) return { ok: false, readings: [] };
  const suffix = suffixes ? SUFFIX.exec(typed) : null;
  const number = suffix ? typed.slice(0, suffix.index) : typed;
  const exponent = suffix ? (/^m/i.test(suffix[1] ?? '') ? 6 : 3) : 0;
  const decimalOf = (whole = '', fraction = '') => shift(whole.replace(/\D/g, ''), fraction, exponent);
  const refuse = (...meanings: string[]): TypedNumber => {
    const possible = meanings.filter((decimal) => fractionOf(decimal).length <= decimals);
    return { ok: false, readings: possible.map(writeTypedNumber) };
  };

  const isTwofold =
    THREE_AFTER_POINT.test(number) || (THREE_AFTER_COMMA.test(number) && (decimals >= 3 || suffix !== null));
  if (isTwofold) {
    const [before, after] = number.split(/[.,]/);
    return refuse(decimalOf(number), decimalOf(before, after));
  }
  const { whole, fraction } = (PLAIN.exec(number) ?? GROUPED.exec(number))?.groups ?? {};
  if (whole !== undefined) return { ok: true, decimal: decimalOf(whole, fraction) };
  for (const convention of OTHER_CONVENTIONS) {
    const match = convention.exec(number);
    if (match) return refuse(decimalOf(match[1], match[2]));
  }
  return { ok: false, readings: [] };
}

/** A decimal as a text that {@link readTypedNumber} reads: `1.500` as `1.50`, `1.234` as `1.2340`. */
export function writeTypedNumber(decimal: string): string {
  if (!THREE_AFTER_POINT.test(decimal)) return decimal;
  return decimal.endsWith('0') ? decimal.slice(0, -1) : `${decimal}0`;
}

/** Advice for a text with readings: `“1.000” can mean 1000 or 1. Enter one of them.` */
export function explainReadings(text: string, readings: readonly string[]): string {
  const [reading = ''] = readings;
  if (readings.length < 2) return `“${text.trim()}” cannot be read. Did you mean ${reading}?`;
  return `“${text.trim()}” can mean ${readings.join(' or ')}. Enter one of them.`;
}

/** `decimal` in units of 10^-`decimals`, exactly; undefined unless it is a whole number of them. */
export function scaleDecimal(decimal: string, decimals: number): bigint | undefined {
  const fraction = fractionOf(decimal);
  if (fraction.length > decimals) return undefined;
  return BigInt((decimal.split('.')[0] ?? '') + fraction.padEnd(decimals, '0'));
}

/** `whole.fraction` × 10^exponent, without superfluous zeros. */
function shift(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction.slice(0, exponent).padEnd(exponent, '0');
  const rest = fraction.slice(exponent).replace(/0+$/, '');
  return `${digits.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}

const fractionOf = (decimal: string): string => decimal.split('.')[1] ?? '';
