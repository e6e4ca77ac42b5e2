import type {
  BillingInterval,
  CarryOver,
  OfferEffectInput,
  OfferEffectKind,
  OfferEffectTarget,
  OfferFieldsFragment,
  OfferKind,
} from '../../generated/graphql.js';
import type { OfferTerms } from '../../lib/effect-text.js';
import { formatMajor, parseMoney } from '../../lib/number-format.js';
import { formatCount, parsePercent } from '../../lib/rate.js';

export interface EffectDraft {
  id: number;
  kind: OfferEffectKind;
  /** Units of ADD, percent of MULTIPLY. */
  amount: string;
  apiKey: string | null;
  limitName: string | null;
  appliesTo: OfferEffectTarget | null;
}

export interface OfferDraft {
  kind: OfferKind;
  name: string;
  key: string;
  description: string;
  price: string;
  currency: string;
  interval: BillingInterval;
  validDays: string;
  graceDays: string;
  effects: EffectDraft[];
  tierKeys: string[];
  maxQuantity: string;
  /** Empty for unlimited stock. */
  stock: string;
  carryOver: CarryOver;
}

/** A parsed draft; invalid fields are listed in `errors`. */
export interface ReadDraft {
  terms: OfferTerms;
  effects: OfferEffectInput[];
  graceDays: number;
  stock: number | null;
  errors: Record<string, string>;
}

export const NEW_OFFER: OfferDraft = {
  kind: 'TOPUP',
  name: '',
  key: '',
  description: '',
  price: '',
  currency: 'EUR',
  interval: 'MONTH',
  validDays: '30',
  graceDays: '3',
  effects: [{ id: 0, kind: 'ADD', amount: '1,000', apiKey: null, limitName: null, appliesTo: null }],
  tierKeys: [],
  maxQuantity: '1',
  stock: '',
  carryOver: 'KEEP',
};

export function draftOf(offer: OfferFieldsFragment): OfferDraft {
  const { priceMinor, currency, interval, validDays, graceDays, effects, maxQuantity, stock } = offer;
  const { kind, name, key, description, tierKeys, carryOver } = offer;
  return {
    ...{ kind, name, key, description, currency, tierKeys, carryOver },
    price: formatMajor(priceMinor, currency),
    interval: interval ?? 'MONTH',
    validDays: String(validDays ?? 30),
    graceDays: String(graceDays),
    effects: effects.map(({ units, percent, ...effect }, id) => ({
      id,
      kind: effect.kind,
      apiKey: effect.apiKey ?? null,
      limitName: effect.limitName ?? null,
      appliesTo: effect.appliesTo ?? null,
      amount: effect.kind === 'ADD' ? formatCount(units ?? 0) : `${percent ?? 100} %`,
    })),
    maxQuantity: String(maxQuantity),
    stock: stock == null ? '' : String(stock),
  };
}

/** Whether several can be bought at once; multipliers cannot. */
export const canHaveQuantity = ({ effects }: Pick<OfferDraft, 'effects'>): boolean =>
  effects.every(({ kind }) => kind === 'ADD');

/** Parses a draft; invalid fields count as zero in the terms. */
export function readDraft(draft: OfferDraft): ReadDraft {
  const errors: Record<string, string> = {};
  const count = (field: string, text: string): number => {
    const parsed = parsePercent(text);
    if (!parsed.ok) errors[field] = parsed.message;
    return parsed.ok ? parsed.value : 0;
  };
  const isUpgrade = draft.kind === 'UPGRADE';
  const price = parseMoney(draft.price, draft.currency);
  if (!price.ok) errors.priceMinor = price.message;
  const effects = draft.effects.map(({ id, kind, amount, apiKey, limitName, appliesTo }) => {
    const number = count(`effects.${id}`, amount);
    const [units, percent] = kind === 'ADD' ? [number, null] : [null, number];
    return { apiKey, limitName, appliesTo, kind, units, percent };
  });
  return {
    terms: {
      kind: draft.kind,
      priceMinor: price.ok ? price.value : 0,
      currency: draft.currency,
      interval: isUpgrade ? draft.interval : null,
      validDays: isUpgrade ? null : count('validDays', draft.validDays),
      effects,
      tierKeys: draft.tierKeys,
      maxQuantity: canHaveQuantity(draft) ? count('maxQuantity', draft.maxQuantity) : 1,
    },
    effects,
    graceDays: isUpgrade ? count('graceDays', draft.graceDays) : 0,
    stock: draft.stock.trim() === '' ? null : count('stock', draft.stock),
    errors,
  };
}

/** An offer as configuration; defaults are omitted. */
export function offerConfig(
  draft: OfferDraft,
  { terms, effects, graceDays, stock }: ReadDraft,
  status: string,
) {
  const isUpgrade = draft.kind === 'UPGRADE';
  return {
    offers: {
      [draft.key]: {
        name: draft.name,
        ...(draft.description && { description: draft.description }),
        kind: draft.kind.toLowerCase(),
        status: status.toLowerCase(),
        price: terms.priceMinor,
        currency: draft.currency,
        ...(isUpgrade
          ? { interval: draft.interval.toLowerCase(), graceDays }
          : { validDays: terms.validDays }),
        ...(draft.tierKeys.length > 0 && { tiers: draft.tierKeys }),
        maxQuantity: terms.maxQuantity,
        ...(stock !== null && { stock }),
        carryOver: draft.carryOver.toLowerCase(),
        effects: effects.map(({ apiKey, limitName, appliesTo, kind, units, percent }) => ({
          ...(apiKey != null && { api: apiKey }),
          ...(limitName != null && { limit: limitName }),
          ...(appliesTo != null && { appliesTo: appliesTo.toLowerCase() }),
          effect: kind === 'ADD' ? { kind: 'add', units } : { kind: 'multiply', percent },
        })),
      },
    },
  };
}
