import { Skeleton, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Swatched } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyText, Failure, Panel } from '../../components/page.js';
import type { RevenueQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery } from '../../lib/graphql-request.js';
import { formatMoney, formatNumber } from '../../lib/number-format.js';
import classes from './revenue.module.css';

const RevenueDocument = graphql(`
  query Revenue {
    revenue {
      currency monthlyMinor receivedMinor failedRenewals failedMinor
      offers { offerKey offerName purchases monthlyMinor }
      upgrades { tierKey tierName purchases }
    }
  }
`);

const revenueQuery = queryOptions({
  // Under the key of purchases, so that a change of a purchase refreshes it.
  ...fieldQuery(['purchases', 'revenue'], RevenueDocument, {}),
  refetchInterval: 60_000,
});

type Revenue = RevenueQuery['revenue'][number];

const SHOWN = 5;

/** Recurring revenue by offer, failed renewals and upgrades by tier; one block per currency. */
export function RevenuePanel() {
  const { data, error, refetch } = useQuery(revenueQuery);
  return (
    <Panel
      title="Revenue"
      actions={
        <LinkAnchor to="/purchases" size="sm">
          Purchases
        </LinkAnchor>
      }
      flush
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={190} m="md" w="auto" />}
      {data?.length === 0 && (
        <EmptyText>
          No purchases yet.{' '}
          <LinkAnchor to="/offers" inherit underline="always">
            Put an offer on sale
          </LinkAnchor>
          .
        </EmptyText>
      )}
      {data?.map((revenue) => (
        <Currency key={revenue.currency} revenue={revenue} />
      ))}
    </Panel>
  );
}

const colorOf = (index: number) => `var(--tg-series-${index < SHOWN - 1 ? index + 1 : 'rest'})`;

function Currency({ revenue }: { revenue: Revenue }) {
  const { currency, monthlyMinor, receivedMinor, offers, upgrades, failedRenewals, failedMinor } = revenue;
  const money = (minor: number) => formatMoney(minor, currency);
  return (
    <div className={classes.currency}>
      <Text size="xs" c="dimmed">
        Monthly recurring
      </Text>
      <div className={classes.total}>{money(monthlyMinor)}</div>
      <div className={classes.bar} aria-hidden="true">
        {offers.map(({ offerKey, monthlyMinor: part }, index) => (
          <span key={offerKey} style={{ flexGrow: part, background: colorOf(index) }} />
        ))}
      </div>
      <ul className="tg-list">
        {offers.slice(0, SHOWN).map(({ offerKey, offerName, purchases, monthlyMinor: part }, index) => (
          <li key={offerKey} className={classes.line}>
            <Swatched color={colorOf(index)}>
              <LinkAnchor to="/offers/$offerKey" params={{ offerKey }} inherit c="inherit">
                {offerName}
              </LinkAnchor>
              <Text span inherit c="dimmed">
                {purchases}
              </Text>
            </Swatched>
            <span>{money(part)}</span>
          </li>
        ))}
      </ul>
      <dl className={`tg-facts ${classes.facts}`}>
        <dt>Received, 30 d</dt>
        <dd>{money(receivedMinor)}</dd>
        {upgrades.map(({ tierKey, tierName, purchases }) => (
          <div key={tierKey} style={{ display: 'contents' }}>
            <dt>{tierName} upgrades, 30 d</dt>
            <dd>{purchases}</dd>
          </div>
        ))}
        <dt>Failed renewals</dt>
        <dd>
          {failedRenewals === 0 ? (
            'None'
          ) : (
            <LinkAnchor to="/purchases" search={{ status: 'PAST_DUE' }} inherit underline="always">
              {formatNumber(failedRenewals)}, {money(failedMinor)} at risk
            </LinkAnchor>
          )}
        </dd>
      </dl>
    </div>
  );
}
