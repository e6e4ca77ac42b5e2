import type { NoticeFacts } from '../../../platform/changes/change.js';
import { addDays } from '../../../platform/clock.js';
import { OfferKind, PurchaseStatus } from '../../../platform/prisma/schema.js';
import type { PurchaseState } from './purchase.fold.js';
import type { Payment } from './purchase.payments.js';
import type { Standing } from './purchase.standing.js';
import type { PurchaseOfTenant } from './purchases.repository.js';

/** How long before its end the owner of a top-up is told. */
const WARNING_DAYS = 3;

/** When the owner of a top-up is to be told that it ends; null: it lasts no longer than that, or it is no top-up. */
export function warningAt(purchase: PurchaseOfTenant, { grant }: Standing): Date | null {
  if (purchase.kind !== OfferKind.TOPUP || grant?.until == null) return null;
  return (purchase.validDays ?? 0) > WARNING_DAYS ? addDays(grant.until, -WARNING_DAYS) : null;
}

/**
 * Everything that people are to be told of a purchase as it stands now. Each notice is made once, by its key, whatever is
 * told again.
 */
export function noticesOf(
  purchase: PurchaseOfTenant,
  state: PurchaseState,
  standing: Standing,
  now: Date,
): NoticeFacts[] {
  const { id: purchaseId, label: offer, tenant } = purchase;
  const facts = { purchaseId, offer, tenant: tenant.key };
  const money = ({ amountMinor, currency }: Pick<Payment, 'amountMinor' | 'currency'>) => ({
    amountMinor,
    currency,
  });
  const about = (kind: NoticeFacts['kind'], key: string, data: object = {}): NoticeFacts => ({
    kind,
    tenant: { id: tenant.id, key: tenant.key },
    data: { ...facts, ...data },
    dedupeKey: `${kind}:${purchaseId}:${key}`,
  });
  const accepted = state.payments.filter(({ standing }) => standing === 'ACCEPTED');
  const paidThrough = standing.paidThrough?.toISOString() ?? '';
  const warnAt = warningAt(purchase, standing);
  return [
    ...accepted.map((payment, index) =>
      about(index === 0 ? 'purchase.paid' : 'purchase.renewed', payment.ref, {
        ...money(payment),
        paidThrough: state.spans[index]?.endsAt.toISOString() ?? '',
      }),
    ),
    ...state.payments
      .filter(({ refundedMinor }) => refundedMinor > 0)
      .map(({ ref, refundedMinor, currency }) =>
        about(
          'purchase.refunded',
          `${ref}:${refundedMinor}`,
          money({ amountMinor: refundedMinor, currency }),
        ),
      ),
    ...state.payments
      .filter(({ disputedMinor }) => disputedMinor > 0)
      .map((payment) => about('purchase.disputed', payment.ref, money(payment))),
    ...state.payments
      .filter((payment) => payment.standing === 'HELD')
      .map((payment) =>
        about('purchase.needs_review', payment.ref, { ...money(payment), why: payment.holdReason ?? '' }),
      ),
    ...(standing.graceEndsAt === null
      ? []
      : [about('purchase.renewal_failed', paidThrough, { graceEndsAt: standing.graceEndsAt.toISOString() })]),
    ...(standing.status === PurchaseStatus.ENDED
      ? [about('purchase.ended', paidThrough, { paidThrough })]
      : []),
    ...(warnAt !== null && now >= warnAt
      ? [about('topup.expiring', paidThrough, { endsAt: paidThrough })]
      : []),
  ];
}
