import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel, QueryFallback } from '../../components/page.js';
import type { PurchaseFieldsFragment } from '../../generated/graphql.js';
import { usePageZone } from '../../lib/customer-page.js';
import { formatMoney } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { purchasesQuery } from './api.js';
import classes from './purchases.module.css';

interface Charge {
  purchase: PurchaseFieldsFragment;
  at: string;
}

/** Renewals of active purchases, soonest first. */
function upcomingCharges(purchases: readonly PurchaseFieldsFragment[]): Charge[] {
  return purchases
    .flatMap((purchase) =>
      purchase.renews && purchase.paidThrough ? [{ purchase, at: purchase.paidThrough }] : [],
    )
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Renewals of the next day with any, in one currency; the provider charges them one by one. */
function nextInvoice(purchases: readonly PurchaseFieldsFragment[], timeZone: string): Charge[] {
  const charges = upcomingCharges(purchases);
  const dayOf = ({ at }: Charge) => formatDayInZone(at, timeZone);
  const [first] = charges;
  return charges.filter(
    (charge) =>
      first && dayOf(charge) === dayOf(first) && charge.purchase.currency === first.purchase.currency,
  );
}

interface UpcomingChargesProps {
  tenantKey: string;
  /** Shown at the right of the footer. */
  footer: ReactNode;
}

/** The next renewals of a tenant and their total. */
export function UpcomingCharges({ tenantKey, footer }: UpcomingChargesProps) {
  const timeZone = usePageZone();
  const query = useInfiniteQuery(purchasesQuery({ tenantKey, status: 'ACTIVE' }));
  const { data: unpaid } = useInfiniteQuery(purchasesQuery({ tenantKey, status: 'PAST_DUE' }));
  const charges = nextInvoice(query.data?.nodes ?? [], timeZone);
  const [first] = charges;
  return (
    <Panel
      title="Next invoice"
      actions={
        first && (
          <Text size="sm" c="dimmed">
            {formatDayInZone(first.at, timeZone)}
          </Text>
        )
      }
    >
      <QueryFallback query={query} rows={2} />
      {unpaid?.nodes.map(({ id, label, amountMinor, currency, graceEndsAt }) => (
        <Text key={id} size="sm" c="var(--mantine-color-ochre-text)" mb={8}>
          The renewal of {label} failed. It ends
          {graceEndsAt && ` on ${formatDayInZone(graceEndsAt, timeZone)}`} unless{' '}
          {formatMoney(amountMinor, currency)} is paid.
        </Text>
      ))}
      {query.data && !first && unpaid?.nodes.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing renews.
        </Text>
      )}
      {first && (
        <dl className={classes.charges}>
          {charges.map(({ purchase }) => (
            <div key={purchase.id}>
              <dt>{purchase.label}</dt>
              <dd>{formatMoney(purchase.amountMinor, purchase.currency)}</dd>
            </div>
          ))}
          <div data-total="">
            <dt>Total</dt>
            <dd>
              {formatMoney(
                charges.reduce((sum, { purchase }) => sum + purchase.amountMinor, 0),
                first.purchase.currency,
              )}
            </dd>
          </div>
        </dl>
      )}
      <div className={classes.chargesFoot}>{footer}</div>
    </Panel>
  );
}
