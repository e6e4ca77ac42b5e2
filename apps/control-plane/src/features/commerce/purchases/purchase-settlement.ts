import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { newId } from '../../../platform/ids.js';
import { PurchaseStatus } from '../../../platform/prisma/schema.js';
import { OffersRepository } from '../offers/offers.repository.js';
import { BillingClock } from '../payments/billing-clock.js';
import type { PurchaseEvent } from '../payments/purchase-fact.js';
import { MoneyRepository } from './money.repository.js';
import { foldPurchase, type PurchaseState } from './purchase.fold.js';
import { balancesOf, movesBetween } from './purchase.money.js';
import { noticesOf, warningAt } from './purchase.notices.js';
import { orderOf } from './purchase.order.js';
import { type Standing, standAt } from './purchase.standing.js';
import { PurchaseGrants } from './purchase-grants.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';
import { invoiceAt } from './renewal-invoices.js';

/** Makes everything that hangs on a purchase what its events and the time say: stock, money, entitlements, notices. */
@Injectable()
export class PurchaseSettlement {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly money: MoneyRepository,
    private readonly offers: OffersRepository,
    private readonly grants: PurchaseGrants,
    private readonly clock: BillingClock,
  ) {}

  /**
   * Settles a purchase that is locked. It asks for what ought to be and does what is missing, so that settling again, or
   * after any further event, comes to the same.
   * @throws TooManyAdjustments
   */
  async settle(change: Change, purchase: PurchaseOfTenant): Promise<PurchaseOfTenant> {
    const { tx } = change;
    const time = await this.clock.read(purchase.tenantId, tx);
    const order = orderOf(purchase);
    const stocked = await this.settleStock(
      change,
      purchase,
      await this.purchases.listEvents(purchase.id, tx),
    );
    const state = foldPurchase(order, stocked.events);
    const standing = standAt(order, state, time.now);
    const booked = await this.money.listBalances(tx, purchase.id);
    await this.money.add(tx, purchase, movesBetween(booked, balancesOf(state.payments)));
    const granted = await this.grants.sync(change, purchase, standing, time);
    for (const notice of noticesOf(purchase, state, standing, time.now)) await change.notify(notice);
    return this.purchases.update(tx, purchase.id, {
      ...granted,
      status: standing.status,
      renews: state.renews && standing.grant !== null,
      paidThrough: standing.paidThrough,
      graceEndsAt: standing.graceEndsAt,
      dueAt: dueAt(purchase, standing, time.now),
      holdsStock: stocked.holdsStock,
      subscriptionRef: state.subscription,
      stopDue: purchase.stopDue || isToBeStopped(purchase, state, standing, stocked.events),
    });
  }

  /**
   * An order holds its stock until it is paid or given up. One that is paid after it was given up takes its stock again;
   * when that is sold, the payment is withheld.
   */
  private async settleStock(
    { tx }: Change,
    purchase: PurchaseOfTenant,
    events: PurchaseEvent[],
  ): Promise<{ events: PurchaseEvent[]; holdsStock: boolean }> {
    const { offerId, quantity, holdsStock } = purchase;
    const state = foldPurchase(orderOf(purchase), events);
    const [first] = state.spans;
    if (first !== undefined && !holdsStock) {
      if (await this.offers.take(tx, offerId, quantity)) return { events, holdsStock: true };
      // An operator who has released it knows that the stock was sold.
      if (isReleased(events, first.payment)) return { events, holdsStock: false };
      const fact = { type: 'withheld' as const, payment: first.payment, reason: 'SOLD_OUT' as const };
      const withheld = { source: 'tollgate' as const, id: newId('purchaseEvent'), at: first.startsAt, fact };
      await this.purchases.addEvents(tx, purchase, [withheld]);
      return { events: [...events, withheld], holdsStock: false };
    }
    const isGivenUp =
      state.payments.every(({ standing }) => standing === 'REJECTED') &&
      (state.isExpired || state.payments.length > 0);
    if (!isGivenUp || !holdsStock) return { events, holdsStock };
    await this.offers.giveBack(tx, offerId, quantity);
    return { events, holdsStock: false };
  }
}

function isReleased(events: readonly PurchaseEvent[], payment: string): boolean {
  return events.some(({ fact }) => fact.type === 'released' && fact.payment === payment);
}

function dueAt(purchase: PurchaseOfTenant, standing: Standing, now: Date): Date | null {
  const earlier = [warningAt(purchase, standing), invoiceAt(purchase, standing)];
  return earlier.find((at) => at !== null && now < at) ?? standing.dueAt;
}

const FINAL: PurchaseStatus[] = [
  PurchaseStatus.ENDED,
  PurchaseStatus.REFUNDED,
  PurchaseStatus.REJECTED,
  PurchaseStatus.EXPIRED,
];

/** Whether the provider still means to charge, or to let be paid, what is over for us. */
function isToBeStopped(
  purchase: PurchaseOfTenant,
  state: PurchaseState,
  { status }: Standing,
  events: readonly PurchaseEvent[],
): boolean {
  if (status === purchase.status) return false;
  if (events.some(({ fact }) => fact.type === 'ended')) return false;
  const isLost = status === PurchaseStatus.DISPUTED && state.payments.at(-1)?.isDisputeLost === true;
  if (!isLost && !FINAL.includes(status)) return false;
  return status === PurchaseStatus.EXPIRED || state.renews;
}
