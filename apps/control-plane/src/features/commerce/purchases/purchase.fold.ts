import { addDays, addPeriods, type Period } from '../../../platform/clock.js';
import type { PurchaseEvent } from '../payments/purchase-fact.js';
import { collectPayments, inOrder, type OrderTerms, type Payment } from './purchase.payments.js';

/** What was ordered: never changes. */
export interface Order extends OrderTerms {
  period: Period;
  /** Whether a further payment is for a further period; else it is one too many. */
  isRenewing: boolean;
  /** How long it goes on when a renewal is not paid. */
  graceDays: number;
}

/** What one payment has bought. */
export interface Span {
  payment: string;
  startsAt: Date;
  endsAt: Date;
  /** Its money is back with the customer, so it counts for nothing. */
  reversal: 'REFUND' | 'DISPUTE' | null;
}

/** A purchase as its events tell it, apart from what time it is. */
export interface PurchaseState {
  /** By time. */
  payments: Payment[];
  /** By time, none overlapping. */
  spans: Span[];
  renews: boolean;
  /** Of renewals that failed after the last payment. */
  failedAt: Date | null;
  isExpired: boolean;
  subscription: string | null;
}

/**
 * What became of an order. Depends on which events there are, and not on the order or the number of times they came: each
 * counts once, by when it happened.
 */
export function foldPurchase(order: Order, events: readonly PurchaseEvent[]): PurchaseState {
  const ordered = inOrder(events);
  const payments = holdSurplus(order, collectPayments(order, ordered));
  const spans = layOut(
    order,
    payments.filter(({ standing }) => standing === 'ACCEPTED'),
  );
  const lastPaidAt = payments.findLast(({ standing }) => standing === 'ACCEPTED')?.at;
  const paid = new Set(payments.map(({ ref }) => ref));
  const failures = ordered.filter(
    ({ fact, at }) =>
      fact.type === 'renewal_failed' &&
      !paid.has(fact.payment) &&
      lastPaidAt !== undefined &&
      at > lastPaidAt,
  );
  return {
    payments,
    spans,
    renews: order.isRenewing && willRenew(ordered),
    failedAt: failures[0]?.at ?? null,
    isExpired: ordered.some(({ fact }) => fact.type === 'expired'),
    subscription: findSubscription(ordered),
  };
}

/** What is paid once is paid once: a second payment is held, unless an operator has accepted it. */
function holdSurplus(order: Order, payments: Payment[]): Payment[] {
  if (order.isRenewing) return payments;
  const first = payments.find(({ standing, holdReason }) => standing === 'ACCEPTED' && holdReason === null);
  return payments.map((payment) => {
    const isSurplus = payment.standing === 'ACCEPTED' && payment.holdReason === null && payment !== first;
    return isSurplus ? { ...payment, standing: 'HELD', holdReason: 'PAID_TWICE' } : payment;
  });
}

/** Each payment is for one period after the one before; after a pause longer than the grace it begins anew. */
function layOut(order: Order, accepted: Payment[]): Span[] {
  const spans: Span[] = [];
  let anchor: Date | undefined;
  let count = 0;
  for (const payment of accepted) {
    const end = spans.at(-1)?.endsAt;
    if (anchor === undefined || end === undefined || payment.at > addDays(end, order.graceDays)) {
      anchor = payment.at;
      count = 0;
    }
    spans.push({
      payment: payment.ref,
      startsAt: addPeriods(anchor, order.period, count),
      endsAt: addPeriods(anchor, order.period, count + 1),
      reversal: reversalOf(payment),
    });
    count += 1;
  }
  return spans;
}

/** Only what is back as a whole takes its period with it. */
function reversalOf({ amountMinor, refundedMinor, disputedMinor }: Payment): Span['reversal'] {
  if (disputedMinor > 0) return 'DISPUTE';
  return refundedMinor >= amountMinor ? 'REFUND' : null;
}

function willRenew(ordered: readonly PurchaseEvent[]): boolean {
  if (ordered.some(({ fact }) => fact.type === 'ended')) return false;
  const last = ordered.findLast(
    ({ fact }) => fact.type === 'renewal_stopped' || fact.type === 'renewal_resumed',
  );
  return last?.fact.type !== 'renewal_stopped';
}

function findSubscription(ordered: readonly PurchaseEvent[]): string | null {
  for (const { fact } of ordered) {
    if ((fact.type === 'paid' || fact.type === 'subscribed') && fact.subscription) return fact.subscription;
  }
  return null;
}
