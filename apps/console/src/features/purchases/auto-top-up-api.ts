import { queryOptions } from '@tanstack/react-query';
import type { AutoTopUpsQuery, OfferFieldsFragment, PaymentCardsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery } from '../../lib/graphql-request.js';
import { formatNumber } from '../../lib/number-format.js';

export {
  AutoTopUpSetDocument,
  AutoTopUpTurnOffDocument,
  PaymentCardLinkDocument,
} from '../../generated/graphql.js';

const AutoTopUpsDocument = graphql(`
  query AutoTopUps($tenantKey: String!) {
    autoTopUps(tenantKey: $tenantKey) {
      id apiKey limitName status stopReason stopDetail thresholdUnits thresholdPercent capMinor spentMinor
      isCapReached resetsAt currency agreedPriceMinor provider card cardLabel hasOpenOrder orderedAt
      offer { key name priceMinor }
    }
  }
`);

const PaymentCardsDocument = graphql(`
  query PaymentCards($tenantKey: String!) {
    paymentCards(tenantKey: $tenantKey) { providers problem cards { provider ref label } }
  }
`);

export type AutoTopUp = AutoTopUpsQuery['autoTopUps'][number];
export type PaymentCards = NonNullable<PaymentCardsQuery['paymentCards']>;

/** A quota that can be topped up. */
export type Quota = Pick<AutoTopUp, 'apiKey' | 'limitName'>;

export const autoTopUpsKey = ['auto-top-ups'] as const;

/** Auto top-ups of a tenant, those that are off included. */
export const autoTopUpsQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery([...autoTopUpsKey, tenantKey], AutoTopUpsDocument, { tenantKey }),
    refetchInterval: 10_000,
  });

export const paymentCardsKey = ['payment-cards'] as const;

/** Saved cards, and the payment methods that can charge one; null if the tenant does not exist. */
export const paymentCardsQuery = (tenantKey: string) =>
  fieldQuery([...paymentCardsKey, tenantKey], PaymentCardsDocument, { tenantKey });

/** Top-ups on sale that add units to a quota, cheapest first. */
export const topUpsOf = (
  offers: readonly OfferFieldsFragment[],
  { apiKey, limitName }: Quota,
): OfferFieldsFragment[] =>
  offers
    .filter(
      ({ kind, effects, stockLeft }) =>
        kind === 'TOPUP' &&
        stockLeft !== 0 &&
        effects.some(
          (effect) =>
            effect.kind === 'ADD' &&
            effect.appliesTo !== 'RATE' &&
            (effect.apiKey == null || effect.apiKey === apiKey) &&
            (effect.limitName == null || effect.limitName === limitName),
        ),
    )
    .sort((a, b) => a.priceMinor - b.priceMinor);

/** `fewer than 200 units are left`. */
export function describeThreshold({
  thresholdUnits,
  thresholdPercent,
}: Pick<AutoTopUp, 'thresholdUnits' | 'thresholdPercent'>): string {
  return thresholdUnits == null
    ? `less than ${thresholdPercent} % is left`
    : `fewer than ${formatNumber(thresholdUnits)} units are left`;
}
