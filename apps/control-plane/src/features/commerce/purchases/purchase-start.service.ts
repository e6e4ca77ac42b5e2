import { Injectable } from '@nestjs/common';
import { formatMoney } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { addPeriods } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import {
  OfferKind,
  OfferStatus,
  PaymentProviderName,
  TenantStatus,
} from '../../../platform/prisma/schema.js';
import {
  type PurchasedLimit,
  type PurchaseEffects,
  type TenantRow,
  TenantsRepository,
} from '../../customers/index.js';
import { offerEffectsSchema, timesQuantity } from '../offers/offer-effects.js';
import { isOnSale, type OfferRow, OffersRepository } from '../offers/offers.repository.js';
import { BillingClock } from '../payments/billing-clock.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { CHECKOUT_MARGIN_MS, CHECKOUT_MS, PurchaseCheckout } from './payment-pages.js';
import { lapseAt } from './purchase.reports.js';
import { PurchaseEffectsService } from './purchase-effects.service.js';
import { type PurchaseOrder, type PurchaseStartInput, purchaseStartSchema } from './purchase-inputs.js';
import type { PurchasePreview } from './purchases.graphql.js';
import { PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';
import { SpendCaps } from './spend-caps.js';

/** Orders of a tenant that wait for their payment at the same time. */
const MAX_UNPAID_ORDERS = 20;

/** A limit of a preview, with the purchase that changes it. */
export interface LimitOfPurchase extends PurchasedLimit {
  tenant: TenantRow;
  isTopUp: boolean;
}

interface OrderContext {
  tenant: { status: TenantStatus };
  offer: OfferRow;
  tierKey: string;
  isTestClock: boolean;
}

/** Why an offer cannot be ordered; null if it can, provided that enough stock is left. */
function findViolation({ tenant, offer, tierKey, isTestClock }: OrderContext, order: PurchaseOrder) {
  const violation = (code: UserErrorCode, field: string, message: string): UserError =>
    userError(code, [field], message);
  if (offer.status === OfferStatus.ARCHIVED) {
    return violation(UserErrorCode.NOT_FOR_SALE, 'offerKey', 'This offer is no longer available.');
  }
  if (!offer.isPriceConfirmed) {
    const message = 'This offer is not for sale until its price is confirmed.';
    return violation(UserErrorCode.NOT_FOR_SALE, 'offerKey', message);
  }
  if (tenant.status !== TenantStatus.ACTIVE) {
    const message = 'Suspended tenants cannot buy offers. Resume the tenant first.';
    return violation(UserErrorCode.INVALID, 'tenantKey', message);
  }
  if (offer.tierKeys.length > 0 && !offer.tierKeys.includes(tierKey)) {
    const message = `Only available on tier ${offer.tierKeys.join(', ')}; the tenant is on ${tierKey}.`;
    return violation(UserErrorCode.NOT_FOR_SALE, 'offerKey', message);
  }
  if (BigInt(order.expectedPriceMinor) !== offer.priceMinor) {
    const message = `The price has changed to ${formatMoney(Number(offer.priceMinor), offer.currency)}. Review the offer and try again.`;
    return violation(UserErrorCode.PRICE_CHANGED, 'expectedPriceMinor', message);
  }
  if (order.quantity > offer.maxQuantity) {
    return violation(UserErrorCode.INVALID, 'quantity', `At most ${offer.maxQuantity} per purchase.`);
  }
  if (isTestClock && order.provider === PaymentProviderName.STRIPE) {
    const message = 'Stripe does not support test clocks of Tollgate. Pay with a test card.';
    return violation(UserErrorCode.INVALID, 'provider', message);
  }
  return null;
}

/** Creates orders on the current terms of an offer. */
@Injectable()
export class PurchaseOrders {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
    private readonly tenants: TenantsRepository,
    private readonly effects: PurchaseEffectsService,
    private readonly billing: BillingClock,
    private readonly spendCaps: SpendCaps,
  ) {}

  /**
   * Reserves stock and creates the order. Errors: NOT_FOUND, NOT_FOR_SALE, PRICE_CHANGED, INVALID, NO_EFFECT, SPEND_CAP,
   * SOLD_OUT; nothing is written then.
   * @param autoTopUpId the auto top-up that orders; it ends the order itself, at any time
   */
  async create(change: Change, input: PurchaseOrder, autoTopUpId: string | null = null) {
    const { tenantKey, offerKey, quantity, provider } = input;
    // Row-level security limits the lookup to the caller's tenants.
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null)
      return refuse<PurchaseWithTenant>([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const offer = await this.offers.lockByKey(change.tx, offerKey);
    if (offer === null || offer.status === OfferStatus.DRAFT) {
      const message = `No active offer "${offerKey}".`;
      return refuse<PurchaseWithTenant>([userError(UserErrorCode.NOT_FOUND, ['offerKey'], message)]);
    }
    const { tier } = await this.tenants.findSubscription(change.tx, tenant.id);
    const { now, realNow, isTest } = await this.billing.read(tenant.id, change.tx);
    const violation = findViolation({ tenant, offer, tierKey: tier.key, isTestClock: isTest }, input);
    if (violation !== null) return refuse<PurchaseWithTenant>([violation]);
    const { noEffect } = await this.findEffects(tenant.id, offer, quantity, realNow, change.tx);
    if (noEffect !== null) {
      return refuse<PurchaseWithTenant>([userError(UserErrorCode.NO_EFFECT, ['offerKey'], noEffect)]);
    }
    const { amountMinor } = chargeOf(offer, quantity, now);
    await this.purchases.serializeOrders(change.tx, tenant.id);
    const crowded = autoTopUpId === null ? await this.findCrowding(change.tx, tenant.id) : null;
    if (crowded !== null) return refuse<PurchaseWithTenant>([crowded]);
    const exceeded = await this.spendCaps.findViolation(change.tx, tenant.id, { ...offer, amountMinor });
    if (exceeded !== null) return refuse<PurchaseWithTenant>([exceeded]);
    if (!(await this.offers.reserve(change.tx, offer.id, quantity))) {
      const message = 'Not enough stock left.';
      return refuse<PurchaseWithTenant>([userError(UserErrorCode.SOLD_OUT, ['quantity'], message)]);
    }
    const isInvoice = provider === PaymentProviderName.INVOICE;
    const isTimed = !isInvoice && autoTopUpId === null;
    const purchase = await this.purchases.create(change.tx, {
      tenantId: tenant.id,
      offerId: offer.id,
      provider,
      quantity,
      kind: offer.kind,
      label: quantity === 1 ? offer.name : `${quantity} × ${offer.name}`,
      amountMinor,
      currency: offer.currency,
      interval: offer.interval,
      validDays: offer.validDays,
      graceDays: offer.graceDays,
      effects: timesQuantity(offerEffectsSchema.parse(offer.effects), quantity),
      carryOver: offer.carryOver,
      expiresAt: isTimed ? new Date(realNow.getTime() + CHECKOUT_MS + CHECKOUT_MARGIN_MS) : null,
      dueAt: isInvoice ? lapseAt(now) : null,
      stockReserved: true,
      autoTopUpId,
      createdAt: now,
    });
    const { priceMinor, currency } = offer;
    await change.audit({
      action: 'purchase.start',
      entityId: purchase.id,
      entityName: purchase.label,
      tenantKey,
      before: null,
      after: { offerKey, quantity, provider, priceMinor: Number(priceMinor), currency, autoTopUpId },
    });
    return purchase;
  }

  /** What a purchase changes and charges; null without an active offer or a tenant. */
  async preview(tenantKey: string, offerKey: string, quantity: number): Promise<PurchasePreview | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const offer = await this.offers.findByKey(offerKey);
    if (tenant === null || offer === null || !isOnSale(offer)) return null;
    const { now, realNow } = await this.billing.read(tenant.id);
    const { amountMinor, renewsAt } = chargeOf(offer, quantity, now);
    const { noEffect, ...effects } = await this.findEffects(tenant.id, offer, quantity, realNow);
    // The fields of limits that need more than the purchase find it here.
    const limits = effects.limits.map(
      (limit): LimitOfPurchase => ({ ...limit, tenant, isTopUp: offer.kind === OfferKind.TOPUP }),
    );
    return { limits, noEffect, amountMinor: Number(amountMinor), currency: offer.currency, renewsAt };
  }

  /** Unpaid orders hold stock: a tenant has a bounded number of them. */
  private async findCrowding(tx: Tx, tenantId: string): Promise<UserError | null> {
    if ((await this.purchases.countUnpaid(tx, tenantId)) < MAX_UNPAID_ORDERS) return null;
    const message = `At most ${MAX_UNPAID_ORDERS} unpaid orders. Pay or cancel one of them first.`;
    return userError(UserErrorCode.INVALID, ['tenantKey'], message);
  }

  private async findEffects(
    tenantId: string,
    offer: OfferRow,
    quantity: number,
    now: Date,
    tx?: Tx,
  ): Promise<PurchaseEffects> {
    const effects = timesQuantity(offerEffectsSchema.parse(offer.effects), quantity);
    const found = await this.effects.find(tenantId, { ...offer, effects }, now, tx);
    if (found === undefined) throw new Error(`Tenant ${tenantId} is on no published version`);
    return found;
  }
}

