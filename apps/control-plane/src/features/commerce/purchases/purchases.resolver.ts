import { Args, Context, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermission,
  RequireSignIn,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { kindOfId } from '../../../platform/ids.js';
import { PaymentProviderName, PurchaseStatus } from '../../../platform/prisma/schema.js';
import type { PurchaseEffects } from '../../customers/index.js';
import { offerEffectsSchema } from '../offers/offer.effects.js';
import { showEffect } from '../offers/offer-effects.graphql.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PurchaseAccess } from './purchase-access.js';
import { PurchaseDetails } from './purchase-details.js';
import { showEvent } from './purchase-events.graphql.js';
import { PurchaseOrders } from './purchase-orders.js';
import {
  Purchase,
  PurchaseConnection,
  PurchasePreview,
  PurchasePreviewArgs,
  PurchasesArgs,
} from './purchases.graphql.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';
import { providerStopOf } from './stop-retry.rules.js';

const cursors = cursorCodec(
  'purchases',
  z.string().refine((id) => kindOfId(id) === 'purchase'),
);

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
  async list(@Args() args: PurchasesArgs): Promise<Connection<PurchaseOfTenant>> {
    const page = parsePage(args, cursors);
    const filter = { tenantKey: args.tenantKey ?? undefined, status: args.status ?? undefined };
    const rows = await this.purchases.list(filter, page);
    return toConnection(
      rows,
      page,
      (purchase) => cursors.encode(purchase.id),
      () => this.purchases.count(filter),
    );
  }

  @RequireSignIn()
  @Query(() => Purchase, {
    name: 'purchase',
    nullable: true,
    description: 'The purchase of an id; null when there is none, or the caller may not read it.',
  })
  find(
    @Args('id', { type: () => ID, description: 'Id of the purchase.' }) id: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<PurchaseOfTenant | null> {
    return this.access.find(actor, id, 'purchases:read');
  }

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => PurchasePreview, {
    name: 'purchasePreview',
    nullable: true,
    description: 'The effect of buying an offer now; null when it is not on sale.',
  })
  preview(@Args() { tenantKey, offerKey, quantity }: PurchasePreviewArgs): Promise<PurchaseEffects | null> {
    if (quantity < 1) throw badInput('quantity must be 1 or more');
    return this.orders.preview(tenantKey, offerKey, quantity);
  }

  @RequirePermission('offers:read')
  @Query(() => [PaymentProviderName], {
    name: 'paymentProviders',
    description: 'How things can be paid here.',
  })
  listProviders(): PaymentProviderName[] {
    return this.providers.names();
  }

  @ResolveField()
  tenantKey(@Parent() { tenant }: PurchaseOfTenant): string {
    return tenant.key;
  }

  @ResolveField()
  offer(@Parent() purchase: PurchaseOfTenant, @Context() context: GraphqlContext) {
    return this.details.offer(context, purchase);
  }

  @ResolveField()
  effects(@Parent() purchase: PurchaseOfTenant) {
    return offerEffectsSchema.parse(purchase.effects).map(showEffect);
  }

  @ResolveField()
  checkoutUrl(@Parent() { status, checkoutUrl }: PurchaseOfTenant): string | null {
    return status === PurchaseStatus.PENDING ? checkoutUrl : null;
  }

  @ResolveField()
  providerStop(@Parent() purchase: PurchaseOfTenant) {
    return providerStopOf(purchase);
  }

  @ResolveField()
  payments(@Parent() purchase: PurchaseOfTenant, @Context() context: GraphqlContext) {
    return this.details.payments(context, purchase);
  }

  @ResolveField()
  async events(@Parent() purchase: PurchaseOfTenant, @Context() context: GraphqlContext) {
    return (await this.details.events(context, purchase)).map(showEvent);
  }

  @ResolveField()
  moneyEntries(@Parent() purchase: PurchaseOfTenant, @Context() context: GraphqlContext) {
    return this.details.moneyEntries(context, purchase);
  }
}
