import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import type { PurchaseFieldsFragment } from '../../../generated/graphql.js';
import { formatMoney } from '../../../lib/money.js';
import { describeInterval } from '../../../lib/offer-text.js';
import { formatDay, formatMoment } from '../../../lib/time-format.js';
import { PurchaseStatusDot } from './purchase-status.js';
import classes from './purchases.module.css';

interface PurchasesTableProps {
  purchases: readonly PurchaseFieldsFragment[];
  /** Of several tenants: says whose each is. */
  withTenant?: boolean;
  /** The name of a purchase, as a link to its page. */
  nameOf: (purchase: PurchaseFieldsFragment) => ReactNode;
}

/** Purchases, newest first. */
export function PurchasesTable({ purchases, withTenant = false, nameOf }: PurchasesTableProps) {
  const t = useTranslations('purchases');
  const columns = [
    { name: t('what') },
    ...(withTenant ? [{ name: t('tenant') }] : []),
    { name: t('state') },
    { name: t('amount'), numeric: true },
    { name: t('next') },
    { name: t('ordered') },
  ];
  return (
    <DataTable label={t('purchases')} columns={columns}>
      {purchases.map((purchase) => (
        <tr key={purchase.id}>
          <th scope="row">{nameOf(purchase)}</th>
          {withTenant && (
            <td>
              <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: purchase.tenantKey }}>
                {purchase.tenantKey}
              </LinkAnchor>
            </td>
          )}
          <td>
            <PurchaseStatusDot status={purchase.status} />
          </td>
          <NumericCell>
            <span className={classes.nowrap}>
              {formatMoney(purchase.amountMinor, purchase.currency)}
              <Text span size="sm" c="dimmed">
                {' '}
                {describeInterval(purchase.interval)}
              </Text>
            </span>
          </NumericCell>
          <td className={classes.nowrap}>
            <WhatComesNext purchase={purchase} />
          </td>
          <td className={classes.nowrap} title={formatMoment(purchase.createdAt)}>
            {formatDay(purchase.createdAt)}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** When it renews, ends or has ended; or what it waits for. */
export function WhatComesNext({ purchase }: { purchase: PurchaseFieldsFragment }) {
  const t = useTranslations('purchases');
  const { status, renews, paidThrough, graceEndsAt, provider } = purchase;
  if (status === 'PENDING') return t(provider === 'INVOICE' ? 'waitsForTransfer' : 'waitsForPayment');
  if (status === 'GRACE' && graceEndsAt) return t('endsOn', { at: formatDay(graceEndsAt) });
  if (status === 'ENDED' && paidThrough) return t('endedOn', { at: formatDay(paidThrough) });
  if (status === 'ACTIVE' && paidThrough)
    return t(renews ? 'renewsOn' : 'endsOn', { at: formatDay(paidThrough) });
  return <span className={classes.soft}>{t('nothing')}</span>;
}
