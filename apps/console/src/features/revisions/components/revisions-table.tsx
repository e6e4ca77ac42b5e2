import { Button, Group, Switch, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { GatedButton, MoreButton } from '../../../components/buttons.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { StateDot } from '../../../components/marks.js';
import { EmptyState, Failure, Panel, RowsSkeleton } from '../../../components/page.js';
import { describeAction } from '../../../lib/audit-text.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type RevisionInList, revisionsQuery } from '../api/revisions.js';

interface RevisionsTableProps {
  catalogueOnly: boolean;
  onCatalogueOnly: (catalogueOnly: boolean) => void;
  onCompare: (from: number, to: number) => void;
  /** @param newest the newest revision that is shown */
  onRollback: (to: number, newest: number) => void;
}

/** The history of what nodes ran. */
export function RevisionsTable(props: RevisionsTableProps) {
  const { catalogueOnly, onCatalogueOnly, onCompare, onRollback } = props;
  const query = useInfiniteQuery(revisionsQuery(catalogueOnly));
  const { data, error, refetch } = query;
  const revisions = data?.pages.flatMap(({ nodes }) => nodes);
  const newest = revisions?.[0]?.number ?? 0;
  const columns = [
    { name: 'Revision', numeric: true },
    { name: 'Changes' },
    { name: 'By' },
    { name: 'Published' },
    { name: 'Tenants', numeric: true },
    { name: 'Actions', hidden: true },
  ];
  return (
    <Panel
      title="Revisions"
      actions={
        <Switch
          size="xs"
          label="Tier and API changes only"
          checked={catalogueOnly}
          onChange={({ currentTarget }) => onCatalogueOnly(currentTarget.checked)}
        />
      }
      flush
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!revisions && !error && <RowsSkeleton rows={6} />}
      {revisions?.length === 0 && (
        <EmptyState icon={<IconHistory size={30} stroke={1.5} aria-hidden />} title="Nothing published yet">
          The first policy change creates a revision.
        </EmptyState>
      )}
      {revisions && revisions.length > 0 && (
        <DataTable label="Revisions" columns={columns}>
          {revisions.map((revision) => (
            <RevisionRow
              key={revision.number}
              revision={revision}
              newest={newest}
              onCompare={onCompare}
              onRollback={onRollback}
            />
          ))}
        </DataTable>
      )}
      <MoreButton list={query} older />
    </Panel>
  );
}

interface RevisionRowProps extends Pick<RevisionsTableProps, 'onCompare' | 'onRollback'> {
  revision: RevisionInList;
  newest: number;
}

function RevisionRow({ revision, newest, onCompare, onRollback }: RevisionRowProps) {
  const { number, publishedAt, size } = revision;
  const isNewest = number === newest;
  return (
    <tr>
      <th scope="row" style={{ textAlign: 'right' }}>
        {number}
      </th>
      <td style={{ minWidth: 220 }}>
        <Changes revision={revision} />
      </td>
      <td>{[...new Set(revision.changes.map(({ actor }) => actor))].join(', ')}</td>
      <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(publishedAt)}>
        {formatAgo(publishedAt)}
      </td>
      <NumericCell>{revision.tenantCount}</NumericCell>
      <td>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {isNewest && <StateDot tone="good">Current</StateDot>}
          {number > 1 && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => (isNewest ? onCompare(number - 1, number) : onCompare(number, newest))}
            >
              Compare
            </Button>
          )}
          {!isNewest && size !== null && (
            <GatedButton
              permission="policy:rollback"
              variant="default"
              size="compact-sm"
              onClick={() => onRollback(number, newest)}
            >
              Roll back
            </GatedButton>
          )}
        </Group>
      </td>
    </tr>
  );
}

function Changes({ revision: { cause, changes, changeCount } }: { revision: RevisionInList }) {
  const [first] = changes;
  if (first === undefined) return cause === 'reconcile' ? 'Redis restored' : '–';
  const more = changeCount - 1;
  return (
    <>
      {describeAction(first.action)}
      {more > 0 && <span style={{ color: 'var(--tg-text-soft)' }}> and {formatNumber(more)} more</span>}
      {first.reason && (
        <Text size="xs" c="dimmed" lineClamp={1}>
          “{first.reason}”
        </Text>
      )}
    </>
  );
}
