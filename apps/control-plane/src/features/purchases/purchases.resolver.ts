import { Args, Context, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import {
  RequirePermission,
  RequirePermissionInSomeTenant,
  RequireSignIn,
  RequireTenantPermission,
} from '../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../platform/changes/outcome.js';
import type { Connection } from '../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../platform/graphql/context.js';
import { cursorCodec, parsePage, toConnection } from '../../platform/graphql/paging.js';
import { kindOfId } from '../../platform/ids/new-id.js';
import { PaymentProviderName, PurchaseStatus } from '../../platform/prisma/schema.js';
import { offerEffectsSchema, showEffect } from '../offers/index.js';
import { PaymentProviders } from '../payments/index.js';
import { PortalService } from './portal.service.js';
import { PurchaseAccess } from './purchase-access.js';
import { PurchaseChangesService } from './purchase-changes.service.js';
import { PurchaseDetails } from './purchase-details.js';
import { showEvent } from './purchase-events.graphql.js';
import { PurchaseStartService } from './purchase-start.service.js';
import { PurchaseStopRetryService } from './purchase-stop-retry.service.js';
import {
  PaymentDecisionInput,
  PaymentPortalLinkInput,
  PaymentPortalLinkPayload,
  Purchase,
  PurchaseCancelInput,
  PurchaseConnection,
  PurchasePayload,
  PurchaseRefundInput,
  PurchaseStartInput,
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
    private readonly starts: PurchaseStartService,
    private readonly changes: PurchaseChangesService,
    private readonly stopRetries: PurchaseStopRetryService,
    private readonly portal: PortalService,
    private readonly details: PurchaseDetails,
    private readonly access: PurchaseAccess,
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
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

  @RequirePermission('offers:read')
  @Query(() => [PaymentProviderName], {
    name: 'paymentProviders',
    description: 'How things can be paid here.',
  })
  listProviders(): PaymentProviderName[] {
    return this.providers.names();
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseStart',
    description: 'Orders an offer. Pay it on the page at `checkoutUrl`, or by the invoice that goes out.',
  })
  async start(
    @Args('input', { description: 'The order.' }) input: PurchaseStartInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.starts.start(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => PurchasePayload, {
    name: 'purchaseCancel',
    description: 'Stops the renewal at the end of what is paid; gives up an order that is not paid.',
  })
  async cancel(
    @Args('input', { description: 'Which purchase.' }) input: PurchaseCancelInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.changes.cancel(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseRefund',
    description:
      'Gives money back through its provider. What is given back as a whole is taken back as a whole.',
  })
  async refund(
    @Args('input', { description: 'What to give back.' }) input: PurchaseRefundInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.changes.refund(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseRelease',
    description: 'Takes a payment that was held for what was ordered.',
  })
  async release(
    @Args('input', { description: 'Which payment.' }) input: PaymentDecisionInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.changes.release(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseReject',
    description: 'Gives a payment that was held back to who paid it.',
  })
  async reject(
    @Args('input', { description: 'Which payment.' }) input: PaymentDecisionInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.changes.reject(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => PurchasePayload, {
    name: 'purchaseStopRetry',
    description: 'Asks a provider once more to stop charging for what is over here.',
  })
  async retryStop(
    @Args('input', { description: 'Which purchase.' }) input: PurchaseCancelInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.stopRetries.retry(caller, input));
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => PaymentPortalLinkPayload, {
    name: 'paymentPortalLink',
    description: 'Makes a link to the page on which the tenant changes its card and sees its receipts.',
  })
  async makePortalLink(
    @Args('input', { description: 'Whose page.' }) input: PaymentPortalLinkInput,
    @CurrentCaller() caller: Caller,
  ) {
    const outcome = await this.portal.makeLink(caller, input);
    return outcome.ok ? { url: outcome.value, userErrors: [] } : { url: null, userErrors: outcome.errors };
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

function payload(outcome: Outcome<PurchaseOfTenant>) {
  return outcome.ok
    ? { purchase: outcome.value, changeId: outcome.changeId, impact: outcome.impact, userErrors: [] }
    : { purchase: outcome.current, changeId: null, impact: null, userErrors: outcome.errors };
}
