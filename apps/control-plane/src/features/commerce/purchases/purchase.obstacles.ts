import { userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { OfferStatus, PaymentProviderName, TenantStatus } from '../../../platform/prisma/schema.js';
import { type OfferRow } from '../offers/offers.repository.js';

interface Situation {
  tenant: { status: TenantStatus };
  offer: OfferRow | null;
  /** Tier that the tenant is on. */
  tierKey: string;
  isTestClock: boolean;
}

interface Wish {
  offerKey: string;
  quantity: number;
  provider: PaymentProviderName;
  expectedPriceMinor: number;
}

export const refusal = (code: UserErrorCode, field: string, message: string) =>
  userError(code, [field], message);

/** Why an offer cannot be bought so; null: it can, as long as there is some of it left. */
export function findObstacle(
  { tenant, offer, tierKey, isTestClock }: Situation,
  wish: Wish,
): UserError | null {
  if (offer === null || offer.status === OfferStatus.DRAFT) {
    return refusal(UserErrorCode.NOT_FOUND, 'offerKey', `There is no offer "${wish.offerKey}" on sale.`);
  }
  if (offer.status === OfferStatus.ARCHIVED) {
    return refusal(UserErrorCode.NOT_FOR_SALE, 'offerKey', 'This offer is not sold any more.');
  }
  if (tenant.status !== TenantStatus.ACTIVE) {
    return refusal(UserErrorCode.INVALID, 'tenantKey', 'A suspended tenant buys nothing: resume it first.');
  }
  if (offer.tierKeys.length > 0 && !offer.tierKeys.includes(tierKey)) {
    const tiers = offer.tierKeys.join(', ');
    return refusal(
      UserErrorCode.NOT_FOR_SALE,
      'offerKey',
      `Only for tenants on tier ${tiers}, not on ${tierKey}.`,
    );
  }
  if (BigInt(wish.expectedPriceMinor) !== offer.priceMinor) {
    const message = `The price is ${offer.priceMinor} by now. Look at the offer again, then repeat the purchase.`;
    return refusal(UserErrorCode.PRICE_CHANGED, 'expectedPriceMinor', message);
  }
  if (wish.quantity > offer.maxQuantity) {
    const message = `At most ${offer.maxQuantity} of it in one purchase.`;
    return refusal(UserErrorCode.INVALID, 'quantity', message);
  }
  if (isTestClock && wish.provider === PaymentProviderName.STRIPE) {
    const message = 'The tenant is on a test clock, of which Stripe knows nothing. Pay with a test card.';
    return refusal(UserErrorCode.INVALID, 'provider', message);
  }
  return null;
}
