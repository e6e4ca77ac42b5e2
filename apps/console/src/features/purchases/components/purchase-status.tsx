import { type DotTone, StateDot } from '../../../components/marks.js';
import type { InvoiceStatus, PurchaseStatus } from '../../../generated/graphql.js';
import { PURCHASE_STATUS_TEXT } from '../../../lib/labels.js';

const INVOICE_STATUS_TEXT = { OPEN: 'Open', PAID: 'Paid', VOID: 'Void' } as const;

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
  return <StateDot tone={TONES[status]}>{PURCHASE_STATUS_TEXT[status]}</StateDot>;
}

/** How an invoice stands, in a word. */
export function InvoiceStatusDot({ status, dueAt }: { status: InvoiceStatus; dueAt: string }) {
  const isOverdue = status === 'OPEN' && new Date(dueAt).getTime() < Date.now();
  if (isOverdue) return <StateDot tone="bad">Overdue</StateDot>;
  return (
    <StateDot tone={status === 'PAID' ? 'good' : status === 'OPEN' ? 'warn' : 'quiet'}>
      {INVOICE_STATUS_TEXT[status]}
    </StateDot>
  );
}

/** Explains a purchase's status; `until` is the end of its grace period. */
export function purchaseStatusText(status: PurchaseStatus, until: string): string {
  return {
    PENDING: 'Ordered, not paid yet.',
    HELD: 'Payment does not match the order. Needs review.',
    ACTIVE: 'Paid and active.',
    GRACE: `The renewal was not paid. The purchase stays active until ${until}.`,
    ENDED: 'Used up, canceled, or not renewed.',
    REFUNDED: 'The payment was refunded and the limits were revoked.',
    DISPUTED: 'The payer disputed the payment. The limits are revoked until the dispute is resolved.',
    EXPIRED: 'Canceled or not paid in time.',
    REJECTED: 'The payment was rejected.',
  }[status];
}
