import type { NoticeFacts } from '../../../platform/changes/change.js';
import { addDays } from '../../../platform/clock.js';
import {
  type MoneyAccount,
  OfferKind,
  PaymentProviderName,
  PurchaseStatus,
} from '../../../platform/prisma/schema.js';
import { PAYMENT_TERM_DAYS, type PurchaseEvent } from '../payments/payment-provider.js';
import type { Payment, PurchaseSnapshot, PurchaseState } from './purchase.fold.js';
import type { MoneyMove, PurchaseRow, PurchaseWithTenant } from './purchases.repository.js';

/** Days before its end at which the owner of a top-up is notified. */
const WARNING_DAYS = 3;
/** Days after which an order whose invoice is unpaid lapses: its payment term, and a week for transfers of the last day. */
const INVOICE_ORDER_DAYS = PAYMENT_TERM_DAYS + 7;
/** Days before the end of a period at which the invoice of the next one is issued. */
export const INVOICE_LEAD_DAYS = 7;

/**
 * Target balances of a purchase's accounts. CASH is the amount received less refunds and disputes; REVENUE, SUSPENSE and
 * DISPUTED carry the opposite sign, so that all accounts sum to zero in each currency.
 */
export function balancesOf(payments: readonly Payment[]): MoneyMove[] {
  const sums = new Map<string, MoneyMove>();
  const book = (account: MoneyAccount, currency: string, amountMinor: number) => {
    const key = `${account} ${currency}`;
    const sum = sums.get(key) ?? { account, currency, amountMinor: 0 };
    sums.set(key, { ...sum, amountMinor: sum.amountMinor + amountMinor });
  };
  for (const payment of payments) {
    const { currency, amountMinor, refundedMinor, disputedMinor, isDisputeLost } = payment;
    const owner = payment.status === 'ACCEPTED' ? 'REVENUE' : 'SUSPENSE';
    book('CASH', currency, amountMinor - refundedMinor - disputedMinor);
    book(owner, currency, refundedMinor - amountMinor);
    // An open dispute is a claim against the bank; a lost one reduces revenue.
    book(isDisputeLost ? owner : 'DISPUTED', currency, disputedMinor);
  }
  return [...sums.values()];
}

/** The bookings that change the balances from `booked` to `wanted`. */
export function movesBetween(booked: readonly MoneyMove[], wanted: readonly MoneyMove[]): MoneyMove[] {
  const keyOf = ({ account, currency }: MoneyMove) => `${account} ${currency}`;
  const left = new Map(booked.map((one) => [keyOf(one), { ...one, amountMinor: -one.amountMinor }]));
  for (const one of wanted) {
    const amountMinor = one.amountMinor + (left.get(keyOf(one))?.amountMinor ?? 0);
    left.set(keyOf(one), { ...one, amountMinor });
  }
  return [...left.values()].filter(({ amountMinor }) => amountMinor !== 0);
}

/** When the owner of a top-up is warned of its end; null for upgrades and for top-ups too short for a warning. */
export function warningAt(purchase: PurchaseRow, { grant }: PurchaseSnapshot): Date | null {
  if (purchase.kind !== OfferKind.TOPUP || grant?.until == null) return null;
  return (purchase.validDays ?? 0) > WARNING_DAYS ? addDays(grant.until, -WARNING_DAYS) : null;
}

/** When the invoice of the next period is issued; null if none is. */
export function invoiceAt(
  purchase: PurchaseRow,
  { grant, paidThrough }: Pick<PurchaseSnapshot, 'grant' | 'paidThrough'>,
): Date | null {
  const isInvoiced = purchase.provider === PaymentProviderName.INVOICE && purchase.kind === OfferKind.UPGRADE;
  return isInvoiced && grant !== null && grant.until === null && paidThrough !== null
    ? addDays(paidThrough, -INVOICE_LEAD_DAYS)
    : null;
}

/** When an order that is placed at `now` and paid by invoice lapses, in billing time. */
export function lapseAt(now: Date): Date {
  return addDays(now, INVOICE_ORDER_DAYS);
}

/** Whether a purchase is an order that waits for the payment of its invoice. */
export function isUnpaidInvoice({ provider, status }: Pick<PurchaseRow, 'provider' | 'status'>): boolean {
  return provider === PaymentProviderName.INVOICE && status === PurchaseStatus.PENDING;
}

