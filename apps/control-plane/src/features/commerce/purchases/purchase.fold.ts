import { addDays, addPeriods, type Period } from '../../../platform/clock.js';
import { OfferKind, PurchaseStatus } from '../../../platform/prisma/schema.js';
import type { PurchaseEvent, PurchaseFact } from '../payments/payment-provider.js';
import type { PaymentReviewReason, PaymentStatus } from './purchases.graphql.js';
import type { PurchaseRow } from './purchases.repository.js';

/**
 * Days for which a completed checkout waits for the result of its payment; then an operator has to decide. Bank debits take up
 * to 14 business days, vouchers a few days.
 */
export const PROCESSING_DAYS = 30;

/** The terms of an order; they never change. */
export interface Order {
  amountMinor: number;
  currency: string;
  /** The expected payer; null accepts any. */
  customer: string | null;
  period: Period;
  /** Whether each further payment buys a further period; otherwise it is a duplicate. */
  isRenewing: boolean;
  /** Days for which the purchase stays active after a failed renewal. */
  graceDays: number;
}

/** One charge with its refunds and disputes. */
export interface Payment {
  ref: string;
  at: Date;
  amountMinor: number;
  currency: string;
  status: PaymentStatus;
  /** Stays set after the payment was approved or rejected. */
  reviewReason: PaymentReviewReason | null;
  refundedMinor: number;
  /** Refunds that did not reach the customer, ordered by time. */
  failedRefunds: { at: Date; amountMinor: number }[];
  /** Amount that is disputed, or was lost in a dispute. */
  disputedMinor: number;
  isDisputeLost: boolean;
}

/** The period that one payment has bought. */
export interface Span {
  payment: string;
  startsAt: Date;
  endsAt: Date;
  /** Set when the whole payment was refunded or disputed: the period does not count. */
  reversal: 'REFUND' | 'DISPUTE' | null;
}

/** State that follows from the events alone, independent of the current time. */
export interface PurchaseState {
  /** Ordered by time. */
  payments: Payment[];
  /** Ordered by time, not overlapping. */
  spans: Span[];
  renews: boolean;
  /** First failed renewal after the last payment. */
  failedAt: Date | null;
  /** Latest cancellation of the order, or failure of its first payment. */
  canceledAt: Date | null;
  /** Whether the first payment failed after its checkout was completed. */
  hasPaymentFailed: boolean;
  /** End of the wait for the result of a payment that the bank processes; null: none is processed. */
  processingUntil: Date | null;
  subscription: string | null;
}

/** A purchase at one moment. */
export interface PurchaseSnapshot {
  status: PurchaseStatus;
  /** Null: nothing is granted. `until` null: granted until it is ended. */
  grant: { until: Date | null } | null;
  paidThrough: Date | null;
  graceEndsAt: Date | null;
  dueAt: Date | null;
}

type Fact<T extends PurchaseFact['type']> = Extract<PurchaseFact, { type: T }>;

export function orderOf(purchase: PurchaseRow): Order {
  const isRenewing = purchase.kind === OfferKind.UPGRADE;
  return {
    amountMinor: Number(purchase.amountMinor),
    currency: purchase.currency,
    customer: purchase.customerRef,
    period: isRenewing ? { interval: purchase.interval ?? 'MONTH' } : { days: purchase.validDays ?? 1 },
    isRenewing,
    graceDays: purchase.graceDays,
  };
}

/** Unique events ordered by time, then by source and id. */
export function sortEvents(events: readonly PurchaseEvent[]): PurchaseEvent[] {
  const unique = new Map(events.map((event) => [`${event.source} ${event.id}`, event]));
  return [...unique.entries()]
    .sort(([a, x], [b, y]) => x.at.getTime() - y.at.getTime() || (a < b ? -1 : 1))
    .map(([, event]) => event);
}

/** The state of an order after `events`. Neither their order nor duplicates affect the result. */
export function foldPurchase(order: Order, events: readonly PurchaseEvent[]): PurchaseState {
  const sorted = sortEvents(events);
  const payments = reviewDuplicates(order, collectPayments(order, sorted));
  const accepted = payments.filter(({ status }) => status === 'ACCEPTED');
  const lastPaidAt = accepted.at(-1)?.at;
  const paid = new Set(payments.map(({ ref }) => ref));
  const failure = sorted.find(
    ({ fact, at }) =>
      fact.type === 'renewal_failed' &&
      !paid.has(fact.payment) &&
      lastPaidAt !== undefined &&
      at > lastPaidAt,
  );
  const spans = layOut(order, accepted);
  return {
    payments,
    spans,
    renews: order.isRenewing && willRenew(sorted, spans.at(-1)?.endsAt),
    failedAt: failure?.at ?? null,
    canceledAt:
      sorted.findLast(({ fact }) => fact.type === 'canceled' || fact.type === 'payment_failed')?.at ?? null,
    hasPaymentFailed: sorted.some(({ fact }) => fact.type === 'payment_failed'),
    processingUntil: findProcessingEnd(sorted),
    subscription: findSubscription(sorted),
  };
}

