import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { notFound, refuse } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import {
  BillingInterval,
  OfferKind,
  OfferStatus,
  PaymentProviderName,
} from '../../../platform/prisma/schema.js';
import {
  findPurchaseEffects,
  type PurchaseEffects,
  TenantsRepository,
  TenantViews,
} from '../../customers/index.js';
import { offerEffectsSchema, timesQuantity } from '../offers/offer.effects.js';
import { type OfferRow, OffersRepository } from '../offers/offers.repository.js';
import { BillingClock } from '../payments/billing-clock.js';
import { findObstacle, refusal } from './purchase.obstacles.js';
import { MARGIN_MS, ORDER_MS, type OrderedInput } from './purchase.rules.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

const DAY_MS = 86_400_000;

/** Writes orders, with the terms of that moment. */
@Injectable()
export class PurchaseOrders {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly billing: BillingClock,
  ) {}

  /** Takes the stock and writes the order. Refused: NOT_FOUND, NOT_FOR_SALE, PRICE_CHANGED, INVALID, NO_EFFECT, SOLD_OUT. */
  async place(change: Change, input: OrderedInput) {
    const { tenantKey, offerKey, quantity, provider } = input;
    // Everybody who is allowed to order sees only tenants of their own.
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse<PurchaseOfTenant>([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const offer = await this.offers.lockByKey(change.tx, offerKey);
    const { tier } = await this.tenants.findSubscription(change.tx, tenant.id);
    const { now, realNow, isTest } = await this.billing.read(tenant.id, change.tx);
    const obstacle = findObstacle({ tenant, offer, tierKey: tier.key, isTestClock: isTest }, input);
    if (obstacle !== null) return refuse<PurchaseOfTenant>([obstacle]);
    const noEffect =
      offer && (await this.findEffects(tenant.id, offer, quantity, realNow, change.tx)).noEffect;
    if (noEffect !== null) {
      return refuse<PurchaseOfTenant>([refusal(UserErrorCode.NO_EFFECT, 'offerKey', noEffect)]);
    }
    if (offer === null || !(await this.offers.take(change.tx, offer.id, quantity))) {
      const message = 'Not so many of it are left.';
      return refuse<PurchaseOfTenant>([refusal(UserErrorCode.SOLD_OUT, 'quantity', message)]);
    }
    const isByInvoice = provider === PaymentProviderName.INVOICE;
    const purchase = await this.purchases.create(change.tx, {
      tenantId: tenant.id,
      offerId: offer.id,
      provider,
      quantity,
      kind: offer.kind,
      label: quantity === 1 ? offer.name : `${quantity} × ${offer.name}`,
      amountMinor: offer.priceMinor * BigInt(quantity),
      currency: offer.currency,
      interval: offer.interval,
      validDays: offer.validDays,
      graceDays: offer.graceDays,
      effects: timesQuantity(offerEffectsSchema.parse(offer.effects), quantity),
      carryOver: offer.carryOver,
      expiresAt: isByInvoice ? null : new Date(realNow.getTime() + ORDER_MS + MARGIN_MS),
      holdsStock: true,
      createdAt: now,
    });
    const { priceMinor, currency } = offer;
    await change.audit({
      action: 'purchase.start',
      entity: 'Purchase',
      entityId: purchase.id,
      tenantKey,
      before: null,
      after: { offerKey, quantity, provider, priceMinor: Number(priceMinor), currency },
    });
    return purchase;
  }

  /** The tenant's limits before and after a purchase; null where there is no such offer or tenant. */
  async preview(tenantKey: string, offerKey: string, quantity: number): Promise<PurchaseEffects | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const offer = await this.offers.findByKey(offerKey);
    if (tenant === null || offer?.status !== OfferStatus.ACTIVE) return null;
    const { realNow } = await this.billing.read(tenant.id);
    return this.findEffects(tenant.id, offer, quantity, realNow);
  }

  private async findEffects(
    tenantId: string,
    offer: OfferRow,
    quantity: number,
    now: Date,
    tx?: Tx,
  ): Promise<PurchaseEffects> {
    const situation = (await this.views.list([tenantId], tx)).get(tenantId);
    if (situation === undefined) throw new Error(`Tenant ${tenantId} is on no published version`);
    const effects = timesQuantity(offerEffectsSchema.parse(offer.effects), quantity);
    const source = offer.kind === OfferKind.TOPUP ? ('topup' as const) : ('upgrade' as const);
    return findPurchaseEffects(situation, { source, effects }, endOfFirstPeriod(offer, now));
  }
}

/** End of the period that the first payment buys; null: the purchase does not end. */
function endOfFirstPeriod({ interval, validDays }: OfferRow, now: Date): Date | null {
  const days = validDays ?? (interval === null ? null : interval === BillingInterval.YEAR ? 365 : 28);
  return days === null ? null : new Date(now.getTime() + days * DAY_MS);
}