/** When the purchase has to be reconciled next without a further event; null: never. */
export function nextDueAt(purchase: PurchaseRow, snapshot: PurchaseSnapshot, now: Date): Date | null {
  // Orders of releases without a lapse have no due time; they get one when they are reconciled first.
  if (isUnpaidInvoice({ ...purchase, ...snapshot })) return purchase.dueAt ?? lapseAt(now);
  const earlier = [warningAt(purchase, snapshot), invoiceAt(purchase, snapshot)];
  return earlier.find((at) => at !== null && now < at) ?? snapshot.dueAt;
}

const FINAL: PurchaseStatus[] = [
  PurchaseStatus.EXPIRED,
  PurchaseStatus.REFUNDED,
  PurchaseStatus.REJECTED,
  PurchaseStatus.CANCELED,
];

/**
 * Whether the provider must be notified to charge nothing more: since the purchase has just ended, or since an earlier end that
 * it does not know yet. A purchase that is paid, or may still be, is never ended there.
 */
export function isProviderStopDue(
  purchase: PurchaseRow,
  state: PurchaseState,
  { status }: PurchaseSnapshot,
  events: readonly PurchaseEvent[],
): boolean {
  if (events.some(({ fact }) => fact.type === 'subscription_ended')) return false;
  const isLost = status === PurchaseStatus.DISPUTED && state.payments.at(-1)?.isDisputeLost === true;
  if (!isLost && !FINAL.includes(status)) return false;
  if (status !== PurchaseStatus.CANCELED && !state.renews) return false;
  return purchase.stopDue || status !== purchase.status;
}

/** All notices of a purchase up to `now`. Each is sent once, by its `dedupeKey`. */
export function noticesOf(
  purchase: PurchaseWithTenant,
  state: PurchaseState,
  snapshot: PurchaseSnapshot,
  now: Date,
): NoticeFacts[] {
  const { id: purchaseId, label: offer, tenant } = purchase;
  const notice = (kind: NoticeFacts['kind'], key: string, data: object = {}): NoticeFacts => ({
    kind,
    tenant: { id: tenant.id, key: tenant.key },
    data: { purchaseId, offer, tenant: tenant.key, ...data },
    dedupeKey: `${kind}:${purchaseId}:${key}`,
  });
  const money = ({ amountMinor, currency }: Payment) => ({ amountMinor, currency });
  const ordered = { amountMinor: Number(purchase.amountMinor), currency: purchase.currency };
  const { payments, spans } = state;
  const accepted = payments.filter(({ status }) => status === 'ACCEPTED');
  const paidThrough = snapshot.paidThrough?.toISOString() ?? '';
  const warnAt = warningAt(purchase, snapshot);
  const notices = accepted.map((payment, index) =>
    notice(index === 0 ? 'purchase.paid' : 'purchase.renewed', payment.ref, {
      ...money(payment),
      paidThrough: spans[index]?.endsAt.toISOString() ?? '',
      ...(purchase.autoTopUpId === null ? {} : { automatic: true }),
    }),
  );
  for (const payment of payments) {
    const { ref, refundedMinor, failedRefunds, disputedMinor, status, currency, reviewReason } = payment;
    if (refundedMinor > 0) {
      const facts = { amountMinor: refundedMinor, currency };
      notices.push(notice('purchase.refunded', `${ref}:${refundedMinor}`, facts));
    }
    for (const { at, amountMinor } of failedRefunds) {
      notices.push(notice('purchase.refund_failed', `${ref}:${at.getTime()}`, { amountMinor, currency }));
    }
    if (disputedMinor > 0) notices.push(notice('purchase.disputed', ref, money(payment)));
    if (status === 'NEEDS_REVIEW') {
      notices.push(notice('purchase.needs_review', ref, { ...money(payment), why: reviewReason ?? '' }));
    }
  }
  if (snapshot.status === PurchaseStatus.NEEDS_REVIEW && payments.length === 0) {
    notices.push(notice('purchase.needs_review', 'no_result', { ...ordered, why: 'NO_RESULT' }));
  }
  if (snapshot.status === PurchaseStatus.CANCELED && state.hasPaymentFailed) {
    notices.push(notice('purchase.payment_failed', '', ordered));
  }
  if (snapshot.graceEndsAt !== null) {
    const graceEndsAt = snapshot.graceEndsAt.toISOString();
    notices.push(notice('purchase.renewal_failed', paidThrough, { graceEndsAt }));
  }
  if (snapshot.status === PurchaseStatus.EXPIRED) {
    notices.push(notice('purchase.expired', paidThrough, { paidThrough }));
  }
  if (warnAt !== null && now >= warnAt) {
    notices.push(notice('topup.expiring', paidThrough, { endsAt: paidThrough }));
  }
  return notices;
}
