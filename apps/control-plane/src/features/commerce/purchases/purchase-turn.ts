import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { newId } from '../../../platform/ids.js';
import { PurchaseStatus } from '../../../platform/prisma/schema.js';
import { BillingClock } from '../payments/billing-clock.js';
import type { PurchaseEvent } from '../payments/purchase-fact.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';
import { RenewalInvoices } from './renewal-invoices.js';

/** Brings one purchase to where the time is. */
@Injectable()
export class PurchaseTurn {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly invoices: RenewalInvoices,
    private readonly billing: BillingClock,
    private readonly changes: ChangeRunner,
  ) {}

  /** The purchase as it stands then; null when there is none. */
  async advance(id: string): Promise<PurchaseOfTenant | null> {
    const caller: Caller = { actor: jobActor('purchases'), requestId: newId('request') };
    const outcome = await this.changes.run<PurchaseOfTenant | null>(
      caller,
      { reason: null },
      async (change) => {
        const purchase = await this.purchases.lock(change.tx, id);
        if (purchase === null) return null;
        const { now, realNow } = await this.billing.read(purchase.tenantId, change.tx);
        const invoiced = await this.invoices.advance(change, purchase, now);
        const advanced = await this.events.settle(change, purchase, [
          ...lapse(purchase, realNow),
          ...invoiced,
        ]);
        if (advanced.stopDue) await this.invoices.voidOpen(change, advanced, now);
        return advanced;
      },
    );
    return outcome.ok ? outcome.value : null;
  }
}

/** Nobody has paid in time. */
function lapse({ id, status, expiresAt }: PurchaseOfTenant, realNow: Date): PurchaseEvent[] {
  if (status !== PurchaseStatus.PENDING || expiresAt === null || expiresAt > realNow) return [];
  return [{ source: 'tollgate', id: `${id}.lapsed`, at: expiresAt, fact: { type: 'expired' } }];
}
