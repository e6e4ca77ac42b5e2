import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/links.js';
import type { PurchaseFieldsFragment } from '../../../generated/graphql.js';
import { describeInterval } from '../../../lib/effect-text.js';
import { formatMoney } from '../../../lib/number-format.js';
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
  const columns = [
    { name: 'Offer' },
    ...(withTenant ? [{ name: 'Tenant' }] : []),
    { name: 'Status' },
    { name: 'Amount', numeric: true },
    { name: 'Next' },
    { name: 'Ordered' },
  ];
  return (
    <DataTable label="Purchases" columns={columns}>
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
  const { status, renews, paidThrough, graceEndsAt, provider } = purchase;
  if (status === 'PENDING') return provider === 'INVOICE' ? 'Awaiting bank transfer' : 'Awaiting payment';
  if (status === 'GRACE' && graceEndsAt) return `Ends ${formatDay(graceEndsAt)}`;
  if (status === 'ENDED' && paidThrough) return `Ended ${formatDay(paidThrough)}`;
  if (status === 'ACTIVE' && paidThrough)
    return renews ? `Renews ${formatDay(paidThrough)}` : `Ends ${formatDay(paidThrough)}`;
  return <span className={classes.soft}>None</span>;
}
