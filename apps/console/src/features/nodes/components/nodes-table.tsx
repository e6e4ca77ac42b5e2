import { Switch, Text } from '@mantine/core';
import { IconServerOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { formatLatency } from '../../../lib/number-format.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import { formatAgo, formatMoment, formatTimeLeft } from '../../../lib/time-format.js';
import { nodesQuery, useNodeRetire } from '../api/decision-nodes.js';
import { type DecisionNodeInList, describeNodes, type NodeHealth, nodeHealth } from '../node-health.js';

const TONES: Record<NodeHealth, DotTone> = {
  current: 'good',
  behind: 'warn',
  degraded: 'warn',
  policyStale: 'warn',
  refusing: 'bad',
  stale: 'bad',
  retired: 'quiet',
};

/** Every decision node that reported lately. */
export function NodesTable() {
  const t = useTranslations('nodes');
  const [withRetired, setWithRetired] = useState(false);
  const { data, error, refetch } = useQuery(nodesQuery(withRetired));
  if (error && !data)
    return (
      <Panel flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  const revision = data?.currentRevision?.number;
  return (
    <Panel
      title={t('title')}
      note={data ? describeNodes(data.decisionNodes, revision) : t('asking')}
      actions={
        <Switch
          size="xs"
          label={t('withRetired')}
          checked={withRetired}
          onChange={({ currentTarget }) => setWithRetired(currentTarget.checked)}
        />
      }
      flush
    >
      {!data && <RowsSkeleton rows={3} />}
      {data?.decisionNodes.length === 0 && (
        <EmptyState icon={<IconServerOff size={30} stroke={1.5} aria-hidden />} title={t('none')}>
          {t('noneHint')}
        </EmptyState>
      )}
      {data && data.decisionNodes.length > 0 && <Table nodes={data.decisionNodes} revision={revision} />}
    </Panel>
  );
}

interface TableProps {
  nodes: readonly DecisionNodeInList[];
  revision: number | undefined;
}

function Table({ nodes, revision }: TableProps) {
  const t = useTranslations('nodes');
  const retire = useNodeRetire();
  const ask = (nodeId: string) =>
    askToConfirm({
      title: t('retireTitle', { node: nodeId }),
      children: <Text size="sm">{t('retireHint')}</Text>,
      labels: { confirm: t('retire'), cancel: t('keep') },
      onConfirm: () => retire.mutate(nodeId, { onError: tellFailed(t('retireFailed')) }),
    });
  const columns = [
    { name: t('node') },
    { name: t('state') },
    { name: t('revision'), numeric: true },
    { name: t('appliedAfter'), numeric: true },
    { name: t('policyAge'), numeric: true },
    { name: t('seen') },
    { name: t('started') },
    { name: t('version') },
    { name: t('retire'), hidden: true },
  ];
  return (
    <DataTable label={t('title')} columns={columns}>
      {nodes.map((node) => (
        <NodeRow
          key={`${node.nodeId} ${node.epoch}`}
          node={node}
          revision={revision}
          onRetire={() => ask(node.nodeId)}
        />
      ))}
    </DataTable>
  );
}

interface NodeRowProps {
  node: DecisionNodeInList;
  revision: number | undefined;
  onRetire: () => void;
}

function NodeRow({ node, revision, onRetire }: NodeRowProps) {
  const t = useTranslations('nodes');
  const health = nodeHealth(node, revision);
  const nowrap = { whiteSpace: 'nowrap' } as const;
  return (
    <tr>
      <th scope="row">
        <KeyText style={nowrap}>{node.nodeId}</KeyText>
      </th>
      <td style={nowrap}>
        <StateDot tone={TONES[health]}>{t(health)}</StateDot>
        {node.nack && (
          <Text size="xs" c="dimmed" maw={320} style={{ whiteSpace: 'normal' }}>
            {t('nack', { revision: node.nack.revision, reason: node.nack.reason })}
          </Text>
        )}
      </td>
      <NumericCell>{node.revision}</NumericCell>
      <NumericCell>{node.applyLatencyMs == null ? '–' : formatLatency(node.applyLatencyMs)}</NumericCell>
      <NumericCell>
        <span style={nowrap}>{node.policyAgeMs == null ? '–' : formatTimeLeft(node.policyAgeMs)}</span>
      </NumericCell>
      <td style={nowrap} title={formatMoment(node.seenAt)}>
        {formatAgo(node.seenAt)}
      </td>
      <td style={nowrap} title={formatMoment(node.startedAt)}>
        {formatAgo(node.startedAt)}
      </td>
      <td>
        <KeyText>{node.version}</KeyText>
      </td>
      <td style={{ textAlign: 'right' }}>
        {health === 'stale' && (
          <GatedButton permission="nodes:write" variant="default" size="compact-sm" onClick={onRetire}>
            {t('retire')}
          </GatedButton>
        )}
      </td>
    </tr>
  );
}
