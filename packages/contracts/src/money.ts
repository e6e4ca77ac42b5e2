/**
 * Currencies and their minor units, as Stripe charges them: https://docs.stripe.com/currencies#minor-units (read 2026-11-29).
 * Not from ICU: its digits are those of everyday use, change with its version, and differ from what a provider is asked for.
 * @see docs/adr/0070-minor-units.md
 */
const codes = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const ZERO_DIGITS = codes('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF');
/** Stripe charges none of these; their amounts have always been whole. */
const ZERO_DIGITS_ELSEWHERE = codes('IQD IRR KPW SYP');
const THREE_DIGITS = codes('BHD JOD KWD LYD OMR TND');
/** Two digits at Stripe, but only whole amounts are accepted. */
const WHOLE_AMOUNTS = codes('ISK UGX');

/** ISO 4217 codes in which prices can be set, in alphabetical order. */
export const CURRENCIES: readonly string[] = [
  ...'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP'.split(' '),
  ...'BYN BZD CAD CDF CHF CLP CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP'.split(' '),
  ...'GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES'.split(' '),
  ...'KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR'.split(' '),
  ...'MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB'.split(' '),
  ...'RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY'.split(' '),
  ...'TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL'.split(' '),
];

const KNOWN: ReadonlySet<string> = new Set(CURRENCIES);

export const isCurrency = (code: string): boolean => KNOWN.has(code);

/** Digits of a currency's minor unit: 2 for EUR, HUF and unknown codes, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): 0 | 2 | 3 {
  if (ZERO_DIGITS.has(currency) || ZERO_DIGITS_ELSEWHERE.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

/**
 * Charges are multiples of this, in minor units: 100 for ISK and UGX, which are charged whole, 10 for currencies of three
 * digits, whose last one must be 0.
 */
export function chargeStepMinor(currency: string): 1 | 10 | 100 {
  if (WHOLE_AMOUNTS.has(currency)) return 100;
  return THREE_DIGITS.has(currency) ? 10 : 1;
}

/** Why an amount cannot be charged: `KWD 1.234: the last digit must be 0, such as in KWD 1.230.`; undefined if it can. */
export function findChargeProblem(minor: number, currency: string): string | undefined {
  const step = chargeStepMinor(currency);
  if (minor % step === 0) return undefined;
  const rule = step === 10 ? 'The last digit must be 0' : `${currency} is charged in whole amounts`;
  return `${rule}, such as ${formatMoney(Math.max(step, minor - (minor % step)), currency)}.`;
}

/** `€49.00`, `¥1,200`, `HUF 4,900.00`. @param minor smallest units @throws RangeError unless the code has three letters */
export function formatMoney(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  return new Intl.NumberFormat('en', {
    ...{ style: 'currency', currency },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  }).format(minor / 10 ** digits);
}