function collectPayments(order: Order, events: readonly PurchaseEvent[]): Payment[] {
  const refs = new Set(events.flatMap(({ fact }) => (fact.type === 'paid' ? [fact.payment] : [])));
  return [...refs].map((ref) => readPayment(order, ref, events));
}

function readPayment(order: Order, ref: string, events: readonly PurchaseEvent[]): Payment {
  const own = events.filter(({ fact }) => 'payment' in fact && fact.payment === ref);
  const of = <T extends PurchaseFact['type']>(type: T) =>
    own.flatMap(({ fact }) => (fact.type === type ? [fact as Fact<T>] : []));
  const charges = of('paid');
  const [first] = charges as [Fact<'paid'>, ...Fact<'paid'>[]];
  const mismatch = charges.map((paid) => findMismatch(order, paid)).find((reason) => reason !== null);
  const reviewReason = mismatch ?? of('flagged')[0]?.reason ?? null;
  const decision = own.find(({ fact }) => fact.type === 'approved' || fact.type === 'rejected')?.fact.type;
  const { refundedMinor, failedRefunds } = readRefunds(own, first.amountMinor);
  return {
    ref,
    at: (own.find(({ fact }) => fact.type === 'paid') as PurchaseEvent).at,
    amountMinor: first.amountMinor,
    currency: first.currency,
    status: paymentStatus(reviewReason, decision),
    reviewReason,
    refundedMinor,
    failedRefunds,
    ...readDisputes(of('disputed'), of('dispute_closed'), first.amountMinor - refundedMinor),
  };
}

function paymentStatus(reason: PaymentReviewReason | null, decision: PurchaseFact['type'] | undefined) {
  if (decision === 'approved') return 'ACCEPTED';
  if (decision === 'rejected') return 'REJECTED';
  return reason === null ? 'ACCEPTED' : 'NEEDS_REVIEW';
}

function findMismatch(
  { amountMinor, currency, customer }: Order,
  paid: Fact<'paid'>,
): PaymentReviewReason | null {
  if (paid.currency !== currency) return 'WRONG_CURRENCY';
  if (paid.amountMinor !== amountMinor) return 'WRONG_AMOUNT';
  return customer !== null && paid.customer !== customer ? 'WRONG_CUSTOMER' : null;
}

/** Refunds are reported as totals, which only grow until one fails; that report replaces the earlier ones. */
function readRefunds(own: readonly PurchaseEvent[], maxMinor: number) {
  let refundedMinor = 0;
  const failedRefunds: Payment['failedRefunds'] = [];
  for (const { at, fact } of own) {
    if (fact.type === 'refunded') refundedMinor = Math.max(refundedMinor, fact.refundedMinor);
    if (fact.type !== 'refund_failed') continue;
    refundedMinor = fact.refundedMinor;
    failedRefunds.push({ at, amountMinor: fact.amountMinor });
  }
  return { refundedMinor: Math.min(maxMinor, refundedMinor), failedRefunds };
}

/** Disputes that were won do not count. The closing event may arrive before the opening one. */
function readDisputes(opened: Fact<'disputed'>[], closed: Fact<'dispute_closed'>[], maxMinor: number) {
  const amounts = new Map([...opened, ...closed].map(({ dispute, amountMinor }) => [dispute, amountMinor]));
  for (const { dispute, isWon } of closed) if (isWon) amounts.delete(dispute);
  const lost = new Set(closed.filter(({ isWon }) => !isWon).map(({ dispute }) => dispute));
  const disputes = [...amounts.keys()];
  const disputedMinor = [...amounts.values()].reduce((sum, amountMinor) => sum + amountMinor, 0);
  return {
    disputedMinor: Math.min(maxMinor, disputedMinor),
    isDisputeLost: disputes.length > 0 && disputes.every((dispute) => lost.has(dispute)),
  };
}

/** A second payment of a one-time purchase needs review, unless an operator has approved it. */
function reviewDuplicates(order: Order, payments: Payment[]): Payment[] {
  if (order.isRenewing) return payments;
  const isClean = ({ status, reviewReason }: Payment) => status === 'ACCEPTED' && reviewReason === null;
  const first = payments.find(isClean);
  return payments.map((payment) =>
    isClean(payment) && payment !== first
      ? { ...payment, status: 'NEEDS_REVIEW', reviewReason: 'PAID_TWICE' }
      : payment,
  );
}

/** One period per payment, back to back; a payment after the grace period restarts the billing cycle. */
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

