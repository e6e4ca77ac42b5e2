import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Panel } from '../../components/page.js';
import { graphql } from '../../generated/index.js';
import { useLimitTitle, usePageZone } from '../../lib/customer-page.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import classes from './purchases.module.css';

const TopUpUnitsDocument = graphql(`
  query TopUpUnits($tenantKey: String!) {
    entitlements(tenantKey: $tenantKey, live: true, first: 100) {
      nodes { id label apiKey limit remaining unitsExpireAt effect { units } }
    }
  }
`);

/** Remaining units of a tenant's top-ups of monthly limits, in the order in which they are used; hidden without any. */
export function TopUps({ tenantKey }: { tenantKey: string }) {
  const timeZone = usePageZone();
  const titleOf = useLimitTitle();
  const { data } = useQuery({
    queryKey: ['top-up-units', tenantKey],
    queryFn: ({ signal }) => graphqlRequest(TopUpUnitsDocument, { tenantKey }, signal),
    refetchInterval: 10_000,
  });
  const topUps = (data?.entitlements.nodes ?? [])
    .flatMap((row) => (row.unitsExpireAt == null ? [] : [{ ...row, expiresAt: row.unitsExpireAt }]))
    .sort((a, b) => a.expiresAt.localeCompare(b.expiresAt) || a.id.localeCompare(b.id));
  if (topUps.length === 0) return null;
  return (
    <Panel title="Top-ups">
      <dl className={classes.charges}>
        {topUps.map(({ id, label, apiKey, limit, remaining, expiresAt, effect }) => (
          <div key={id}>
            <dt>
              {label}
              <Text size="xs" c="dimmed">
                {titleOf?.(apiKey ?? '', limit ?? '') ?? limit}, expires{' '}
                {formatDayInZone(expiresAt, timeZone)}
              </Text>
            </dt>
            <dd>
              {remaining == null ? '–' : formatNumber(remaining)} of {formatNumber(effect.units ?? 0)} left
            </dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt={10}>
        Used in this order, after the units of your plan.
      </Text>
    </Panel>
  );
}
