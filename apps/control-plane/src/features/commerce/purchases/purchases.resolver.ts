import { Injectable } from '@nestjs/common';
import { Args, Context, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermission,
  RequirePermissionInSomeTenant,
  RequireSignIn,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { type Connection, cursorCodec, idOf, readPage } from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { PaymentProviderName, PurchaseStatus } from '../../../platform/prisma/schema.js';
import { offerEffectsSchema, showEffect } from '../offers/offer-effects.js';
import { type OfferRow, OffersRepository } from '../offers/offers.repository.js';
import type { PurchaseEvent } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PortalService } from './payment-pages.js';
import { PurchaseStopRetryService, providerStopOf } from './provider-stops.js';
import { foldPurchase, orderOf, type Payment, sortEvents } from './purchase.fold.js';
import { PurchaseAccess, PurchaseChangesService } from './purchase-changes.service.js';
import {
  PaymentDecisionInput,
  PaymentPortalLinkInput,
  PurchaseCancelInput,
  PurchasePreviewArgs,
  PurchaseRefundInput,
  PurchaseStartInput,
  PurchasesArgs,
} from './purchase-inputs.js';
import { PurchaseOrders, PurchaseStartService } from './purchase-start.service.js';
import {
  PaymentPortalLinkPayload,
  Purchase,
  PurchaseConnection,
  PurchasePayload,
  PurchasePreview,
  showEvent,
} from './purchases.graphql.js';
import { type MoneyEntryRow, PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

const OFFERS = Symbol('offers by id');
const PURCHASES = Symbol('purchases by id');
const EVENTS = Symbol('events by purchase id');
const MONEY = Symbol('money entries by purchase id');

/** Loads the details of purchases, batched per request. */
@Injectable()
export class PurchaseDetails {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
  ) {}

  offer(context: GraphqlContext, { offerId }: PurchaseWithTenant): Promise<OfferRow | null> {
    return requestLoader<OfferRow | null>(context, OFFERS, null, (ids) => this.offers.listByIds(ids)).load(
      offerId,
    );
  }

  purchase(context: GraphqlContext, id: string): Promise<PurchaseWithTenant | null> {
    return requestLoader<PurchaseWithTenant | null>(context, PURCHASES, null, (ids) =>
      this.purchases.listByIds(ids),
    ).load(id);
  }

  async payments(context: GraphqlContext, purchase: PurchaseWithTenant): Promise<Payment[]> {
    return foldPurchase(orderOf(purchase), await this.loadEvents(context, purchase)).payments;
  }

  async events(context: GraphqlContext, purchase: PurchaseWithTenant): Promise<PurchaseEvent[]> {
    return sortEvents(await this.loadEvents(context, purchase));
  }

  async moneyEntries(context: GraphqlContext, { id }: PurchaseWithTenant) {
    const loader = requestLoader<MoneyEntryRow[]>(context, MONEY, [], (ids) => this.purchases.listMoney(ids));
    return (await loader.load(id)).map((entry) => ({ ...entry, amountMinor: String(entry.amountMinor) }));
  }

  private loadEvents(context: GraphqlContext, { id }: PurchaseWithTenant): Promise<PurchaseEvent[]> {
    return requestLoader<PurchaseEvent[]>(context, EVENTS, [], (ids) =>
      this.purchases.listEventsOf(ids),
    ).load(id);
  }
}

const cursors = cursorCodec('purchases', idOf('purchase'));

