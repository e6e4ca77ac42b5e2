import { concerns, formatMoney, type LimitPolicy } from '@tollgate/contracts';
import { AutoTopUpStop, OfferKind } from '../../../platform/prisma/schema.js';
import type { StoredOfferEffect } from '../offers/offer-effects.js';
import type { PurchaseEvent } from '../payments/payment-provider.js';
import { foldPurchase, orderOf } from '../purchases/purchase.fold.js';
import type { PurchaseRow } from '../purchases/purchases.repository.js';

/** Least time between two orders. */
export const ORDER_GAP_MS = 60_000;

/** An order whose payment stays unknown for longer is canceled. Stripe forgets an idempotency key after 24 hours. */
export const GIVE_UP_MS = 20 * 3_600_000;

/** Less than this must be left of the quota: units, or a percentage of the effective limit. */
export type Threshold = { units: number } | { percent: number };

/** What one purchase costs and adds, as the customer accepted it or as it is now. Money is in the smallest unit. */
export interface Terms {
  priceMinor: number;
  units: number;
  validDays: number;
}

/** The facts on which an auto top-up without an open order decides. */
export interface AutoTopUpFacts {
  nowMs: number;
  isTenantActive: boolean;
  /** Whether a payment was disputed since a member last confirmed it. */
  isDisputed: boolean;
  offer: { name: string; isActive: boolean };
  currency: string;
  /** `units` is 0 if the tenant has no such quota at present. */
  terms: Terms;
  agreed: Terms;
  capMinor: number;
  threshold: Threshold;
  /** Null: the tenant has no such quota at present. */
  quota: { limit: number; used: number } | null;
  orderedAtMs: number | null;
  /** Cost of its orders this month. */
  spentMinor: number;
}

export type AutoTopUpDecision =
  /** Null: until usage changes. */
  | { kind: 'wait'; untilMs: number | null }
  | { kind: 'capped' }
  | { kind: 'pause'; reason: AutoTopUpStop; detail: string }
  | { kind: 'order' };

/** Whether to order now. An offer with worse terms pauses it even while much is left, so that customers have time to confirm. */
export function decide(facts: AutoTopUpFacts): AutoTopUpDecision {
  const { nowMs, offer, terms, quota, orderedAtMs } = facts;
  const idle = { kind: 'wait', untilMs: null } as const;
  if (!facts.isTenantActive) return idle;
  if (facts.isDisputed) {
    const detail = `The bank of the card disputes a payment for ${offer.name}.`;
    return { kind: 'pause', reason: AutoTopUpStop.DISPUTED, detail };
  }
  if (!offer.isActive) {
    const detail = `${offer.name} is no longer available.`;
    return { kind: 'pause', reason: AutoTopUpStop.NOT_FOR_SALE, detail };
  }
  if (quota === null) return idle;
  const worse = findWorse(facts);
  if (worse !== null) return { kind: 'pause', reason: AutoTopUpStop.TERMS_CHANGED, detail: worse };
  if (!isLow(quota, facts.threshold)) return idle;
  if (orderedAtMs !== null && nowMs < orderedAtMs + ORDER_GAP_MS)
    return { kind: 'wait', untilMs: orderedAtMs + ORDER_GAP_MS };
  if (facts.spentMinor + terms.priceMinor > facts.capMinor) return { kind: 'capped' };
  return { kind: 'order' };
}

function findWorse({ offer, terms, agreed, currency }: AutoTopUpFacts): string | null {
  if (terms.priceMinor > agreed.priceMinor) {
    const [now, before] = [terms.priceMinor, agreed.priceMinor].map((minor) => formatMoney(minor, currency));
    return `${offer.name} costs ${now} instead of ${before}.`;
  }
  if (terms.units < agreed.units)
    return `${offer.name} adds ${terms.units} units instead of ${agreed.units}.`;
  if (terms.validDays < agreed.validDays)
    return `${offer.name} is valid for ${terms.validDays} days instead of ${agreed.validDays}.`;
  return null;
}

export function isLow({ limit, used }: { limit: number; used: number }, threshold: Threshold): boolean {
  const remaining = Math.max(0, limit - used);
  return 'units' in threshold ? remaining < threshold.units : remaining * 100 < threshold.percent * limit;
}

/** Whether units that are added to a limit are used once. */
export function isMonthlyQuota(policy: LimitPolicy): boolean {
  if (policy.algorithm !== 'quota' || policy.per.length > 0) return false;
  return policy.period === 'month' || policy.period === 'billing';
}

/** Units that one purchase of an offer adds to a quota; 0: it is no top-up of this quota. */
export function unitsFor(
  offer: { kind: OfferKind; effects: readonly StoredOfferEffect[] },
  policy: LimitPolicy,
): number {
  if (offer.kind !== OfferKind.TOPUP) return 0;
  return offer.effects
    .filter((effect) => concerns({ ...effect, id: '', source: 'topup' }, policy))
    .reduce((sum, { effect }) => sum + (effect.kind === 'add' ? effect.units : 0), 0);
}

/** What an order costs: its price until it is paid, then what was paid and not refunded. A canceled order costs nothing. */
export function costOf(purchase: PurchaseRow, events: readonly PurchaseEvent[]): number {
  const { payments, canceledAt } = foldPurchase(orderOf(purchase), events);
  if (payments.length === 0) return canceledAt === null ? Number(purchase.amountMinor) : 0;
  return payments.reduce((sum, { amountMinor, refundedMinor }) => sum + amountMinor - refundedMinor, 0);
}

/** Start of the calendar month (UTC) of a time, and of the next one. */
export function monthOf(at: Date): { from: Date; to: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) };
}
