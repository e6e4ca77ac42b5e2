import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import {
  EntitlementCause,
  OfferKind,
  type PaymentProviderName,
  PurchaseStatus,
} from '../../../platform/prisma/schema.js';
import { EntitlementsService, TenantsRepository, TooManyAdjustments } from '../../customers/index.js';
import { offerEffectsSchema } from '../offers/offer-effects.js';
import { OffersRepository } from '../offers/offers.repository.js';
import { BillingClock } from '../payments/billing-clock.js';
import type { PurchaseEvent } from '../payments/payment-provider.js';
import {
  foldPurchase,
  orderOf,
  type PurchaseSnapshot,
  type PurchaseState,
  snapshotAt,
} from './purchase.fold.js';
import { balancesOf, isProviderStopDue, movesBetween, nextDueAt, noticesOf } from './purchase.reports.js';
import { PurchaseEffectsService } from './purchase-effects.service.js';
import { NO_STOP, PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

/** `unknown`: no such purchase, or another provider charges for it. */
export type BookResult = 'booked' | 'duplicate' | 'unknown';

/** Period during which the entitlements of a purchase are granted, in real time. */
type Granted = Pick<PurchaseWithTenant, 'grantedSince' | 'grantedUntil'>;

const SOURCES: Record<PaymentProviderName, PurchaseEvent['source']> = {
  STRIPE: 'stripe',
  TEST: 'test',
  INVOICE: 'invoice',
};

/** Reconciles a purchase with its event log: stock, ledger, entitlements, notices and timers. */
@Injectable()
export class PurchaseReconciler {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly offers: OffersRepository,
    private readonly entitlements: EntitlementsService,
    private readonly effects: PurchaseEffectsService,
    private readonly tenants: TenantsRepository,
    private readonly billing: BillingClock,
    private readonly clock: Clock,
  ) {}

  /**
   * Reconciles a locked purchase. Idempotent: compares the target state with the current one and writes the difference.
   * @throws TooManyAdjustments
   */
  async reconcile(change: Change, purchase: PurchaseWithTenant): Promise<PurchaseWithTenant> {
    const { tx } = change;
    const { now, isTest } = await this.billing.read(purchase.tenantId, tx);
    const order = orderOf(purchase);
    const booked = await this.purchases.listEvents(purchase.id, tx);
    const found = [...booked, ...(await this.flagWithoutEffect(change, purchase, booked))];
    const { state, events, stockReserved } = await this.reserveStock(change, purchase, found, now);
    const snapshot = snapshotAt(order, state, now);
    const balances = await this.purchases.listBalances(tx, purchase.id);
    await this.purchases.addMoney(tx, purchase, movesBetween(balances, balancesOf(state.payments)));
    const granted = await this.grant(change, purchase, snapshot, isTest);
    for (const notice of noticesOf(purchase, state, snapshot, now)) await change.notify(notice);
    return this.purchases.update(tx, purchase.id, {
      ...granted,
      status: snapshot.status,
      renews: state.renews && snapshot.grant !== null,
      paidThrough: snapshot.paidThrough,
      graceEndsAt: snapshot.graceEndsAt,
      dueAt: nextDueAt(purchase, snapshot, now),
      stockReserved,
      subscriptionRef: state.subscription,
      ...(isProviderStopDue(purchase, state, snapshot, events) ? { stopDue: true } : NO_STOP),
    });
  }

  /**
   * Flags the first payment if the purchase would change no limit by now, since an override, an own limit or a move to another
   * tier after the order. Locks the tenant, so that an override is set either before this check, or after the grant and with a
   * warning.
   */
  private async flagWithoutEffect(
    { tx }: Change,
    purchase: PurchaseWithTenant,
    events: PurchaseEvent[],
  ): Promise<PurchaseEvent[]> {
    const [first] = foldPurchase(orderOf(purchase), events).spans;
    const isChecked = purchase.paidThrough !== null || isApproved(events, first?.payment);
    if (first === undefined || first.reversal !== null || isChecked) return [];
    await this.tenants.lockByKey(tx, purchase.tenant.key);
    const sold = { ...purchase, effects: offerEffectsSchema.parse(purchase.effects) };
    const found = await this.effects.find(purchase.tenantId, sold, this.clock.now(), tx);
    if (found === undefined || found.noEffect === null) return [];
    const flagged = flag(first.payment, first.startsAt, 'NO_EFFECT');
    await this.purchases.addEvents(tx, purchase, [flagged]);
    return [flagged];
  }

  /**
   * Releases the stock of an order that was canceled or whose payments were all rejected. A completed checkout or a payment
   * after that reserves it again; if the offer is sold out by then, the payment is flagged for review.
   */
  private async reserveStock(
    { tx }: Change,
    purchase: PurchaseWithTenant,
    events: PurchaseEvent[],
    now: Date,
  ): Promise<{ state: PurchaseState; events: PurchaseEvent[]; stockReserved: boolean }> {
    const { offerId, quantity, stockReserved } = purchase;
    const order = orderOf(purchase);
    const state = foldPurchase(order, events);
    const [first] = state.spans;
    if (first !== undefined && !stockReserved) {
      if (await this.offers.reserve(tx, offerId, quantity)) return { state, events, stockReserved: true };
      // An operator who approves the payment accepts the oversale.
      if (isApproved(events, first.payment)) return { state, events, stockReserved: false };
      const flagged = flag(first.payment, first.startsAt, 'SOLD_OUT');
      await this.purchases.addEvents(tx, purchase, [flagged]);
      const all = [...events, flagged];
      return { state: foldPurchase(order, all), events: all, stockReserved: false };
    }
    const { status } = snapshotAt(order, state, now);
    if (status === PurchaseStatus.PROCESSING && !stockReserved) {
      return { state, events, stockReserved: await this.offers.reserve(tx, offerId, quantity) };
    }
    const isAbandoned = status === PurchaseStatus.CANCELED || status === PurchaseStatus.REJECTED;
    if (!isAbandoned || !stockReserved) return { state, events, stockReserved };
    await this.offers.release(tx, offerId, quantity);
    return { state, events, stockReserved: false };
  }

  /**
   * Starts, extends, shortens or ends the entitlements of a purchase. Nodes run on real time: entitlements of a tenant on a
   * test clock have no end date and are ended when the test clock reaches it.
   */
  private async grant(
    change: Change,
    purchase: PurchaseWithTenant,
    { grant, status }: PurchaseSnapshot,
    isTest: boolean,
  ): Promise<Granted> {
    const { grantedSince, grantedUntil } = purchase;
    if (grant === null) {
      if (grantedSince !== null) await this.endGrant(change, purchase, this.clock.now(), causeOfEnd(status));
      return { grantedSince: null, grantedUntil: null };
    }
    const until = isTest ? null : grant.until;
    if (grantedSince === null) return this.startGrant(change, purchase, until, EntitlementCause.PURCHASE);
    if (until?.getTime() === grantedUntil?.getTime()) return { grantedSince, grantedUntil };
    if (until !== null && (grantedUntil === null || until < grantedUntil)) {
      await this.endGrant(change, purchase, until, EntitlementCause.CANCELED);
      return { grantedSince, grantedUntil: until };
    }
    await this.endGrant(change, purchase, this.clock.now(), EntitlementCause.REPLACED);
    return this.startGrant(change, purchase, until, EntitlementCause.RENEWAL);
  }

  private async startGrant(
    change: Change,
    purchase: PurchaseWithTenant,
    endsAt: Date | null,
    cause: EntitlementCause,
  ): Promise<Granted> {
    const { id: purchaseId, label, carryOver, tenant } = purchase;
    const startsAt = this.clock.now();
    const source = purchase.kind === OfferKind.TOPUP ? 'topup' : 'upgrade';
    const effects = offerEffectsSchema.parse(purchase.effects);
    const facts = { source, cause, purchaseId, label, effects, startsAt, endsAt, carryOver } as const;
    await this.entitlements.grant(change, tenant, { ...facts, usedOnce: source === 'topup' });
    return { grantedSince: startsAt, grantedUntil: endsAt };
  }

  private async endGrant(
    change: Change,
    { id: purchaseId, tenant }: PurchaseWithTenant,
    at: Date,
    cause: EntitlementCause,
  ): Promise<void> {
    await this.entitlements.end(change, tenant, { which: { purchaseId }, at, cause });
  }
}

