import { Injectable } from '@nestjs/common';
import type { Change } from '../../platform/changes/change.js';
import { notFound, refuse } from '../../platform/changes/outcome.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { PaymentProviderName } from '../../platform/prisma/schema.js';
import { OffersRepository, offerEffectsSchema, timesQuantity } from '../offers/index.js';
import { BillingClock } from '../payments/index.js';
import { TenantsRepository } from '../tenants/index.js';
import { findObstacle, refusal } from './purchase.obstacles.js';
import type { OrderedInput } from './purchase.rules.js';
import { MARGIN_MS, ORDER_MS } from './purchase.rules.js';
import type { PurchaseOfTenant } from './purchases.repository.js';
import { PurchasesRepository } from './purchases.repository.js';

/** Writes orders, with the terms of that moment. */
@Injectable()
export class PurchaseOrders {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
    private readonly tenants: TenantsRepository,
    private readonly billing: BillingClock,
  ) {}

  /** Takes the stock and writes the order. Refused: NOT_FOUND, NOT_FOR_SALE, PRICE_CHANGED, INVALID, SOLD_OUT. */
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
}
