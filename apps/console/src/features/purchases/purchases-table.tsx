import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { TenantLink } from '../../components/links.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import type { InvoiceStatus, PurchaseFieldsFragment, PurchaseStatus } from '../../generated/graphql.js';
import { usePageZone } from '../../lib/customer-page.js';
import { describeInterval } from '../../lib/effect-text.js';
import { PURCHASE_STATUS_TEXT } from '../../lib/labels.js';
import { formatMoney } from '../../lib/number-format.js';
import { formatDayInZone, formatMomentInZone } from '../../lib/time-format.js';

const INVOICE_STATUS_TEXT = { OPEN: 'Open', PAID: 'Paid', VOID: 'Void' } as const;

const TONES: Readonly<Record<PurchaseStatus, DotTone>> = {
  PENDING: 'warn',
  PROCESSING: 'warn',
  NEEDS_REVIEW: 'bad',
  ACTIVE: 'good',
  PAST_DUE: 'warn',
  EXPIRED: 'quiet',
  REFUNDED: 'quiet',
  DISPUTED: 'bad',
  CANCELED: 'quiet',
  REJECTED: 'quiet',
};

export function PurchaseStatusDot({ status }: { status: PurchaseStatus }) {
  return <StateDot tone={TONES[status]}>{PURCHASE_STATUS_TEXT[status]}</StateDot>;
}

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
    PROCESSING: 'The bank is processing the payment. Limits rise when it succeeds.',
    NEEDS_REVIEW: 'The payment needs review.',
    ACTIVE: 'Paid and active.',
    PAST_DUE: `The renewal was not paid. The purchase stays active until ${until}.`,
    EXPIRED: 'The last paid period is over and was not renewed.',
    REFUNDED: 'The payment was refunded and the limits were revoked.',
    DISPUTED: 'The payer disputed the payment. The limits are revoked until the dispute is resolved.',
    CANCELED: 'Canceled, not paid in time, or the payment failed.',
    REJECTED: 'The payment was rejected.',
  }[status];
}

interface PurchasesTableProps {
  purchases: readonly PurchaseFieldsFragment[];
  withTenant?: boolean;
  nameOf: (purchase: PurchaseFieldsFragment) => ReactNode;
}

/** Purchases, newest first. */
export function PurchasesTable({ purchases, withTenant = false, nameOf }: PurchasesTableProps) {
  const timeZone = usePageZone();
  const columns = [
    'Offer',
    ...(withTenant ? ['Tenant'] : []),
    'Status',
    numeric('Amount'),
    'Next',
    'Ordered',
  ];
  return (
    <DataTable label="Purchases" columns={columns}>
      {purchases.map((purchase) => (
        <tr key={purchase.id}>
          <th scope="row">{nameOf(purchase)}</th>
          {withTenant && (
            <td>
              <TenantLink tenantKey={purchase.tenantKey} />
            </td>
          )}
          <td>
            <PurchaseStatusDot status={purchase.status} />
          </td>
          <NumericCell>
            <span className="tg-nowrap">
              {formatMoney(purchase.amountMinor, purchase.currency)}
              <Text span size="sm" c="dimmed">
                {' '}
                {describeInterval(purchase.interval)}
              </Text>
            </span>
          </NumericCell>
          <td className="tg-nowrap">
            <WhatComesNext purchase={purchase} />
          </td>
          <td className="tg-nowrap" title={formatMomentInZone(purchase.createdAt, timeZone)}>
            {formatDayInZone(purchase.createdAt, timeZone)}
            {purchase.isAutomatic && (
              <Text size="xs" c="dimmed">
                By auto top-up
              </Text>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export function WhatComesNext({ purchase }: { purchase: PurchaseFieldsFragment }) {
  const timeZone = usePageZone();
  const formatDay = (at: string) => formatDayInZone(at, timeZone);
  const { status, renews, paidThrough, graceEndsAt, provider, isAutomatic } = purchase;
  if (status === 'PENDING' && isAutomatic) return 'Charging the saved card';
  if (status === 'PENDING') return provider === 'INVOICE' ? 'Awaiting bank transfer' : 'Awaiting payment';
  if (status === 'PROCESSING') return 'Payment processing';
  if (status === 'PAST_DUE' && graceEndsAt) return `Ends ${formatDay(graceEndsAt)}`;
  if (status === 'CANCELED' && paidThrough) return `Expired ${formatDay(paidThrough)}`;
  if (status === 'ACTIVE' && paidThrough)
    return renews ? `Renews ${formatDay(paidThrough)}` : `Ends ${formatDay(paidThrough)}`;
  return <span className="tg-soft">None</span>;
}
