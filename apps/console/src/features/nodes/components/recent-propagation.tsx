import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { type DotTone, StateDot } from '../../../components/marks.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { describeAction } from '../../../lib/audit-text.js';
import { formatLatency, formatNumber } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { propagationQuery } from '../api/propagation.js';
import { type RecentChange, recentChangesQuery } from '../api/recent-changes.js';

/** The last changes, and how far each has travelled. */
export function RecentPropagation() {
  const { data } = useQuery(recentChangesQuery);
  const columns = [
    { name: 'Change' },
    { name: 'By' },
    { name: 'Revision', numeric: true },
    { name: 'Nodes' },
    { name: 'Slowest', numeric: true },
    { name: 'When' },
  ];
  return (
    <Panel title="Recent changes" note="Time from save to enforcement." flush>
      {!data && <RowsSkeleton rows={4} />}
      {data?.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          Nothing has been published yet.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label="Recent changes" columns={columns}>
          {data.map((change) => (
            <ChangeRow key={`${change.changeId} ${change.revision}`} change={change} />
          ))}
        </DataTable>
      )}
    </Panel>
  );
}

function ChangeRow({ change }: { change: RecentChange }) {
  const { data } = useQuery(propagationQuery(change.changeId, true));
  const { slowestMs = null } = data ?? {};
  return (
    <tr>
      <th scope="row">{describeAction(change.action)}</th>
      <td>{change.actor}</td>
      <NumericCell>{change.revision}</NumericCell>
      <td style={{ whiteSpace: 'nowrap' }}>{data && <Reach propagation={data} />}</td>
      <NumericCell>{slowestMs === null ? '–' : formatLatency(slowestMs)}</NumericCell>
      <td style={{ whiteSpace: 'nowrap' }} title={formatMoment(change.at)}>
        {formatAgo(change.at)}
      </td>
    </tr>
  );
}

const TONES: Record<string, DotTone> = { LIVE: 'good', REFUSED: 'bad' };

function Reach({
  propagation: { state, liveNodes: live, totalNodes: total },
}: {
  propagation: { state: string; liveNodes: number; totalNodes: number };
}) {
  const text =
    state === 'REFUSED'
      ? 'Rejected by a node'
      : state === 'PENDING'
        ? 'Publishing'
        : `Live on ${formatNumber(live)}/${formatNumber(total)}`;
  return <StateDot tone={TONES[state] ?? 'warn'}>{text}</StateDot>;
}
