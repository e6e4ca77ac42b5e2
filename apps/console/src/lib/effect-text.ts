import { wordsOfName } from '@tollgate/contracts/limit-title';
import { readTypedNumber, scaleDecimal } from '@tollgate/contracts/typed-number';
import type {
  AdjustmentEffectInput,
  BillingInterval,
  EffectKind,
  OfferFieldsFragment,
  OfferKind,
} from '../generated/graphql.js';
import type { LimitTitleOf } from './customer-page.js';
import { formatMoney, formatNumber } from './number-format.js';
import { type Parsed, parseCount, parsePercent, unread, within } from './rate.js';

export interface EffectText {
  kind: EffectKind;
  amount: string;
}

const FACTOR_HINT = 'Enter a factor such as 2x or a percentage such as 150 %';

/** Parses a factor into percent: `2x`, `1.5x`, `150 %`, `150`. At most two decimals. */
export function parseFactor(text: string): Parsed<number> {
  const [, factor] = /^(.*\d)\s*[x×]$/i.exec(text.trim()) ?? [];
  if (factor === undefined) return parsePercent(text);
  const read = readTypedNumber(factor, { decimals: 2 });
  if (!read.ok) return within(unread(factor, read.readings, FACTOR_HINT), '', 'x');
  const percent = Number(scaleDecimal(read.decimal, 2));
  return Number.isSafeInteger(percent) ? { ok: true, value: percent } : { ok: false, message: FACTOR_HINT };
}

/** The amount of an effect: a factor for `MULTIPLY`, otherwise a whole number. Only `SET` can be 0, which blocks. */
export function parseEffectAmount({ kind, amount }: EffectText): Parsed<number> {
  const read = kind === 'MULTIPLY' ? parseFactor(amount) : parseCount(amount);
  if (read.ok ? read.value >= (kind === 'SET' ? 0 : 1) : read.readings) return read;
  return {
    ok: false,
    message: kind === 'MULTIPLY' ? FACTOR_HINT : 'Enter a whole number such as 500 or 10k',
  };
}

/** The typed effect; undefined while it is invalid. */
export function effectOf(effect: EffectText): AdjustmentEffectInput | undefined {
  const { kind } = effect;
  const read = parseEffectAmount(effect);
  if (!read.ok) return undefined;
  if (kind === 'ADD') return { kind, units: read.value };
  return kind === 'SET' ? { kind, limit: read.value } : { kind, percent: read.value };
}

/** Effect kinds: only a single limit can be set, and never by a boost. */
export function effectKinds(isBoundless: boolean, limit: string | null): EffectKind[] {
  return !isBoundless && limit !== null ? ['SET', 'ADD', 'MULTIPLY'] : ['ADD', 'MULTIPLY'];
}

/** Effects of an offer on limits. */
export type OfferEffect = OfferFieldsFragment['effects'][number];

export interface OfferTerms {
  kind: OfferKind;
  priceMinor: number;
  currency: string;
  interval?: BillingInterval | null;
  validDays?: number | null;
  effects: readonly OfferEffect[];
  tierKeys: readonly string[];
  maxQuantity: number;
}

/** `€49.00 a month`, `€19.00 once`. */
export function describePrice(
  priceMinor: number,
  currency: string,
  interval: BillingInterval | null | undefined,
): string {
  return `${formatMoney(priceMinor, currency)} ${describeInterval(interval)}`;
}

/** `a month`, `once`. */
export function describeInterval(interval: BillingInterval | null | undefined): string {
  if (interval == null) return 'once';
  return interval === 'MONTH' ? 'a month' : 'a year';
}

/** Describes one effect: `adds 5,000 to get-day of url-shortener`, `doubles every rate of reports`. */
export function describeEffect(effect: OfferEffect, titleOf?: LimitTitleOf): string {
  const target = describeTarget(effect, titleOf);
  if (effect.kind === 'ADD') return `adds ${formatNumber(effect.units ?? 0)} to ${target}`;
  const percent = effect.percent ?? 100;
  if (percent === 200) return `doubles ${target}`;
  if (percent === 300) return `triples ${target}`;
  return `raises ${target} to ${formatNumber(percent)} %`;
}

/** Describes all effects in one clause, with keys or with `titleOf`; common parts are not repeated. */
export function describeEffects(effects: readonly OfferEffect[], titleOf?: LimitTitleOf): string {
  const parts = effects.map((effect, i) => {
    const [before, after] = [effects[i - 1], effects[i + 1]];
    const isNamed = (other: OfferEffect | undefined) =>
      other?.kind === 'ADD' && other.limitName != null && other.apiKey === effect.apiKey;
    let words = describeEffect(effect, titleOf);
    if (!isNamed(effect)) return words;
    if (isNamed(before)) words = words.replace(/^adds /, '');
    return isNamed(after) && !titleOf ? words.slice(0, -` of ${effect.apiKey}`.length) : words;
  });
  return joinAnd(parts);
}

/** Describes an offer in one to three sentences: price, effect, tiers and stock. */
export function summarizeOffer(offer: OfferTerms): string {
  const { kind, priceMinor, currency, interval, validDays, effects, tierKeys, maxQuantity } = offer;
  const price = describePrice(priceMinor, currency, interval);
  const does = describeEffects(effects) || 'does nothing yet';
  const days = validDays === 1 ? 'one day' : `${validDays ?? 0} days`;
  const sentences = [
    kind === 'UPGRADE'
      ? `${capital(does)}, for ${price} until canceled.`
      : `${capital(does)} for ${days}, for ${price}.`,
  ];
  if (tierKeys.length > 0) sentences.push(`Only for tenants on ${joinOr(tierKeys)}.`);
  if (maxQuantity > 1) sentences.push(`Up to ${maxQuantity} per order.`);
  return sentences.join(' ');
}

function describeTarget({ apiKey, limitName, appliesTo }: OfferEffect, titleOf?: LimitTitleOf): string {
  if (limitName) return titleOf?.(apiKey ?? '', limitName) ?? `${limitName} of ${apiKey}`;
  const which = appliesTo === 'RATE' ? 'every rate' : appliesTo === 'QUOTA' ? 'every quota' : 'every limit';
  return `${which} of ${apiKey ? (titleOf ? wordsOfName(apiKey) : apiKey) : 'every API'}`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const joinAnd = (parts: readonly string[]) => join(parts, 'and');
const joinOr = (parts: readonly string[]) => join(parts, 'or');

function join(parts: readonly string[], word: string): string {
  if (parts.length <= 1) return parts[0] ?? '';
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
}