@Resolver(() => Purchase)
export class PurchasesResolver {
  constructor(
    private readonly details: PurchaseDetails,
    private readonly access: PurchaseAccess,
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
    private readonly orders: PurchaseOrders,
  ) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => PurchaseConnection, { name: 'purchases', description: 'Purchases, newest first.' })
  list(@Args() args: PurchasesArgs): Promise<Connection<PurchaseWithTenant>> {
    const filter = { tenantKey: args.tenantKey ?? undefined, status: args.status ?? undefined };
    return readPage(args, cursors, ({ id }) => id, this.purchases, filter);
  }

  @RequireSignIn()
  @Query(() => Purchase, {
    name: 'purchase',
    nullable: true,
    description: 'The purchase with an id; null if it does not exist or the caller may not read it.',
  })
  find(
    @Args('id', { type: () => ID, description: 'Id of the purchase.' }) id: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<PurchaseWithTenant | null> {
    return this.access.find(actor, id, 'purchases:read');
  }

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => PurchasePreview, {
    name: 'purchasePreview',
    nullable: true,
    description: 'Effect and price of buying an offer now; null if it is not active.',
  })
  preview(@Args() { tenantKey, offerKey, quantity }: PurchasePreviewArgs): Promise<PurchasePreview | null> {
    if (quantity < 1) throw badInput('quantity must be 1 or more');
    return this.orders.preview(tenantKey, offerKey, quantity);
  }

  @RequirePermission('offers:read')
  @Query(() => [PaymentProviderName], {
    name: 'paymentProviders',
    description: 'Enabled payment methods.',
  })
  listProviders(): PaymentProviderName[] {
    return this.providers.names();
  }

  @ResolveField()
  tenantKey(@Parent() { tenant }: PurchaseWithTenant): string {
    return tenant.key;
  }

  @ResolveField()
  isAutomatic(@Parent() { autoTopUpId }: PurchaseWithTenant): boolean {
    return autoTopUpId !== null;
  }

  @ResolveField()
  offer(@Parent() purchase: PurchaseWithTenant, @Context() context: GraphqlContext) {
    return this.details.offer(context, purchase);
  }

  @ResolveField()
  effects(@Parent() purchase: PurchaseWithTenant) {
    return offerEffectsSchema.parse(purchase.effects).map(showEffect);
  }

  @ResolveField()
  checkoutUrl(@Parent() { status, checkoutUrl }: PurchaseWithTenant): string | null {
    return status === PurchaseStatus.PENDING ? checkoutUrl : null;
  }

  @ResolveField()
  providerStop(@Parent() purchase: PurchaseWithTenant) {
    return providerStopOf(purchase);
  }

  @ResolveField()
  payments(@Parent() purchase: PurchaseWithTenant, @Context() context: GraphqlContext) {
    return this.details.payments(context, purchase);
  }

  @ResolveField()
  async events(@Parent() purchase: PurchaseWithTenant, @Context() context: GraphqlContext) {
    return (await this.details.events(context, purchase)).map(showEvent);
  }

  @ResolveField()
  moneyEntries(@Parent() purchase: PurchaseWithTenant, @Context() context: GraphqlContext) {
    return this.details.moneyEntries(context, purchase);
  }
}

@Resolver(() => Purchase)
export class PurchaseChangesResolver {
  constructor(
    private readonly starts: PurchaseStartService,
    private readonly changes: PurchaseChangesService,
    private readonly stopRetries: PurchaseStopRetryService,
    private readonly portal: PortalService,
  ) {}

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseStart',
    description: 'Orders an offer. Pay at `checkoutUrl`, or by the invoice that is issued.',
  })
  async start(@Input() input: PurchaseStartInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.starts.start(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => PurchasePayload, {
    name: 'purchaseCancel',
    description: 'Stops the renewal at the end of the paid period, or cancels an unpaid order.',
  })
  async cancel(@Input() input: PurchaseCancelInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.changes.cancel(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseRefund',
    description:
      'Refunds a payment through its provider. A full refund revokes the entitlements of its period.',
  })
  async refund(@Input() input: PurchaseRefundInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.changes.refund(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseApprove',
    description: 'Approves a payment that needs review.',
  })
  async approve(@Input() input: PaymentDecisionInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.changes.approve(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseReject',
    description: 'Rejects and refunds a payment that needs review.',
  })
  async reject(@Input() input: PaymentDecisionInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.changes.reject(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseStopRetry',
    description: 'Retries a cancellation at the payment provider.',
  })
  async retryStop(@Input() input: PurchaseCancelInput, @CurrentCaller() caller: Caller) {
    return payloadOf('purchase', await this.stopRetries.retry(caller, input));
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => PaymentPortalLinkPayload, {
    name: 'paymentPortalLink',
    description: 'Creates a link to the billing portal, where the tenant manages cards and receipts.',
  })
  async makePortalLink(@Input() input: PaymentPortalLinkInput, @CurrentCaller() _caller: Caller) {
    const outcome = await this.portal.createLink(input);
    return outcome.ok ? { url: outcome.value, userErrors: [] } : { url: null, userErrors: outcome.errors };
  }
}
