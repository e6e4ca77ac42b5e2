import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireSignIn,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { PortalService } from './portal.service.js';
import { PurchaseChangesService } from './purchase-changes.service.js';
import { PurchaseStartService } from './purchase-start.service.js';
import { PurchaseStopRetryService } from './purchase-stop-retry.service.js';
import {
  PaymentDecisionInput,
  PaymentPortalLinkInput,
  PaymentPortalLinkPayload,
  Purchase,
  PurchaseCancelInput,
  PurchasePayload,
  PurchaseRefundInput,
  PurchaseStartInput,
} from './purchases.graphql.js';

/** What can be done to purchases. */
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
    description: 'Orders an offer. Pay it on the page at `checkoutUrl`, or by the invoice that goes out.',
  })
  async start(
    @Args('input', { description: 'The order.' }) input: PurchaseStartInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('purchase', await this.starts.start(caller, input));
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
    return payloadOf('purchase', await this.changes.cancel(caller, input));
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
    return payloadOf('purchase', await this.changes.refund(caller, input));
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
    return payloadOf('purchase', await this.changes.release(caller, input));
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
    return payloadOf('purchase', await this.changes.reject(caller, input));
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
    return payloadOf('purchase', await this.stopRetries.retry(caller, input));
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
}
