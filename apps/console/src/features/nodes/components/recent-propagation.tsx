import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { describeAction } from '../../../lib/audit-text.js';
import { formatLatency } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { propagationQuery } from '../api/propagation.js';
import { type RecentChange, recentChangesQuery } from '../api/recent-changes.js';

/** The last changes, and how far each has travelled. */
export function RecentPropagation() {
  const t = useTranslations('nodes');
  const { data } = useQuery(recentChangesQuery);
  const columns = [
    { name: t('change') },
    { name: t('by') },
    { name: t('revision'), numeric: true },
    { name: t('reach') },
    { name: t('slowest'), numeric: true },
    { name: t('when') },
  ];
  return (
    <Panel title={t('propagation')} note={t('propagationNote')} flush>
      {!data && <RowsSkeleton rows={4} />}
      {data?.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          {t('noChanges')}
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label={t('propagation')} columns={columns}>
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
  const t = useTranslations('nodes');
  const text =
    state === 'REFUSED' ? t('refusedBy') : state === 'PENDING' ? t('publishing') : t('live', { live, total });
  return <StateDot tone={TONES[state] ?? 'warn'}>{text}</StateDot>;
}