/** What each payment of a purchase charges, and when it renews if it is paid at `now`. Periods are never split. */
function chargeOf({ priceMinor, interval }: OfferRow, quantity: number, now: Date) {
  return {
    amountMinor: priceMinor * BigInt(quantity),
    renewsAt: interval === null ? null : addPeriods(now, { interval }, 1),
  };
}

@Injectable()
export class PurchaseStartService {
  constructor(
    private readonly orders: PurchaseOrders,
    private readonly checkout: PurchaseCheckout,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
  ) {}

  /** Orders an offer and opens its checkout. Errors: those of `create`, and PROVIDER_UNAVAILABLE. */
  async start(caller: Caller, input: PurchaseStartInput): Promise<Outcome<PurchaseWithTenant>> {
    const parsed = parseInput(purchaseStartSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const provider = this.providers.find(parsed.data.provider);
    if (provider === undefined) {
      const message = 'This payment method is not available. Choose one of `paymentProviders`.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, ['provider'], message)]);
    }
    const { reason } = parsed.data;
    const ordered = await this.changes.run<PurchaseWithTenant>(caller, { reason }, (change) =>
      this.orders.create(change, parsed.data),
    );
    if (!ordered.ok || caller.dryRun === true) return ordered;
    return this.checkout.open(caller, ordered, provider, parsed.data);
  }
}
