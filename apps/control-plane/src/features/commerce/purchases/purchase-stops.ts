import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { Log } from '../../../platform/log.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';
import { isStopDue, retryStopAt } from './stop-retry.rules.js';

/** Tells providers that nothing is to be charged any more for what is over here. */
@Injectable()
export class PurchaseStops {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Asks the provider, if it is time. One that refuses is asked again later; after the last time operators are told. */
  async attempt(purchase: PurchaseOfTenant): Promise<void> {
    if (!isStopDue(purchase, this.clock.now())) return;
    const refusal = await this.ask(purchase);
    if (refusal === null) await this.purchases.markStopped(purchase.id);
    else await this.noteRefusal(purchase, refusal);
  }

  /** What the provider says against it; null: it has stopped. */
  private async ask(purchase: PurchaseOfTenant): Promise<string | null> {
    const { id: purchaseId, tenantId, checkoutRef, subscriptionRef, provider } = purchase;
    const found = this.providers.find(provider);
    if (found === undefined) return 'This way of paying is switched off here; its provider may charge on.';
    try {
      await found.endNow({ purchaseId, tenantId, checkoutRef, subscriptionRef });
      return null;
    } catch (error) {
      this.log.warn({ err: error, purchaseId, provider }, 'A provider does not stop a purchase');
      return error instanceof ProviderFailure ? error.message : 'It failed unexpectedly; the log says why.';
    }
  }

  private async noteRefusal(purchase: PurchaseOfTenant, error: string): Promise<void> {
    const { id: purchaseId, tenant, provider, label: offer, stopAttempts } = purchase;
    const attempts = stopAttempts + 1;
    const retryAt = retryStopAt(attempts, this.clock.now());
    const caller = { actor: jobActor('purchases'), requestId: newId('request') };
    await this.changes.run(caller, { reason: error }, async (change) => {
      // Another worker has asked at the same time: that was one attempt.
      if (!(await this.purchases.noteStopRefused(change.tx, purchase, { retryAt, error }))) return attempts;
      if (retryAt !== null) return attempts;
      await change.audit({
        action: 'purchase.stopGivenUp',
        entity: 'Purchase',
        entityId: purchaseId,
        tenantKey: tenant.key,
        before: null,
        after: { provider, attempts, error },
      });
      await change.notify({
        kind: 'purchase.stop_failed',
        tenant,
        data: { tenant: tenant.key, purchaseId, offer, provider, attempts, error },
      });
      return attempts;
    });
  }
}
