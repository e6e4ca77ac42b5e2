import { Injectable } from '@nestjs/common';
import { addDays, addPeriods } from '../../../../platform/clock.js';
import { Database, type Tx } from '../../../../platform/prisma/database.js';
import { TestCard } from '../../../../platform/prisma/schema.js';
import { BillingClock } from '../billing-clock.js';
import type { PurchaseFact } from '../purchase-fact.js';
import { behaviourOf } from './test-cards.js';
import { toTestEvent } from './test-event.js';
import { TestEventsRepository } from './test-events.repository.js';
import { type TestOrderRow, TestOrdersRepository } from './test-orders.repository.js';

export type PayVerdict = { paid: true } | { paid: false; message: string };

/** After so long a renewal that was declined is not tried again: the subscription ends. */
const RETRIES_END_DAYS = 28;
const RETRY_DAYS = 7;

/** The bank behind the test cards: takes no money, keeps books, and tells what happens by events. */
@Injectable()
export class TestBank {
  constructor(
    private readonly database: Database,
    private readonly orders: TestOrdersRepository,
    private readonly events: TestEventsRepository,
    private readonly clock: BillingClock,
  ) {}

  findOrder(id: string): Promise<TestOrderRow | null> {
    return this.orders.find(id);
  }

  /** Pays an order with a card. An order is paid once, however often its form is sent. */
  pay(orderId: string, cardNumber: string): Promise<PayVerdict> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      if (order === null) return { paid: false, message: 'There is no such order.' };
      if (order.card !== null) return { paid: true };
      const behaviour = behaviourOf(cardNumber);
      if ('declines' in behaviour) return { paid: false, message: behaviour.declines };
      const { now } = await this.clock.read(order.tenantId, tx);
      const card = behaviour.charges;
      await this.orders.update(tx, orderId, { card, anchorAt: now, nextChargeAt: nextCharge(order, now, 1) });
      const payment = await this.charge(tx, order, now);
      if (card === TestCard.DISPUTES) {
        const amountMinor = Number(order.amountMinor);
        await this.tell(tx, order, now, { type: 'disputed', payment, dispute: `dp_${payment}`, amountMinor });
      }
      return { paid: true };
    });
  }

  /** Charges the renewals that are due; returns how many there were. */
  async chargeDue(realNow: Date, tenantId: string | undefined, most: number): Promise<number> {
    const due = await this.orders.listDue(realNow, tenantId, most);
    for (const id of due) await this.chargeRenewal(id);
    return due.length;
  }

  /** One renewal, as of the moment it is due. */
  private chargeRenewal(orderId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      const at = order?.nextChargeAt;
      const { now } = order === null ? { now: new Date(0) } : await this.clock.read(order.tenantId, tx);
      if (order === null || at == null || order.anchorAt === null || at > now) return;
      if (order.card !== TestCard.FAILS_RENEWAL) {
        const count = await this.orders.countCharges(tx, orderId);
        await this.charge(tx, order, at);
        await this.orders.update(tx, orderId, { nextChargeAt: nextCharge(order, order.anchorAt, count + 1) });
        return;
      }
      const firstDue = addPeriods(order.anchorAt, { interval: order.interval ?? 'MONTH' }, 1);
      const retryAt = addDays(at, RETRY_DAYS);
      const isOver = at >= addDays(firstDue, RETRIES_END_DAYS);
      await this.tell(
        tx,
        order,
        at,
        isOver
          ? { type: 'ended' }
          : { type: 'renewal_failed', payment: `renewal-${order.id}-${at.getTime()}` },
      );
      await this.orders.update(tx, orderId, { nextChargeAt: isOver ? null : retryAt });
    });
  }

  /** No further charge: after the period that is paid, or at once, where it makes no difference to us. */
  stop(orderId: string, fact: PurchaseFact): Promise<void> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      if (order === null || order.nextChargeAt === null) return;
      const { now } = await this.clock.read(order.tenantId, tx);
      await this.orders.update(tx, orderId, { nextChargeAt: null });
      await this.tell(tx, order, now, fact);
    });
  }

  /** Gives money back, up to `totalMinor` in all; false when there is no such charge, or not so much left of it. */
  refund(chargeId: string, totalMinor: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const found = await this.orders.findCharge(tx, chargeId);
      const order = found === null ? null : await this.orders.lock(tx, found.orderId);
      const charge = await this.orders.findCharge(tx, chargeId);
      if (order === null || charge === null || charge.amountMinor < totalMinor) return false;
      if (charge.refundedMinor >= totalMinor) return true;
      const { now } = await this.clock.read(order.tenantId, tx);
      await this.orders.setRefunded(tx, chargeId, BigInt(totalMinor));
      await this.tell(tx, order, now, { type: 'refunded', payment: chargeId, refundedMinor: totalMinor });
      return true;
    });
  }

  private async charge(tx: Tx, order: TestOrderRow, at: Date): Promise<string> {
    const { id: payment } = await this.orders.charge(tx, order);
    await this.tell(tx, order, at, {
      type: 'paid',
      payment,
      amountMinor: Number(order.amountMinor),
      currency: order.currency,
      customer: order.customerRef,
      ...(order.interval === null ? {} : { subscription: order.id }),
    });
    return payment;
  }

  private tell(tx: Tx, order: TestOrderRow, at: Date, fact: PurchaseFact): Promise<void> {
    return this.events.add(tx, order.tenantId, (id) => toTestEvent(id, order.purchaseId, at, fact));
  }
}

function nextCharge({ interval }: TestOrderRow, anchor: Date, count: number): Date | null {
  return interval === null ? null : addPeriods(anchor, { interval }, count);
}
