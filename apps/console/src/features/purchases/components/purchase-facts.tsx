import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { KeyText } from '../../../components/key-text.js';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatMoney } from '../../../lib/money.js';
import { describeEffects, describeInterval } from '../../../lib/offer-text.js';
import { formatMoment } from '../../../lib/time-format.js';
import classes from './purchases.module.css';
import { WhatComesNext } from './purchases-table.js';

type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** What was ordered, on which terms. */
export function PurchaseFacts({ purchase, offer }: { purchase: Purchase; offer: ReactNode }) {
  const t = useTranslations('purchases');
  const { amountMinor, currency, interval, effects, provider, createdAt } = purchase;
  return (
    <dl className={classes.facts}>
      <dt>{t('offer')}</dt>
      <dd>{offer}</dd>
      <dt>{t('price')}</dt>
      <dd className="tg-number">
        {formatMoney(amountMinor, currency)} {describeInterval(interval)}
      </dd>
      <dt>{t('provider')}</dt>
      <dd>{t(provider)}</dd>
      <dt>{t('effect')}</dt>
      <dd className={classes.effects}>{describeEffects(effects)}</dd>
      <dt>{t('ordered')}</dt>
      <dd>{formatMoment(createdAt)}</dd>
      <dt>{t('next')}</dt>
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
  const t = useTranslations('purchases');
  if (purchase.payments.length === 0) {
    return (
      <Text c="dimmed" size="sm" p="md">
        {t('noPayments')}
      </Text>
    );
  }
  const standings = { ACCEPTED: t('ACCEPTED'), HELD: t('HELD_payment'), REJECTED: t('REJECTED_payment') };
  const columns = [
    { name: t('at') },
    { name: t('payment') },
    { name: t('standing') },
    { name: t('amount'), numeric: true },
    { name: t('givenBack'), numeric: true },
    ...(actionsOf ? [{ name: t('actions'), hidden: true }] : []),
  ];
  return (
    <DataTable label={t('payments')} columns={columns}>
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
                  {t(payment.holdReason)}
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
  const t = useTranslations('purchases');
  const accounts = {
    CASH: t('CASH'),
    REVENUE: t('REVENUE'),
    HELD: t('HELD_account'),
    DISPUTED: t('DISPUTED_account'),
  };
  const columns = [{ name: t('at') }, { name: t('account') }, { name: t('amount'), numeric: true }];
  return (
    <DataTable label={t('money')} columns={columns}>
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
