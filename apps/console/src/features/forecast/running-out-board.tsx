import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { Failure, Panel, RowsSkeleton } from '../../components/page.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { formatInZone, formatTimeLeft } from '../../lib/time-format.js';
import { type RunningOut, runningOutQuery } from './api.js';

// Its fields are no part of the first page.
const BoostDialog = lazy(() => import('./boost-dialog.js'));

/** Tenants whose quotas run out within a day, soonest first, with actions. */
export function RunningOutBoard({
  onStarted,
}: {
  onStarted: (changeId: string | null, title: string) => void;
}) {
  const { data, error, refetch } = useQuery(runningOutQuery);
  const [boosting, setBoosting] = useState<RunningOut>();
  const columns = [
    { name: 'Tenant' },
    { name: 'Quota' },
    { name: 'Used', numeric: true },
    { name: 'Runs out' },
    { name: 'Actions', hidden: true },
  ];
  return (
    <Panel title="Quotas running out in 24 h" note="Based on the last 24 hours" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {data?.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          No quota runs out within 24 hours.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label="Quotas running out in 24 h" columns={columns}>
          {data.map((row) => (
            <Row
              key={`${row.tenantKey} ${row.quota.apiKey} ${row.quota.limitName}`}
              row={row}
              onBoost={() => setBoosting(row)}
            />
          ))}
        </DataTable>
      )}
      {boosting && (
        <Suspense fallback={null}>
          <BoostDialog
            row={boosting}
            onClose={() => setBoosting(undefined)}
            onStarted={(changeId, title) => {
              setBoosting(undefined);
              onStarted(changeId, title);
            }}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function Row({
  row: { tenantKey, tenantName, timeZone, quota },
  onBoost,
}: {
  row: RunningOut;
  onBoost: () => void;
}) {
  const { apiKey, limitName, used, limit, runsOutAt, periodEnd } = quota;
  const leftMs = runsOutAt ? new Date(runsOutAt).getTime() - Date.now() : 0;
  const isOut = used >= limit;
  return (
    <tr>
      <th scope="row">
        <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
          {tenantName}
        </LinkAnchor>
      </th>
      <td>
        {limitName}
        <Text size="xs" c="dimmed">
          {apiKey}
        </Text>
      </td>
      <NumericCell>
        {formatShare(used / Math.max(1, limit))}
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {formatNumber(used)} of {formatNumber(limit)}
        </Text>
      </NumericCell>
      <td>
        <Text size="sm" fw={500} {...(isOut ? { c: 'var(--mantine-color-error)' } : {})}>
          {isOut ? 'used up' : formatTimeLeft(leftMs)}
        </Text>
        <Text size="xs" c="dimmed">
          resets {formatInZone(periodEnd, timeZone)}
        </Text>
      </td>
      <td>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <GatedButton permission="boosts:write" variant="default" size="compact-sm" onClick={onBoost}>
            Boost
          </GatedButton>
          <LinkButton
            to="/portal/$tenantKey"
            params={{ tenantKey }}
            variant="subtle"
            color="gray"
            size="compact-sm"
          >
            Offer upgrade
          </LinkButton>
        </Group>
      </td>
    </tr>
  );
}
