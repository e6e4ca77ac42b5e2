import { OfferKind } from '../../../platform/prisma/schema.js';
import type { Order } from './purchase.fold.js';
import type { PurchaseRow } from './purchases.repository.js';

/** What a purchase was ordered as. */
export function orderOf(purchase: PurchaseRow): Order {
  const isRenewing = purchase.kind === OfferKind.UPGRADE;
  return {
    amountMinor: Number(purchase.amountMinor),
    currency: purchase.currency,
    customer: purchase.customerRef,
    period: isRenewing ? { interval: purchase.interval ?? 'MONTH' } : { days: purchase.validDays ?? 1 },
    isRenewing,
    graceDays: purchase.graceDays,
  };
}
