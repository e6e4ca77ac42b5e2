import { Injectable } from '@nestjs/common';
import { formatMoney } from '@tollgate/contracts';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import {
  AutoTopUpStatus,
  AutoTopUpStop,
  PurchaseStatus,
  TenantStatus,
} from '../../../platform/prisma/schema.js';
import { isOnSale } from '../offers/offers.repository.js';
import { type ChargeResult, ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PurchaseEventsService } from '../purchases/purchase-events.service.js';
import { PurchaseOrders } from '../purchases/purchase-start.service.js';
import { PurchasesRepository, type PurchaseWithTenant } from '../purchases/purchases.repository.js';
import { type AutoTopUpDecision, decide, GIVE_UP_MS, ORDER_GAP_MS } from './auto-top-up.rules.js';
import { type AutoTopUpRow, AutoTopUpsRepository } from './auto-top-ups.repository.js';
import { AutoTopUpFactsService, auditChange, noticeOf } from './auto-top-ups.service.js';

/** Everything but usage is checked again after this time: offers, plans, and the cap of a new month. */
const RECHECK_MS = 900_000;

/** Waits between attempts to learn the outcome of a charge. */
const MIN_RETRY_MS = 30_000;
const MAX_RETRY_MS = 900_000;

const BATCH = 200;

/** Charges that wait for a provider at the same time. */
const CONCURRENCY = 8;

interface OpenOrder {
  purchase: PurchaseWithTenant;
  autoTopUp: AutoTopUpRow;
}

