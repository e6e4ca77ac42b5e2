import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { type PaymentProvider, ProviderFailure } from '../payments/payment-provider.js';
import { refusal } from './purchase.obstacles.js';
import { MARGIN_MS, type OrderedInput, returnUrlOf } from './purchase.rules.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

/** Opens the pages on which orders are paid. */
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
   * Outside of any transaction: nobody's rows stay locked while another company thinks. Refused: PROVIDER_UNAVAILABLE; then
   * the order is given up.
   */
  async open(
    caller: Caller,
    ordered: Outcome<PurchaseOfTenant> & { ok: true },
    provider: PaymentProvider,
    { returnPath }: OrderedInput,
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
        returnUrl: returnUrlOf(this.config.publicOrigin, tenant.key, returnPath),
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
