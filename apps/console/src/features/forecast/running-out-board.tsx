import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { Panel } from '../../components/page.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import { formatInZone, formatTimeLeft } from '../../lib/time-format.js';
import { type RunningOut, runningOutQuery } from './api.js';
import type { BoostDialogProps } from './boost-dialog.js';

// Loaded on first use, to keep the first page small.
const BoostDialog = lazy(() => loadChunk(() => import('./boost-dialog.js')));

/** Tenants whose quotas run out within a day, soonest first, with actions. */
export function RunningOutBoard({ onStarted }: Pick<BoostDialogProps, 'onStarted'>) {
  const query = useQuery(runningOutQuery);
  const [boosting, setBoosting] = useState<RunningOut>();
  return (
    <Panel title="Quotas running out in 24 h" note="Based on the last 24 hours" flush>
      <QueryTable
        query={query}
        list={query.data}
        rows={3}
        empty="No quota runs out within 24 hours."
        label="Quotas running out in 24 h"
        columns={['Tenant', 'Quota', numeric('Used'), 'Runs out', hidden('Actions')]}
      >
        {(row) => (
          <Row
            key={`${row.tenantKey} ${row.quota.apiKey} ${row.quota.limitName}`}
            row={row}
            onBoost={() => setBoosting(row)}
          />
        )}
      </QueryTable>
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

function Row({ row, onBoost }: { row: RunningOut; onBoost: () => void }) {
  const { tenantKey, tenantName, timeZone, quota } = row;
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