/** Orders for auto top-ups and charges their cards. */
@Injectable()
export class AutoTopUpOrders {
  constructor(
    private readonly autoTopUps: AutoTopUpsRepository,
    private readonly facts: AutoTopUpFactsService,
    private readonly orders: PurchaseOrders,
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Charges the open order of an auto top-up, or orders if little is left. The order is committed before the provider is
   * called, and stays open until the outcome is known: a worker that takes over charges the same order.
   */
  async advance(id: string): Promise<void> {
    const outcome = await this.changes.run<OpenOrder | null>(this.caller(), { reason: null }, (change) =>
      this.findOrOrder(change, id),
    );
    if (outcome.ok && outcome.value !== null) await this.charge(outcome.value);
  }

  private async findOrOrder(change: Change, id: string): Promise<OpenOrder | null> {
    const { tx } = change;
    const autoTopUp = await this.autoTopUps.lock(tx, id);
    if (autoTopUp === null) return null;
    const now = this.clock.now();
    const open = await this.autoTopUps.findOpenOrder(tx, id);
    if (open !== null) {
      const isUnpaid = open.status === PurchaseStatus.PENDING;
      if (!isUnpaid) await this.checkAt(change, id, now.getTime() + RECHECK_MS);
      return isUnpaid ? { purchase: open, autoTopUp } : null;
    }
    if (autoTopUp.status !== AutoTopUpStatus.ON) {
      await this.autoTopUps.update(tx, id, { dueAt: null });
      return null;
    }
    const decision = await this.decide(change, autoTopUp, now);
    return this.follow(change, autoTopUp, decision, now);
  }

  private async decide(change: Change, autoTopUp: AutoTopUpRow, now: Date): Promise<AutoTopUpDecision> {
    const { tx } = change;
    const { offer, tenant } = autoTopUp;
    const { limit, terms } = await this.facts.readQuota(tx, autoTopUp, offer);
    const { spentMinor } = await this.facts.readSpent(autoTopUp.id, tenant.id, tx);
    return decide({
      nowMs: now.getTime(),
      isTenantActive: tenant.status === TenantStatus.ACTIVE,
      isDisputed: (await this.autoTopUps.countDisputed(tx, autoTopUp.id)) > autoTopUp.knownDisputes,
      offer: { name: offer.name, isActive: isOnSale(offer) },
      currency: autoTopUp.currency,
      terms,
      agreed: {
        priceMinor: Number(autoTopUp.agreedPriceMinor),
        units: Number(autoTopUp.agreedUnits),
        validDays: autoTopUp.agreedValidDays,
      },
      capMinor: Number(autoTopUp.capMinor),
      threshold:
        autoTopUp.thresholdUnits === null
          ? { percent: autoTopUp.thresholdPercent ?? 0 }
          : { units: Number(autoTopUp.thresholdUnits) },
      quota: limit === null ? null : { limit, used: await this.autoTopUps.readUsed(tx, autoTopUp, now) },
      orderedAtMs: autoTopUp.orderedAt?.getTime() ?? null,
      spentMinor,
    });
  }

  private async follow(
    change: Change,
    autoTopUp: AutoTopUpRow,
    decision: AutoTopUpDecision,
    now: Date,
  ): Promise<OpenOrder | null> {
    const { id } = autoTopUp;
    const recheckMs = now.getTime() + RECHECK_MS;
    switch (decision.kind) {
      case 'wait':
        await this.checkAt(change, id, decision.untilMs ?? recheckMs);
        return null;
      case 'capped':
        await this.reportCap(change, autoTopUp, null);
        await this.checkAt(change, id, recheckMs);
        return null;
      case 'pause':
        await this.pause(change, autoTopUp, decision.reason, decision.detail);
        return null;
      case 'order':
        return this.order(change, autoTopUp, now);
    }
  }

  private async order(change: Change, autoTopUp: AutoTopUpRow, now: Date): Promise<OpenOrder | null> {
    const { id, offer, tenant, provider } = autoTopUp;
    const ordered = await this.orders.create(
      change,
      {
        ...{ tenantKey: tenant.key, offerKey: offer.key, quantity: 1, provider },
        ...{ expectedPriceMinor: Number(offer.priceMinor), returnPath: null, reason: null },
      },
      id,
    );
    if (!('ok' in ordered)) {
      const retryAt = new Date(now.getTime() + ORDER_GAP_MS);
      const updated = await this.autoTopUps.update(change.tx, id, { orderedAt: now, dueAt: retryAt });
      return { purchase: ordered, autoTopUp: updated };
    }
    const [error] = ordered.errors;
    const message = error?.message ?? 'The offer cannot be bought.';
    if (error?.code === UserErrorCode.SPEND_CAP) {
      await this.reportCap(change, autoTopUp, message);
      await this.checkAt(change, id, now.getTime() + RECHECK_MS);
    } else if (error?.code === UserErrorCode.PRICE_CHANGED) {
      await this.checkAt(change, id, now.getTime());
    } else {
      await this.pause(change, autoTopUp, AutoTopUpStop.NOT_FOR_SALE, message);
    }
    return null;
  }

  /** Charges an open order. While the outcome is unknown, the order counts against the cap and no other is made. */
  private async charge({ purchase, autoTopUp }: OpenOrder): Promise<void> {
    const now = this.clock.now();
    const ageMs = now.getTime() - (autoTopUp.orderedAt?.getTime() ?? now.getTime());
    const result = await this.tryCharge(purchase, autoTopUp);
    if (result?.status === 'declined') return this.fail(purchase.id, autoTopUp.id, result.message);
    if (result !== null) await this.purchases.setCheckout(purchase.id, result.checkout);
    if (result?.status === 'paid') {
      if (result.event !== null) await this.events.book(this.caller(), purchase.id, result.event);
      return;
    }
    if (ageMs > GIVE_UP_MS)
      return this.fail(purchase.id, autoTopUp.id, 'The payment was not confirmed in time.');
    const waitMs = Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, ageMs));
    await this.changes.run(this.caller(), { reason: null }, async (change) => {
      await this.autoTopUps.lock(change.tx, autoTopUp.id);
      await this.checkAt(change, autoTopUp.id, now.getTime() + waitMs);
      return null;
    });
  }

  /** Null: the outcome is unknown. */
  private async tryCharge(
    { id: purchaseId, tenant, label, amountMinor, currency, checkoutRef, provider }: PurchaseWithTenant,
    { cardRef }: AutoTopUpRow,
  ): Promise<ChargeResult | null> {
    const savedCards = this.providers.find(provider)?.savedCards ?? null;
    if (savedCards === null)
      return { status: 'declined', message: 'This payment method is no longer available.' };
    try {
      return await savedCards.charge({
        ...{ purchaseId, tenant, label, amountMinor: Number(amountMinor), currency },
        ...{ card: cardRef, chargeRef: checkoutRef },
      });
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      this.log.warn({ purchaseId, provider, error: error.message }, 'auto top-up not charged; trying again');
      return null;
    }
  }

  /** Cancels an order that was not paid and turns its auto top-up off; has no effect on a paid one. */
  private async fail(purchaseId: string, id: string, message: string): Promise<void> {
    await this.changes.run(this.caller(), { reason: message }, async (change) => {
      const before = await this.autoTopUps.lock(change.tx, id);
      const purchase = await this.purchases.lock(change.tx, purchaseId);
      if (before === null || purchase?.status !== PurchaseStatus.PENDING) return null;
      const at = this.clock.now();
      const canceled = { type: 'canceled' as const };
      await this.events.append(change, purchase, [
        { source: 'tollgate', id: `${purchaseId}.declined`, at, fact: canceled },
      ]);
      const after = await this.autoTopUps.update(change.tx, id, {
        status: AutoTopUpStatus.OFF,
        stopReason: AutoTopUpStop.PAYMENT_FAILED,
        stopDetail: message,
        dueAt: null,
      });
      await auditChange(change, 'autoTopUp.fail', before, after);
      await change.notify({
        ...noticeOf(after, 'auto_topup.failed', { problem: message, purchaseId }),
        dedupeKey: `auto_topup.failed:${purchaseId}`,
      });
      return null;
    });
  }

  private async pause(
    change: Change,
    before: AutoTopUpRow,
    stopReason: AutoTopUpStop,
    stopDetail: string,
  ): Promise<void> {
    const status = AutoTopUpStatus.PAUSED;
    const stop = { status, stopReason, stopDetail, dueAt: null };
    const after = await this.autoTopUps.update(change.tx, before.id, stop);
    await auditChange(change, 'autoTopUp.pause', before, after);
    await change.notify({
      ...noticeOf(after, 'auto_topup.paused', { problem: stopDetail }),
      dedupeKey: `auto_topup.paused:${change.id}`,
    });
  }

  /** Notifies once per month and cap. @param problem of the spend cap of the tenant; null: the cap of the auto top-up */
  private async reportCap(change: Change, autoTopUp: AutoTopUpRow, problem: string | null): Promise<void> {
    const { id, tenantId, currency, capMinor } = autoTopUp;
    const { spentMinor, resetsAt } = await this.facts.readSpent(id, tenantId, change.tx);
    const cap = formatMoney(Number(capMinor), currency);
    const own = `${formatMoney(spentMinor, currency)} of ${cap} are ordered this month.`;
    await change.notify({
      ...noticeOf(autoTopUp, 'auto_topup.cap_reached', { problem: problem ?? own }),
      dedupeKey: `auto_topup.cap_reached:${id}:${resetsAt.toISOString()}:${problem === null ? capMinor : 'tenant'}`,
    });
  }

  private async checkAt({ tx }: Change, id: string, atMs: number): Promise<void> {
    await this.autoTopUps.update(tx, id, { dueAt: new Date(atMs) });
  }

  private caller(): Caller {
    return { actor: jobActor('auto-top-up'), requestId: newId('request') };
  }
}

/** Checks auto top-ups that usage has made due, and those that were not checked for a while. */
@Injectable()
@ScheduledJob({ name: 'auto-top-up', everyMs: 1000 })
export class AutoTopUpJob implements Job {
  constructor(
    private readonly autoTopUps: AutoTopUpsRepository,
    private readonly orders: AutoTopUpOrders,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Returns the number of checked auto top-ups. One that fails is checked again in a minute. */
  async run(): Promise<number> {
    const due = await this.autoTopUps.claimDue(this.clock.now(), BATCH);
    for (let i = 0; i < due.length; i += CONCURRENCY) {
      await Promise.all(due.slice(i, i + CONCURRENCY).map((id) => this.advance(id)));
    }
    return due.length;
  }

  private async advance(id: string): Promise<void> {
    try {
      await this.orders.advance(id);
    } catch (error) {
      this.log.error({ err: error, autoTopUpId: id }, 'auto top-up failed');
    }
  }
}
