import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { refusal } from './purchase.obstacles.js';
import { purchaseStartSchema } from './purchase.rules.js';
import { PurchaseCheckout } from './purchase-checkout.js';
import { PurchaseOrders } from './purchase-orders.js';
import type { PurchaseStartInput } from './purchases.graphql.js';
import type { PurchaseOfTenant } from './purchases.repository.js';

/** Orders: what is bought, by whom, at which price, and where it is paid. */
@Injectable()
export class PurchaseStartService {
  constructor(
    private readonly orders: PurchaseOrders,
    private readonly checkout: PurchaseCheckout,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Orders an offer and opens its checkout at the provider. Refused: INVALID, NOT_FOUND, NOT_FOR_SALE, PRICE_CHANGED,
   * NO_EFFECT, SOLD_OUT, PROVIDER_UNAVAILABLE; then nothing is ordered.
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
      this.orders.place(change, parsed.data),
    );
    if (!ordered.ok || caller.dryRun === true) return ordered;
    return this.checkout.open(caller, ordered, provider, parsed.data);
  }
}
