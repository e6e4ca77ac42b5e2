import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { TenantAdjustmentsQuery } from '../../../generated/graphql.js';
import type { Permission } from '../../../lib/permissions.js';
import { formatAgo, formatInZone } from '../../../lib/time-format.js';
import { effectText } from '../adjustment-text.js';
import { type EntitlementInList, type OverrideInList, tenantAdjustmentsQuery } from '../api/adjustments.js';
import classes from './adjustments.module.css';

interface AdjustmentsTableProps<T> {
  tenantKey: string;
  label: string;
  /** Said where there is none. */
  empty: string;
  rowsOf: (adjustments: TenantAdjustmentsQuery) => readonly T[];
  children: (row: T) => ReactNode;
}

/** A table of what changes a tenant's limits; each row is an `AdjustmentRow`. */
export function AdjustmentsTable<T>({ tenantKey, label, empty, rowsOf, children }: AdjustmentsTableProps<T>) {
  const { data, error, refetch } = useQuery(tenantAdjustmentsQuery(tenantKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={3} />;
  const rows = rowsOf(data);
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        {empty}
      </Text>
    );
  }
  const columns = [
    { name: 'Adjustment' },
    { name: 'Limit' },
    { name: 'Effect', numeric: true },
    { name: 'Status' },
    { name: 'Ends' },
    { name: 'Reason' },
    { name: 'End', hidden: true },
  ];
  return (
    <DataTable label={label} columns={columns}>
      {rows.map(children)}
    </DataTable>
  );
}

interface AdjustmentRowProps {
  adjustment: EntitlementInList | OverrideInList;
  name: string;
  state: { tone: DotTone; text: string };
  /** Instant of its end, shown by the clock of `timeZone`. */
  endsAt: string | null | undefined;
  timeZone: string;
  why: string | null;
  who: string;
  /** How it is ended before its time; left out where it cannot be. */
  end?: { permission: Permission; what: string; onEnd: () => void } | undefined;
}

/** One thing that changes limits: what it does where, until when and why. */
export function AdjustmentRow(props: AdjustmentRowProps) {
  const { adjustment, name, state, endsAt, timeZone, why, who, end } = props;
  const { limit, apiKey, effect, createdAt } = adjustment;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={classes.nowrap}>
        {limit ?? apiKey ?? 'all limits'}
        {limit && <span className={classes.soft}> {apiKey}</span>}
      </td>
      <NumericCell>{effectText(effect)}</NumericCell>
      <td className={classes.nowrap}>
        <StateDot tone={state.tone}>{state.text}</StateDot>
      </td>
      <td className={classes.nowrap}>{endsAt ? formatInZone(endsAt, timeZone) : 'no end date'}</td>
      <td>
        {why}
        <div className={classes.soft}>
          {who}, {formatAgo(createdAt)}
        </div>
      </td>
      <td>
        {end && (
          <GatedButton
            permission={end.permission}
            variant="default"
            size="compact-sm"
            aria-label={`End ${end.what}`}
            onClick={end.onEnd}
          >
            End
          </GatedButton>
        )}
      </td>
    </tr>
  );
}
