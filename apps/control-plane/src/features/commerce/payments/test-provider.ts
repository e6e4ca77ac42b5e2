import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { addDays, addPeriods } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { TestCard } from '../../../platform/prisma/schema.js';
import { BillingClock } from './billing-clock.js';
import {
  type CardCharge,
  type ChargeResult,
  type Checkout,
  type CheckoutOrder,
  type PaymentProvider,
  type PlacedOrder,
  ProviderFailure,
  type PurchaseFact,
  purchaseFactSchema,
  type Refund,
  type SavedCard,
  type SavedCards,
} from './payment-provider.js';
import {
  TestEventsRepository,
  type TestOrderRow,
  TestOrdersRepository,
  type TestSavedCardRow,
  TestSavedCardsRepository,
} from './payments.repository.js';

export const testEventSchema = z.object({
  id: z.string().min(1).max(64),
  object: z.literal('test_event'),
  purchase: z.string(),
  /** Billing time of the tenant. */
  at: z.iso.datetime(),
  fact: purchaseFactSchema,
});

export type TestEvent = z.output<typeof testEventSchema>;

export function toTestEvent(id: string, purchase: string, at: Date, fact: PurchaseFact): TestEvent {
  return { id, object: 'test_event', purchase, at: at.toISOString(), fact };
}

export type CardBehavior = { charges: TestCard } | { declines: string };

interface CardExample {
  number: string;
  does: string;
  behavior: CardBehavior;
}

/** The cards that the page knows; any other number is declined. */
export const TEST_CARDS: readonly CardExample[] = [
  { number: '4242 4242 4242 4242', does: 'pays', behavior: { charges: TestCard.PAYS } },
  {
    number: '4000 0000 0000 0002',
    does: 'is declined',
    behavior: { declines: 'Your card was declined.' },
  },
  {
    number: '4000 0000 0000 0259',
    does: 'pays, then its owner disputes it',
    behavior: { charges: TestCard.DISPUTES },
  },
  {
    number: '4000 0000 0000 0341',
    does: 'pays once; charges without you find insufficient funds',
    behavior: { charges: TestCard.FAILS_RENEWAL },
  },
];

/** Behavior of a card number; spaces and dashes are ignored. */
export function behaviorOf(number: string): CardBehavior {
  const digits = number.replace(/[\s-]/g, '');
  const known = TEST_CARDS.find((card) => card.number.replaceAll(' ', '') === digits);
  return known?.behavior ?? { declines: 'This is no test card. Use one of the numbers below.' };
}

export type PayVerdict = { paid: true } | { paid: false; message: string };

/** A declined renewal is retried for this long; then the subscription ends. */
const RETRIES_END_DAYS = 28;
const RETRY_DAYS = 7;

/** Simulates a bank: charges test cards without moving money, and reports by events. */
@Injectable()
export class TestBank {
  constructor(
    private readonly database: Database,
    private readonly orders: TestOrdersRepository,
    private readonly cards: TestSavedCardsRepository,
    private readonly events: TestEventsRepository,
    private readonly clock: BillingClock,
  ) {}

  findOrder(id: string): Promise<TestOrderRow | null> {
    return this.orders.find(id);
  }

