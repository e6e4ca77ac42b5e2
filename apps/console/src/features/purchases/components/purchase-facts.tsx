import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { KeyText } from '../../../components/marks.js';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { describeEffects, describeInterval } from '../../../lib/effect-text.js';
import { PAYMENT_HOLD_REASON_TEXT, PAYMENT_PROVIDER_TEXT } from '../../../lib/labels.js';
import { formatMoney } from '../../../lib/number-format.js';
import { formatMoment } from '../../../lib/time-format.js';
import classes from './purchases.module.css';
import { WhatComesNext } from './purchases-table.js';

type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** What was ordered, on which terms. */
export function PurchaseFacts({ purchase, offer }: { purchase: Purchase; offer: ReactNode }) {
  const { amountMinor, currency, interval, effects, provider, createdAt } = purchase;
  return (
    <dl className={classes.facts}>
      <dt>Offer</dt>
      <dd>{offer}</dd>
      <dt>Price</dt>
      <dd className="tg-number">
        {formatMoney(amountMinor, currency)} {describeInterval(interval)}
      </dd>
      <dt>Payment method</dt>
      <dd>{PAYMENT_PROVIDER_TEXT[provider]}</dd>
      <dt>Effect</dt>
      <dd className={classes.effects}>{describeEffects(effects)}</dd>
      <dt>Ordered</dt>
      <dd>{formatMoment(createdAt)}</dd>
      <dt>Next</dt>
      <dd>
        <WhatComesNext purchase={purchase} />
      </dd>
    </dl>
  );
}

/** What was paid, and what of it was given back. @param actionsOf what can be done about a payment */
export function PaymentsTable({
  purchase,
  actionsOf,
}: {
  purchase: Purchase;
  actionsOf?: (payment: Purchase['payments'][number]) => ReactNode;
}) {
  if (purchase.payments.length === 0) {
    return (
      <Text c="dimmed" size="sm" p="md">
        No payments.
      </Text>
    );
  }
  const standings = { ACCEPTED: 'Accepted', HELD: 'Needs review', REJECTED: 'Rejected' };
  const columns = [
    { name: 'When' },
    { name: 'Payment' },
    { name: 'Status' },
    { name: 'Amount', numeric: true },
    { name: 'Refunded', numeric: true },
    ...(actionsOf ? [{ name: 'Actions', hidden: true }] : []),
  ];
  return (
    <DataTable label="Payments" columns={columns}>
      {purchase.payments.map((payment) => {
        const back = payment.refundedMinor + payment.disputedMinor;
        return (
          <tr key={payment.ref}>
            <td className={classes.nowrap}>{formatMoment(payment.at)}</td>
            <td>
              <KeyText c="dimmed" truncate display="block" maw={180}>
                {payment.ref}
              </KeyText>
            </td>
            <td>
              {standings[payment.standing]}
              {payment.holdReason && (
                <Text size="sm" c="dimmed">
                  {PAYMENT_HOLD_REASON_TEXT[payment.holdReason]}
                </Text>
              )}
            </td>
            <NumericCell>{formatMoney(payment.amountMinor, payment.currency)}</NumericCell>
            <NumericCell>{back === 0 ? '–' : formatMoney(back, payment.currency)}</NumericCell>
            {actionsOf && <td>{actionsOf(payment)}</td>}
          </tr>
        );
      })}
    </DataTable>
  );
}

/** How the money was booked. */
export function MoneyTable({ purchase }: { purchase: Purchase }) {
  const accounts = {
    CASH: 'Cash',
    REVENUE: 'Revenue',
    HELD: 'Held payments',
    DISPUTED: 'Disputed payments',
  };
  const columns = [{ name: 'When' }, { name: 'Account' }, { name: 'Amount', numeric: true }];
  return (
    <DataTable label="Ledger" columns={columns}>
      {purchase.moneyEntries.map(({ id, at, account, amountMinor, currency }) => (
        <tr key={id}>
          <td className={classes.nowrap}>{formatMoment(at)}</td>
          <td>{accounts[account]}</td>
          <NumericCell>{formatMoney(Number(amountMinor), currency)}</NumericCell>
        </tr>
      ))}
    </DataTable>
  );
}
