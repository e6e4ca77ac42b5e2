import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { newId } from '../../../platform/ids.js';
import type { PaymentProviderName } from '../../../platform/prisma/schema.js';
import { TooManyAdjustments } from '../../customers/index.js';
import type { PurchaseEvent } from '../payments/purchase-fact.js';
import { PurchaseSettlement } from './purchase-settlement.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

/** `unknown`: there is no such purchase, or it is paid elsewhere. */
export type TakeVerdict = 'taken' | 'duplicate' | 'unknown';

/** Who may tell what happened to a purchase, besides Tollgate itself. */
const SOURCES: Record<PaymentProviderName, PurchaseEvent['source']> = {
  STRIPE: 'stripe',
  TEST: 'test',
  INVOICE: 'invoice',
};

/** Takes what happens to purchases: each event once, in one transaction with all that it brings about. */
@Injectable()
export class PurchaseEventsService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly settlement: PurchaseSettlement,
    private readonly changes: ChangeRunner,
  ) {}

  /** Takes an event that a provider tells. When it returns, it is committed. */
  async take(caller: Caller, purchaseId: string, event: PurchaseEvent): Promise<TakeVerdict> {
    try {
      return await this.runTaking(caller, purchaseId, [event]);
    } catch (error) {
      // The money is there all the same: somebody has to decide what becomes of it.
      if (!(error instanceof TooManyAdjustments) || event.fact.type !== 'paid') throw error;
      const fact = { type: 'withheld' as const, payment: event.fact.payment, reason: 'TOO_MANY' as const };
      const withheld = { source: 'tollgate' as const, id: newId('purchaseEvent'), at: event.at, fact };
      return this.runTaking(caller, purchaseId, [event, withheld]);
    }
  }

  /** Adds events to a purchase, which gets locked, and settles it; null when all of them were there. */
  async add(
    change: Change,
    purchaseId: string,
    events: readonly PurchaseEvent[],
  ): Promise<PurchaseOfTenant | null> {
    const purchase = await this.purchases.lock(change.tx, purchaseId);
    if (purchase === null) return null;
    if ((await this.purchases.addEvents(change.tx, purchase, events)) === 0) return null;
    const settled = await this.settlement.settle(change, purchase);
    for (const { source, id, fact } of events) {
      await change.audit({
        action: `purchase.${fact.type}`,
        entity: 'Purchase',
        entityId: purchaseId,
        tenantKey: purchase.tenant.key,
        before: { status: purchase.status },
        after: { status: settled.status, event: `${source} ${id}`, ...fact },
      });
    }
    return settled;
  }

  /** As `add`, of a purchase that is locked, which is settled in any case: time may have passed. */
  async settle(
    change: Change,
    purchase: PurchaseOfTenant,
    events: readonly PurchaseEvent[],
  ): Promise<PurchaseOfTenant> {
    const added = events.length === 0 ? null : await this.add(change, purchase.id, events);
    return added ?? this.settlement.settle(change, purchase);
  }

  private async runTaking(caller: Caller, purchaseId: string, events: PurchaseEvent[]): Promise<TakeVerdict> {
    const outcome = await this.changes.run<TakeVerdict>(caller, { reason: null }, async (change) => {
      const purchase = await this.purchases.lock(change.tx, purchaseId);
      const [{ source }] = events as [PurchaseEvent];
      if (purchase === null || SOURCES[purchase.provider] !== source) return 'unknown';
      return (await this.add(change, purchaseId, events)) === null ? 'duplicate' : 'taken';
    });
    return outcome.ok ? outcome.value : 'unknown';
  }
}
