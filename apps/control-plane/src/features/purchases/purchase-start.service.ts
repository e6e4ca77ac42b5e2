import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { Caller } from '../../platform/access/actor.js';
import type { Change } from '../../platform/changes/change.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { notFound, type Outcome, parseInput, refuse } from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock/clock.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { PaymentProviderName } from '../../platform/prisma/schema.js';
import { OffersRepository, offerEffectsSchema, timesQuantity } from '../offers/index.js';
import { BillingClock, type PaymentProvider, PaymentProviders, ProviderFailure } from '../payments/index.js';
import { TenantsRepository } from '../tenants/index.js';
import { findObstacle, refusal } from './purchase.obstacles.js';
import { pageOf, purchaseStartSchema } from './purchase.rules.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import type { PurchaseStartInput } from './purchases.graphql.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

/** How long a payer has; Stripe allows no less than 30 minutes. */
const ORDER_MS = 60 * 60_000;
/** For payments that were made in the last moment. */
const MARGIN_MS = 5 * 60_000;

type Input = ReturnType<typeof purchaseStartSchema.parse>;

/** Orders: what is bought, by whom, at which price, and where it is paid. */
@Injectable()
export class PurchaseStartService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
    private readonly tenants: TenantsRepository,
    private readonly events: PurchaseEventsService,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Orders an offer and opens its checkout at the provider. Refused: INVALID, NOT_FOUND, NOT_FOR_SALE, PRICE_CHANGED,
   * SOLD_OUT, PROVIDER_UNAVAILABLE; then nothing is ordered.
   */
  async start(caller: Caller, input: PurchaseStartInput): Promise<Outcome<PurchaseOfTenant>> {
    const parsed = parseInput(purchaseStartSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const provider = this.providers.find(parsed.data.provider);
    if (provider === undefined) {
      const message = 'Nothing can be paid in this way here. Choose one of `paymentProviders`.';
      return refuse([refusal(UserErrorCode.PROVIDER_UNAVAILABLE, 'provider', message)]);
    }
    const { reason } = parsed.data;
    const ordered = await this.changes.run<PurchaseOfTenant>(caller, { reason }, (change) =>
      this.order(change, parsed.data),
    );
    if (!ordered.ok || caller.dryRun === true) return ordered;
    return this.checkOut(caller, ordered, provider, parsed.data);
  }

  private async order(change: Change, input: Input) {
    const { tenantKey, offerKey, quantity, provider } = input;
    // Everybody who is allowed to order sees only tenants of their own.
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse<PurchaseOfTenant>([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const offer = await this.offers.lockByKey(change.tx, offerKey);
    const { tier } = await this.tenants.findSubscription(change.tx, tenant.id);
    const { now, isTest } = await this.billing.read(tenant.id, change.tx);
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
      expiresAt: isByInvoice ? null : new Date(this.clock.now().getTime() + ORDER_MS + MARGIN_MS),
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

  /** Outside of the transaction: nobody's rows stay locked while another company thinks. */
  private async checkOut(
    caller: Caller,
    ordered: Outcome<PurchaseOfTenant> & { ok: true },
    provider: PaymentProvider,
    { returnPath }: Input,
  ): Promise<Outcome<PurchaseOfTenant>> {
    const { id: purchaseId, tenant, label, amountMinor, currency, interval, expiresAt } = ordered.value;
    try {
      const checkout = await provider.startCheckout({
        purchaseId,
        tenant,
        label,
        amountMinor: Number(amountMinor),
        currency,
        interval,
        expiresAt: expiresAt === null ? null : new Date(expiresAt.getTime() - MARGIN_MS),
        returnUrl: `${this.config.publicOrigin}${pageOf(tenant.key, returnPath)}`,
      });
      return { ...ordered, value: await this.purchases.setCheckout(purchaseId, checkout) };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      await this.changes.run(caller, { reason: error.message }, async (change) => {
        const fact = { type: 'expired' as const };
        const event = { source: 'tollgate' as const, id: `${purchaseId}.failed`, at: this.clock.now(), fact };
        return this.events.add(change, purchaseId, [event]);
      });
      return refuse([refusal(UserErrorCode.PROVIDER_UNAVAILABLE, 'provider', error.message)]);
    }
  }
}