/** A partial refund does not reverse the period. */
function reversalOf({ amountMinor, refundedMinor, disputedMinor }: Payment): Span['reversal'] {
  if (disputedMinor > 0) return 'DISPUTE';
  return refundedMinor >= amountMinor ? 'REFUND' : null;
}

/** A provider's periods differ from ours by less: they begin with the subscription, ours with the payment. */
const PERIOD_TOLERANCE_DAYS = 1;

function willRenew(sorted: readonly PurchaseEvent[], paidThrough: Date | undefined): boolean {
  if (sorted.some(({ fact }) => fact.type === 'subscription_ended')) return false;
  const last = sorted.findLast(
    ({ fact }) => fact.type === 'renewal_stopped' || fact.type === 'renewal_resumed',
  );
  if (last?.fact.type !== 'renewal_stopped') return true;
  const { endsAt } = last.fact;
  if (endsAt === undefined || paidThrough === undefined) return false;
  return new Date(endsAt) > addDays(paidThrough, PERIOD_TOLERANCE_DAYS);
}

/** Null without a completed checkout, and once its payment has failed. */
function findProcessingEnd(sorted: readonly PurchaseEvent[]): Date | null {
  if (sorted.some(({ fact }) => fact.type === 'payment_failed')) return null;
  const completed = sorted.find(({ fact }) => fact.type === 'processing');
  return completed === undefined ? null : addDays(completed.at, PROCESSING_DAYS);
}

function findSubscription(sorted: readonly PurchaseEvent[]): string | null {
  for (const { fact } of sorted) if ('subscription' in fact && fact.subscription) return fact.subscription;
  return null;
}

const REVERSED = { REFUND: PurchaseStatus.REFUNDED, DISPUTE: PurchaseStatus.DISPUTED } as const;

/** The purchase at `now`, in billing time. */
export function snapshotAt(order: Order, state: PurchaseState, now: Date): PurchaseSnapshot {
  const { spans } = state;
  const paidThrough = spans.at(-1)?.endsAt ?? null;
  const none = { grant: null, paidThrough, graceEndsAt: null, dueAt: null };
  if (paidThrough === null) {
    const status = unpaidStatus(state, now);
    return { ...none, status, dueAt: status === PurchaseStatus.PROCESSING ? state.processingUntil : null };
  }
  const index = spans.findIndex(({ endsAt }) => now < endsAt);
  const current = spans[index];
  if (current === undefined) return snapshotAfter(order, state, paidThrough, now);
  const next = spans.slice(index).find(({ reversal }) => reversal === null);
  if (current.reversal !== null) {
    return { ...none, status: REVERSED[current.reversal], dueAt: next?.startsAt ?? null };
  }
  const until = coveredUntil(spans, index);
  const isOpen = state.renews && until.getTime() === paidThrough.getTime();
  return { ...none, status: PurchaseStatus.ACTIVE, grant: { until: isOpen ? null : until }, dueAt: until };
}

/** After the last paid period; the renewal may still be paid within the grace period. */
function snapshotAfter(order: Order, state: PurchaseState, paidThrough: Date, now: Date): PurchaseSnapshot {
  const none = { grant: null, paidThrough, graceEndsAt: null, dueAt: null };
  const { reversal } = state.spans.at(-1) as Span;
  if (reversal !== null) return { ...none, status: REVERSED[reversal] };
  const end = addDays(paidThrough, order.graceDays);
  if (!state.renews || now >= end) return { ...none, status: PurchaseStatus.EXPIRED };
  const hasFailed = state.failedAt !== null;
  return {
    status: hasFailed ? PurchaseStatus.PAST_DUE : PurchaseStatus.ACTIVE,
    grant: { until: null },
    paidThrough,
    graceEndsAt: hasFailed ? end : null,
    dueAt: end,
  };
}

function unpaidStatus({ payments, canceledAt, processingUntil }: PurchaseState, now: Date): PurchaseStatus {
  if (payments.some(({ status }) => status === 'NEEDS_REVIEW')) return PurchaseStatus.NEEDS_REVIEW;
  if (payments.length > 0) return PurchaseStatus.REJECTED;
  if (processingUntil === null) return canceledAt === null ? PurchaseStatus.PENDING : PurchaseStatus.CANCELED;
  if (now < processingUntil) return PurchaseStatus.PROCESSING;
  // A cancellation before the end of the wait did not stop the payment.
  const isCanceled = canceledAt !== null && canceledAt >= processingUntil;
  return isCanceled ? PurchaseStatus.CANCELED : PurchaseStatus.NEEDS_REVIEW;
}

/** End of the unreversed, contiguous periods that start at `index`. */
function coveredUntil(spans: readonly Span[], index: number): Date {
  let end = (spans[index] as Span).endsAt;
  for (const { startsAt, endsAt, reversal } of spans.slice(index + 1)) {
    if (reversal !== null || startsAt > end) break;
    end = endsAt;
  }
  return end;
}
