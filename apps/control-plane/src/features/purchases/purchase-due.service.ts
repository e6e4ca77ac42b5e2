import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { Clock } from '../../platform/clock/clock.js';
import { newId } from '../../platform/ids/new-id.js';
import { Log } from '../../platform/logging/log.js';
import { PurchaseStatus } from '../../platform/prisma/schema.js';
import { BillingClock, PaymentProviders, type PurchaseEvent } from '../payments/index.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { PurchaseSettlement } from './purchase-settlement.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';
import { RenewalInvoices } from './renewal-invoices.js';

/** Purchases in one go; what is left over is there at the next one. */
const BATCH = 200;

/** Does what time alone brings about: orders lapse, grace and top-ups end, invoices go out, providers are told to stop. */
@Injectable()
export class PurchaseDueService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly settlement: PurchaseSettlement,
    private readonly invoices: RenewalInvoices,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Everything that is due; of one tenant, where one is named. One that fails is left for the next run. */
  async run(tenantId?: string): Promise<number> {
    return this.advanceAll(await this.purchases.listDue(this.clock.now(), tenantId, BATCH));
  }

  /** All that a tenant has in force, when its time is counted by another clock than before. */
  async settleAll(tenantId: string): Promise<void> {
    await this.advanceAll(await this.purchases.listGranted(tenantId));
  }

  private async advanceAll(ids: string[]): Promise<number> {
    for (const id of ids) {
      try {
        await this.advance(id);
      } catch (error) {
        this.log.error({ err: error, purchaseId: id }, 'A purchase could not be advanced');
      }
    }
    return ids.length;
  }

  private async advance(id: string): Promise<void> {
    const caller: Caller = { actor: jobActor('purchases'), requestId: newId('request') };
    const outcome = await this.changes.run<PurchaseOfTenant | null>(
      caller,
      { reason: null },
      async (change) => {
        const purchase = await this.purchases.lock(change.tx, id);
        if (purchase === null) return null;
        const now = await this.billing.now(purchase.tenantId, change.tx);
        const events = [...this.lapse(purchase), ...(await this.invoices.advance(change, purchase, now))];
        const added = events.length === 0 ? null : await this.events.add(change, id, events);
        const advanced = added ?? (await this.settlement.settle(change, purchase));
        if (advanced.stopDue) await this.invoices.voidOpen(change, advanced, now);
        return advanced;
      },
    );
    if (outcome.ok && outcome.value?.stopDue) await this.stopAtProvider(outcome.value);
  }

  /** Nobody has paid in time. */
  private lapse(purchase: PurchaseOfTenant): PurchaseEvent[] {
    const { id, status, expiresAt } = purchase;
    if (status !== PurchaseStatus.PENDING || expiresAt === null || expiresAt > this.clock.now()) return [];
    return [{ source: 'tollgate', id: `${id}.lapsed`, at: expiresAt, fact: { type: 'expired' } }];
  }

  /** Asked until the provider has heard it. */
  private async stopAtProvider(purchase: PurchaseOfTenant): Promise<void> {
    const { id: purchaseId, tenantId, checkoutRef, subscriptionRef, provider } = purchase;
    const found = this.providers.find(provider);
    if (found === undefined)
      this.log.warn({ purchaseId, provider }, 'A provider that is switched off may charge on');
    await found?.endNow({ purchaseId, tenantId, checkoutRef, subscriptionRef });
    await this.purchases.markStopped(purchaseId);
  }
}
