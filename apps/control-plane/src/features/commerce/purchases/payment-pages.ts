import { Injectable } from '@nestjs/common';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { TenantsRepository } from '../../customers/index.js';
import { type PaymentProvider, ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PaymentCustomersRepository } from '../payments/payments.repository.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { type PaymentPortalLinkInput, type PurchaseOrder, portalLinkSchema } from './purchase-inputs.js';
import { PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

/** How long a checkout page is open; Stripe allows 30 minutes or more. */
export const CHECKOUT_MS = 60 * 60_000;
/** How long an order outlives its checkout page, for payments in the last moment. */
export const CHECKOUT_MARGIN_MS = 5 * 60_000;

/** Opens the checkout pages of orders. */
@Injectable()
export class PurchaseCheckout {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Opens the checkout of an order at its provider, outside of any transaction so that no row stays locked during the call.
   * Errors: PROVIDER_UNAVAILABLE; the order is then canceled.
   */
  async open(
    caller: Caller,
    ordered: Outcome<PurchaseWithTenant> & { ok: true },
    provider: PaymentProvider,
    { returnPath }: PurchaseOrder,
  ): Promise<Outcome<PurchaseWithTenant>> {
    const { id: purchaseId, tenant, label, amountMinor, currency, interval, expiresAt } = ordered.value;
    try {
      const checkout = await provider.startCheckout({
        purchaseId,
        tenant,
        label,
        amountMinor: Number(amountMinor),
        currency,
        interval,
        expiresAt: expiresAt === null ? null : new Date(expiresAt.getTime() - CHECKOUT_MARGIN_MS),
        returnUrl: returnUrlOf(this.config.publicOrigin, tenant.key, returnPath),
      });
      return { ...ordered, value: await this.purchases.setCheckout(purchaseId, checkout) };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      await this.changes.run(caller, { reason: error.message }, async (change) => {
        const fact = { type: 'canceled' as const };
        const event = { source: 'tollgate' as const, id: `${purchaseId}.failed`, at: this.clock.now(), fact };
        return this.events.add(change, purchaseId, [event]);
      });
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, ['provider'], error.message)]);
    }
  }
}

/** Creates links to the providers' billing portals, where customers manage cards and receipts. */
@Injectable()
export class PortalService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly customers: PaymentCustomersRepository,
    private readonly providers: PaymentProviders,
    private readonly config: AppConfig,
  ) {}

  /** A single-use URL that expires soon. Errors: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE. */
  async createLink(input: PaymentPortalLinkInput): Promise<Outcome<string>> {
    const parsed = parseInput(portalLinkSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, returnPath } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const stripe = this.providers.find('STRIPE');
    const customer = await this.customers.find(tenant.id, 'STRIPE');
    if (stripe === undefined || customer === null) {
      const message = 'The tenant has no payments through a provider with a billing portal.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, ['tenantKey'], message)]);
    }
    try {
      const returnUrl = returnUrlOf(this.config.publicOrigin, tenantKey, returnPath);
      const url = await stripe.findPortalUrl(customer, returnUrl);
      return { ok: true, value: url ?? '', changeId: null, impact: null };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, error.message)]);
    }
  }
}

/** Absolute URL of this installation to which a customer returns; without a path, the receipts in the tenant's portal. */
export function returnUrlOf(origin: string, tenantKey: string, path: string | null | undefined): string {
  const receipts = `${origin}/portal/${tenantKey}/receipts`;
  return path == null ? receipts : (sameOriginUrl(origin, path) ?? receipts);
}
