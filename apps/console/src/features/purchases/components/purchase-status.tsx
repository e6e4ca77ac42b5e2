import { useTranslations } from 'use-intl';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { InvoiceStatus, PurchaseStatus } from '../../../generated/graphql.js';

const TONES: Readonly<Record<PurchaseStatus, DotTone>> = {
  PENDING: 'warn',
  HELD: 'bad',
  ACTIVE: 'good',
  GRACE: 'warn',
  ENDED: 'quiet',
  REFUNDED: 'quiet',
  DISPUTED: 'bad',
  EXPIRED: 'quiet',
  REJECTED: 'quiet',
};

/** How a purchase stands, in a word. */
export function PurchaseStatusDot({ status }: { status: PurchaseStatus }) {
  const t = useTranslations('purchases');
  return <StateDot tone={TONES[status]}>{t(status)}</StateDot>;
}

/** How an invoice stands, in a word. */
export function InvoiceStatusDot({ status, dueAt }: { status: InvoiceStatus; dueAt: string }) {
  const t = useTranslations('purchases');
  const isOverdue = status === 'OPEN' && new Date(dueAt).getTime() < Date.now();
  if (isOverdue) return <StateDot tone="bad">{t('overdue')}</StateDot>;
  return (
    <StateDot tone={status === 'PAID' ? 'good' : status === 'OPEN' ? 'warn' : 'quiet'}>{t(status)}</StateDot>
  );
}