/** Books the events of purchases: each once, in one transaction with everything that follows from it. */
@Injectable()
export class PurchaseEventsService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly reconciler: PurchaseReconciler,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /** Books an event of a payment provider; committed when it returns. */
  async book(caller: Caller, purchaseId: string, event: PurchaseEvent): Promise<BookResult> {
    try {
      const result = await this.bookAll(caller, purchaseId, [event]);
      // Not in the same transaction: orders lock the auto top-up before the purchase.
      if (event.fact.type === 'disputed') await this.purchases.makeAutoTopUpDue(purchaseId, this.clock.now());
      return result;
    } catch (error) {
      // The money has arrived and must be booked even if nothing can be granted for it.
      if (!(error instanceof TooManyAdjustments) || event.fact.type !== 'paid') throw error;
      const flagged = flag(event.fact.payment, event.at, 'TOO_MANY');
      return this.bookAll(caller, purchaseId, [event, flagged]);
    }
  }

  /** Locks a purchase and appends events to it; null if it does not exist or has all of them already. */
  async add(
    change: Change,
    purchaseId: string,
    events: readonly PurchaseEvent[],
  ): Promise<PurchaseWithTenant | null> {
    const purchase = await this.purchases.lock(change.tx, purchaseId);
    return purchase === null ? null : this.append(change, purchase, events);
  }

  /** Appends events to a locked purchase and reconciles it; null if it has all of them already. */
  async append(
    change: Change,
    purchase: PurchaseWithTenant,
    events: readonly PurchaseEvent[],
  ): Promise<PurchaseWithTenant | null> {
    if ((await this.purchases.addEvents(change.tx, purchase, events)) === 0) return null;
    const changed = await this.reconciler.reconcile(change, purchase);
    for (const { source, id, fact } of events) {
      await change.audit({
        action: `purchase.${fact.type}`,
        entityId: purchase.id,
        entityName: purchase.label,
        tenantKey: purchase.tenant.key,
        before: { status: purchase.status },
        after: { status: changed.status, event: `${source} ${id}`, ...fact },
      });
    }
    return changed;
  }

  /** Reconciles a locked purchase after time has passed, with the events that time has caused. */
  async advance(
    change: Change,
    purchase: PurchaseWithTenant,
    events: readonly PurchaseEvent[],
  ): Promise<PurchaseWithTenant> {
    const changed = events.length === 0 ? null : await this.append(change, purchase, events);
    return changed ?? this.reconciler.reconcile(change, purchase);
  }

  private async bookAll(caller: Caller, purchaseId: string, events: PurchaseEvent[]): Promise<BookResult> {
    const outcome = await this.changes.run<BookResult>(caller, { reason: null }, async (change) => {
      const purchase = await this.purchases.lock(change.tx, purchaseId);
      if (purchase === null || SOURCES[purchase.provider] !== events[0]?.source) return 'unknown';
      return (await this.append(change, purchase, events)) === null ? 'duplicate' : 'booked';
    });
    return outcome.ok ? outcome.value : 'unknown';
  }
}

function isApproved(events: readonly PurchaseEvent[], payment: string | undefined): boolean {
  return events.some(({ fact }) => fact.type === 'approved' && fact.payment === payment);
}

type FlagReason = Extract<PurchaseEvent['fact'], { type: 'flagged' }>['reason'];

function flag(payment: string, at: Date, reason: FlagReason): PurchaseEvent {
  return { source: 'tollgate', id: newId('purchaseEvent'), at, fact: { type: 'flagged', payment, reason } };
}

function causeOfEnd(status: PurchaseStatus): EntitlementCause {
  if (status === PurchaseStatus.REFUNDED) return EntitlementCause.REFUNDED;
  if (status === PurchaseStatus.DISPUTED) return EntitlementCause.DISPUTED;
  return EntitlementCause.PAYMENT_FAILED;
}
