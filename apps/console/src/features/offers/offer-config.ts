import type { OfferDraft, ReadDraft } from './offer-draft.js';

/** An offer as a configuration file says it; what is as it always is is left out. */
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
