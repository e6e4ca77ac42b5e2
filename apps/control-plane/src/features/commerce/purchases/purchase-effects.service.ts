import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/prisma/database.js';
import { BillingInterval, OfferKind } from '../../../platform/prisma/schema.js';
import { findPurchaseEffects, type PurchaseEffects, TenantViews } from '../../customers/index.js';
import type { StoredOfferEffect } from '../offers/offer-effects.js';

const DAY_MS = 86_400_000;

/** The terms of an offer or order that decide what it changes. */
export interface SoldEffects {
  kind: OfferKind;
  interval: BillingInterval | null;
  validDays: number | null;
  effects: readonly StoredOfferEffect[];
}

/** Computes what purchases change: in previews, when they are ordered and when they are paid. */
@Injectable()
export class PurchaseEffectsService {
  constructor(private readonly views: TenantViews) {}

  /**
   * Undefined if the tenant is on no published version.
   * @param now real time at which the purchase would start
   */
  async find(tenantId: string, sold: SoldEffects, now: Date, tx?: Tx): Promise<PurchaseEffects | undefined> {
    const situation = (await this.views.list([tenantId], tx)).get(tenantId);
    if (situation === undefined) return undefined;
    const source = sold.kind === OfferKind.TOPUP ? ('topup' as const) : ('upgrade' as const);
    return findPurchaseEffects(situation, { source, effects: sold.effects }, endOfFirstPeriod(sold, now));
  }
}

/** End of the first paid period; null if the purchase does not end. */
function endOfFirstPeriod({ interval, validDays }: SoldEffects, now: Date): Date | null {
  const days = validDays ?? (interval === null ? null : interval === BillingInterval.YEAR ? 365 : 28);
  return days === null ? null : new Date(now.getTime() + days * DAY_MS);
}