  /** Pays an order with a card. Idempotent. */
  pay(orderId: string, cardNumber: string): Promise<PayVerdict> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      if (order === null) return { paid: false, message: 'This order does not exist.' };
      if (order.card !== null) return { paid: true };
      const behavior = behaviorOf(cardNumber);
      if ('declines' in behavior) return { paid: false, message: behavior.declines };
      await this.chargeFirst(tx, order, behavior.charges);
      return { paid: true };
    });
  }

  findCard(id: string): Promise<TestSavedCardRow | null> {
    return this.cards.find(id);
  }

  /** Saves a card on the page of `id`; the first one stays. Returns why it was declined; null if it is saved. */
  async saveCard(id: string, cardNumber: string): Promise<string | null> {
    const behavior = behaviorOf(cardNumber);
    if ('declines' in behavior) return behavior.declines;
    await this.cards.save(id, behavior.charges, cardNumber.replace(/\D/g, '').slice(-4));
    return null;
  }

  /** Pays an order with a saved card of its tenant. Idempotent. */
  paySaved(orderId: string, cardId: string): Promise<PayVerdict> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      if (order === null) return { paid: false, message: 'This order does not exist.' };
      if (order.card !== null) return { paid: true };
      const saved = await this.cards.find(cardId, tx);
      if (saved === null || saved.card === null || saved.tenantId !== order.tenantId)
        return { paid: false, message: 'The saved card can no longer be charged.' };
      if (saved.card === TestCard.FAILS_RENEWAL)
        return { paid: false, message: 'Your card has insufficient funds.' };
      await this.chargeFirst(tx, order, saved.card);
      return { paid: true };
    });
  }

  private async chargeFirst(tx: Tx, order: TestOrderRow, card: TestCard): Promise<void> {
    const { now } = await this.clock.read(order.tenantId, tx);
    await this.orders.update(tx, order.id, { card, anchorAt: now, nextChargeAt: nextCharge(order, now, 1) });
    const payment = await this.charge(tx, order, now);
    if (card !== TestCard.DISPUTES) return;
    const amountMinor = Number(order.amountMinor);
    await this.emit(tx, order, now, { type: 'disputed', payment, dispute: `dp_${payment}`, amountMinor });
  }

  /** Charges due renewals and returns their number. */
  async chargeDue(realNow: Date, tenantId: string | undefined, most: number): Promise<number> {
    const due = await this.orders.listDue(realNow, tenantId, most);
    for (const id of due) await this.chargeRenewal(id);
    return due.length;
  }

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
      await this.emit(
        tx,
        order,
        at,
        isOver
          ? { type: 'subscription_ended' }
          : { type: 'renewal_failed', payment: `renewal-${order.id}-${at.getTime()}` },
      );
      await this.orders.update(tx, orderId, { nextChargeAt: isOver ? null : retryAt });
    });
  }

  /** Stops further charges and reports `fact`. */
  stop(orderId: string, fact: PurchaseFact): Promise<void> {
    return this.database.transaction(async (tx) => {
      const order = await this.orders.lock(tx, orderId);
      if (order === null || order.nextChargeAt === null) return;
      const { now } = await this.clock.read(order.tenantId, tx);
      await this.orders.update(tx, orderId, { nextChargeAt: null });
      await this.emit(tx, order, now, fact);
    });
  }

  /** Refunds a charge up to `totalMinor` in total; false if it does not exist or is smaller. */
  refund(chargeId: string, totalMinor: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const found = await this.orders.findCharge(tx, chargeId);
      const order = found === null ? null : await this.orders.lock(tx, found.orderId);
      const charge = await this.orders.findCharge(tx, chargeId);
      if (order === null || charge === null || charge.amountMinor < totalMinor) return false;
      if (charge.refundedMinor >= totalMinor) return true;
      const { now } = await this.clock.read(order.tenantId, tx);
      await this.orders.setRefunded(tx, chargeId, BigInt(totalMinor));
      await this.emit(tx, order, now, { type: 'refunded', payment: chargeId, refundedMinor: totalMinor });
      return true;
    });
  }

  private async charge(tx: Tx, order: TestOrderRow, at: Date): Promise<string> {
    const { id: payment } = await this.orders.charge(tx, order);
    await this.emit(tx, order, at, {
      type: 'paid',
      payment,
      amountMinor: Number(order.amountMinor),
      currency: order.currency,
      customer: order.customerRef,
      ...(order.interval === null ? {} : { subscription: order.id }),
    });
    return payment;
  }

  private emit(tx: Tx, order: TestOrderRow, at: Date, fact: PurchaseFact): Promise<void> {
    return this.events.add(tx, order.tenantId, (id) => toTestEvent(id, order.purchaseId, at, fact));
  }
}

function nextCharge({ interval }: TestOrderRow, anchor: Date, count: number): Date | null {
  return interval === null ? null : addPeriods(anchor, { interval }, count);
}

export const CARD_PAGE_PATH = '/pay/test';

/** Payment with test cards on a page of Tollgate. No money moves. */
@Injectable()
export class TestProvider implements PaymentProvider, SavedCards {
  readonly name = 'TEST' as const;
  readonly savedCards = this;

  constructor(
    private readonly orders: TestOrdersRepository,
    private readonly cards: TestSavedCardsRepository,
    private readonly bank: TestBank,
    private readonly config: AppConfig,
  ) {}

  async startCheckout(order: CheckoutOrder): Promise<Checkout> {
    const checkout = await this.open(order);
    return { ...checkout, url: `${this.config.publicOrigin}${CARD_PAGE_PATH}/${checkout.ref}` };
  }

  async list(tenantId: string): Promise<SavedCard[]> {
    const cards = await this.cards.list(tenantId);
    return cards.map(({ id, lastFour }) => ({ ref: id, label: `Test card ending in ${lastFour}` }));
  }

  async startSaving(tenant: CheckoutOrder['tenant'], _currency: string, returnUrl: string): Promise<string> {
    const { id } = await this.cards.open(tenant.id, returnUrl);
    return `${this.config.publicOrigin}${CARD_PAGE_PATH}/${id}`;
  }

  async charge({ card, ...order }: CardCharge): Promise<ChargeResult> {
    const checkout = await this.open({ ...order, interval: null, returnUrl: this.config.publicOrigin });
    const verdict = await this.bank.paySaved(checkout.ref, card);
    return verdict.paid
      ? { status: 'paid', checkout, event: null }
      : { status: 'declined', message: verdict.message };
  }

  private async open(order: Omit<CheckoutOrder, 'expiresAt'>): Promise<Checkout> {
    const { purchaseId, tenant, label, amountMinor, currency, interval, returnUrl } = order;
    const customerRef = `test-customer-${tenant.id}`;
    const { id } = await this.orders.open({
      tenantId: tenant.id,
      purchaseId,
      customerRef,
      label,
      amountMinor: BigInt(amountMinor),
      currency,
      interval,
      returnUrl,
    });
    return { ref: id, url: null, customerRef };
  }

  async stopRenewal({ checkoutRef }: PlacedOrder): Promise<void> {
    if (checkoutRef !== null) await this.bank.stop(checkoutRef, { type: 'renewal_stopped' });
  }

  async endNow({ checkoutRef }: PlacedOrder): Promise<void> {
    if (checkoutRef !== null) await this.bank.stop(checkoutRef, { type: 'subscription_ended' });
  }

  async refund({ payment, totalMinor }: Refund): Promise<null> {
    if (!(await this.bank.refund(payment, totalMinor))) {
      throw new ProviderFailure('The refund exceeds the rest of this payment.', undefined);
    }
    return null;
  }

  async findPortalUrl(): Promise<null> {
    return null;
  }
}
