import { addDays } from '../../../platform/clock.js';
import { PurchaseStatus } from '../../../platform/prisma/schema.js';
import type { Order, PurchaseState, Span } from './purchase.fold.js';

/** A purchase at one moment. */
export interface Standing {
  status: PurchaseStatus;
  /** Whether what it buys is to be in force, and until when; null: until it is ended. */
  grant: { until: Date | null } | null;
  paidThrough: Date | null;
  /** When a renewal that failed ends it; null: none did. */
  graceEndsAt: Date | null;
  /** When it changes without anything happening; null: never. */
  dueAt: Date | null;
}

/** How a purchase stands at `now`, in billing time. */
export function standAt(order: Order, state: PurchaseState, now: Date): Standing {
  const { spans } = state;
  const paidThrough = spans.at(-1)?.endsAt ?? null;
  const none = { grant: null, paidThrough, graceEndsAt: null, dueAt: null };
  if (paidThrough === null) return { ...none, status: unpaidStatus(state) };
  const index = spans.findIndex(({ endsAt }) => now < endsAt);
  const current = spans[index];
  if (current === undefined) return standAfter(order, state, paidThrough, now);
  const next = spans.slice(index).find(({ reversal }) => reversal === null);
  if (current.reversal !== null) {
    const status = REVERSED[current.reversal];
    return { ...none, status, dueAt: next === undefined ? null : next.startsAt };
  }
  const until = coveredUntil(spans, index);
  const isOpen = state.renews && until.getTime() === paidThrough.getTime();
  return {
    status: PurchaseStatus.ACTIVE,
    grant: { until: isOpen ? null : until },
    paidThrough,
    graceEndsAt: null,
    dueAt: until,
  };
}

const REVERSED = { REFUND: PurchaseStatus.REFUNDED, DISPUTE: PurchaseStatus.DISPUTED } as const;

/** After the last period that was paid: a renewal may still come. */
function standAfter(order: Order, state: PurchaseState, paidThrough: Date, now: Date): Standing {
  const none = { grant: null, paidThrough, graceEndsAt: null, dueAt: null };
  const { reversal } = state.spans.at(-1) as Span;
  if (reversal !== null) return { ...none, status: REVERSED[reversal] };
  const end = addDays(paidThrough, order.graceDays);
  if (!state.renews || now >= end) return { ...none, status: PurchaseStatus.ENDED };
  const hasFailed = state.failedAt !== null;
  return {
    status: hasFailed ? PurchaseStatus.GRACE : PurchaseStatus.ACTIVE,
    grant: { until: null },
    paidThrough,
    graceEndsAt: hasFailed ? end : null,
    dueAt: end,
  };
}

function unpaidStatus({ payments, isExpired }: PurchaseState): PurchaseStatus {
  if (payments.some(({ standing }) => standing === 'HELD')) return PurchaseStatus.HELD;
  if (payments.length > 0) return PurchaseStatus.REJECTED;
  return isExpired ? PurchaseStatus.EXPIRED : PurchaseStatus.PENDING;
}

/** The end of the paid periods that follow one another from the one at `index`. */
function coveredUntil(spans: readonly Span[], index: number): Date {
  let end = (spans[index] as Span).endsAt;
  for (const { startsAt, endsAt, reversal } of spans.slice(index + 1)) {
    if (reversal !== null || startsAt > end) break;
    end = endsAt;
  }
  return end;
}
