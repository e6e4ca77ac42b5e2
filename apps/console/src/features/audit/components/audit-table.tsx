import { Text, UnstyledButton } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { DataTable } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor } from '../../../components/link.js';
import { MoreButton } from '../../../components/more-button.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { describeAction, describeChange } from '../../../lib/audit-text.js';
import { plural } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type AuditEntryInList, type AuditFilter, auditQuery } from '../api/audit-entries.js';
import { AuditFilters, type AuditSearch } from './audit-filters.js';

interface AuditTableProps {
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
  onOpen: (entry: AuditEntryInList) => void;
}

/** The trail, newest first. */
export function AuditTable({ search, onSearch, onOpen }: AuditTableProps) {
  const query = useInfiniteQuery(auditQuery(toFilter(search)));
  const { data, error, refetch } = query;
  const entries = data?.pages.flatMap(({ nodes }) => nodes);
  const columns = [{ name: 'When' }, { name: 'Who' }, { name: 'Action' }, { name: 'Tenant' }];
  return (
    <Panel
      title="Audit trail"
      note={data?.pages[0] ? plural(data.pages[0].totalCount, 'entry', 'entries') : ' '}
      flush
    >
      <AuditFilters value={search} onChange={onSearch} />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!entries && !error && <RowsSkeleton rows={8} />}
      {entries?.length === 0 && (
        <EmptyState icon={<IconListSearch size={30} stroke={1.5} aria-hidden />} title="No matching entries">
          Widen the time range or clear a filter.
        </EmptyState>
      )}
      {entries && entries.length > 0 && (
        <DataTable label="Audit trail" columns={columns}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} onOpen={() => onOpen(entry)} />
          ))}
        </DataTable>
      )}
      <MoreButton list={query} older />
    </Panel>
  );
}

function EntryRow({ entry, onOpen }: { entry: AuditEntryInList; onOpen: () => void }) {
  const change = describeChange(entry.before, entry.after);
  return (
    <tr>
      <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(entry.at)}>
        {formatAgo(entry.at)}
      </td>
      <td style={{ whiteSpace: 'nowrap' }}>{entry.actor}</td>
      <th scope="row" style={{ minWidth: 260 }}>
        <UnstyledButton onClick={onOpen} fz="inherit" fw={500} style={{ textDecoration: 'underline dotted' }}>
          {describeAction(entry.action)}
        </UnstyledButton>
        {(entry.reason ?? change) && (
          <Text size="xs" c="dimmed" fw={400} lineClamp={1}>
            {change}
            {entry.reason && ` “${entry.reason}”`}
          </Text>
        )}
      </th>
      <td>
        {entry.tenantKey && (
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: entry.tenantKey }}>
            {entry.tenantKey}
          </LinkAnchor>
        )}
      </td>
    </tr>
  );
}

/** Days of the reader's zone as instants; the last day is whole. */
export function toFilter({ from, to, ...same }: AuditSearch): AuditFilter {
  return {
    ...same,
    ...(from === undefined ? {} : { from: startOfDay(from, 0) }),
    ...(to === undefined ? {} : { to: startOfDay(to, 1) }),
  };
}

function startOfDay(day: string, later: number): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
