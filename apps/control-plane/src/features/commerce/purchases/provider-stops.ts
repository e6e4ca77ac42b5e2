import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { invalid, notFound, type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { Log } from '../../../platform/log.js';
import { BillingClock } from '../payments/billing-clock.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PurchaseAccess } from './purchase-changes.service.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { type PurchaseCancelInput, purchaseChangeSchema } from './purchase-inputs.js';
import type { ProviderStop } from './purchases.graphql.js';
import { type PurchaseRow, PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits between attempts to cancel at a provider: three days in all, then an operator has to act. */
export const STOP_RETRY_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  16 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
] as const;

export const MAX_STOP_ATTEMPTS = STOP_RETRY_MS.length + 1;

/** Real time of the next attempt after `attempts` failures; null: retries are exhausted. */
export function retryStopAt(attempts: number, now: Date): Date | null {
  const waitMs = STOP_RETRY_MS[attempts - 1];
  return waitMs === undefined ? null : new Date(now.getTime() + waitMs);
}

type StopColumns = Pick<PurchaseRow, 'stopDue' | 'stopAttempts' | 'stopRetryAt' | 'stopError'>;

/** Null if no cancellation is pending. */
export function providerStopOf(columns: StopColumns): ProviderStop | null {
  const { stopDue, stopAttempts, stopRetryAt, stopError } = columns;
  if (!stopDue) return null;
  const isExhausted = stopAttempts >= MAX_STOP_ATTEMPTS;
  return { attempts: stopAttempts, nextAttemptAt: stopRetryAt, lastError: stopError, isExhausted };
}

export function isStopDue(columns: StopColumns, now: Date): boolean {
  const stop = providerStopOf(columns);
  return stop !== null && !stop.isExhausted && (stop.nextAttemptAt === null || stop.nextAttemptAt <= now);
}

/** Cancels ended purchases at their providers, so that nothing further is charged. */
@Injectable()
export class ProviderStops {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
    private readonly events: PurchaseEventsService,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Cancels at the provider if an attempt is due. A failure is retried later; operators are notified of the last one. */
  async attempt(purchase: PurchaseWithTenant): Promise<void> {
    if (!isStopDue(purchase, this.clock.now())) return;
    const failure = await this.cancel(purchase);
    if (failure === null) await this.recordSuccess(purchase);
    else await this.recordFailure(purchase, failure);
  }

  /** The end of a subscription is an event of the purchase: a payment that still arrives does not renew. */
  private async recordSuccess({ id, tenantId, subscriptionRef }: PurchaseWithTenant): Promise<void> {
    const caller = { actor: jobActor('purchases'), requestId: newId('request') };
    await this.changes.run<string>(caller, { reason: null }, async (change) => {
      if (subscriptionRef !== null) {
        const at = await this.billing.now(tenantId, change.tx);
        const fact = { type: 'subscription_ended' as const };
        await this.events.add(change, id, [{ source: 'tollgate', id: `${id}.ended`, at, fact }]);
      }
      await this.purchases.markStopped(change.tx, id);
      return id;
    });
  }

  /** The provider's error message; null on success. */
  private async cancel(purchase: PurchaseWithTenant): Promise<string | null> {
    const { id: purchaseId, tenantId, checkoutRef, subscriptionRef, provider } = purchase;
    const found = this.providers.find(provider);
    if (found === undefined) return 'The payment provider is disabled; it may still charge.';
    try {
      await found.endNow({ purchaseId, tenantId, checkoutRef, subscriptionRef });
      return null;
    } catch (error) {
      this.log.warn({ err: error, purchaseId, provider }, 'cancellation at payment provider failed');
      return error instanceof ProviderFailure ? error.message : 'Unexpected error; see the log.';
    }
  }

  private async recordFailure(purchase: PurchaseWithTenant, error: string): Promise<void> {
    const { id: purchaseId, tenant, provider, label: offer, stopAttempts } = purchase;
    const attempts = stopAttempts + 1;
    const retryAt = retryStopAt(attempts, this.clock.now());
    const caller = { actor: jobActor('purchases'), requestId: newId('request') };
    await this.changes.run(caller, { reason: error }, async (change) => {
      // Concurrent attempts of several workers count once.
      if (!(await this.purchases.recordStopFailure(change.tx, purchase, { retryAt, error }))) return attempts;
      if (retryAt !== null) return attempts;
      await change.audit({
        action: 'purchase.stopFailed',
        entityId: purchaseId,
        entityName: offer,
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

/** Retries a cancellation on an operator's request. */
@Injectable()
export class PurchaseStopRetryService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly access: PurchaseAccess,
    private readonly stops: ProviderStops,
    private readonly changes: ChangeRunner,
  ) {}

  /** Retries immediately and restarts automatic retries. Errors: NOT_FOUND, INVALID. */
  async retry(caller: Caller, input: PurchaseCancelInput): Promise<Outcome<PurchaseWithTenant>> {
    const parsed = parseInput(purchaseChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([notFound(['purchaseId'], `purchase "${purchaseId}"`)]);
    if (!purchase.stopDue) {
      return refuse([invalid(['purchaseId'], 'No cancellation is pending at the provider.')], purchase);
    }
    const begun = await this.changes.run<PurchaseWithTenant>(caller, { reason }, async (change) => {
      await change.audit({
        action: 'purchase.stopRetry',
        entityId: purchaseId,
        entityName: purchase.label,
        tenantKey: purchase.tenant.key,
        before: { attempts: purchase.stopAttempts, error: purchase.stopError },
        after: { attempts: 0 },
      });
      const data = { stopAttempts: 0, stopRetryAt: null, stopError: null };
      return this.purchases.update(change.tx, purchaseId, data);
    });
    if (!begun.ok || caller.dryRun === true) return begun;
    await this.stops.attempt(begun.value);
    return { ...begun, value: (await this.purchases.findById(purchaseId)) ?? begun.value };
  }
}
