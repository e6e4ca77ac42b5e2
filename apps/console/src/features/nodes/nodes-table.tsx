import { Switch, Text } from '@mantine/core';
import { IconServerOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { type DotTone, KeyText, StateDot } from '../../components/marks.js';
import { EmptyState, Failure, Panel, RowsSkeleton } from '../../components/page.js';
import { describeAction } from '../../lib/audit-text.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { formatLatency, formatNumber } from '../../lib/number-format.js';
import { formatAgo, formatMoment, formatTimeLeft } from '../../lib/time-format.js';
import { nodesQuery, propagationQuery, type RecentChange, recentChangesQuery, useNodeRetire } from './api.js';
import { type DecisionNodeInList, describeNodes, type NodeHealth, nodeHealth } from './node-health.js';

const NODE_HEALTH_TEXT = {
  behind: 'Outdated revision',
  current: 'Up to date',
  degraded: 'Degraded: Redis unavailable',
  policyStale: 'Policy expired',
  refusing: 'Rejected a revision',
  retired: 'Retired',
  stale: 'Offline',
} as const;

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
      title="Decision nodes"
      note={data ? describeNodes(data.decisionNodes, revision) : 'Loading nodes…'}
      actions={
        <Switch
          size="xs"
          label="Show retired"
          checked={withRetired}
          onChange={({ currentTarget }) => setWithRetired(currentTarget.checked)}
        />
      }
      flush
    >
      {!data && <RowsSkeleton rows={3} />}
      {data?.decisionNodes.length === 0 && (
        <EmptyState icon={<IconServerOff size={30} stroke={1.5} aria-hidden />} title="No nodes yet">
          Start a decision API with the same Redis as this control plane. It appears here within seconds.
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
  const retire = useNodeRetire();
  const ask = (nodeId: string) =>
    askToConfirm({
      title: `Retire ${nodeId}?`,
      children: (
        <Text size="sm">
          Publications no longer wait for this node, and no notice reports it offline. If it reports again, it
          becomes active again.
        </Text>
      ),
      labels: { confirm: 'Retire', cancel: 'Cancel' },
      onConfirm: () => retire.mutate(nodeId, { onError: notifyFailure('Node not retired') }),
    });
  const columns = [
    { name: 'Node' },
    { name: 'Status' },
    { name: 'Revision', numeric: true },
    { name: 'Propagation', numeric: true },
    { name: 'Policy age', numeric: true },
    { name: 'Last seen' },
    { name: 'Started' },
    { name: 'Version' },
    { name: 'Retire', hidden: true },
  ];
  return (
    <DataTable label="Decision nodes" columns={columns}>
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
  const health = nodeHealth(node, revision);
  const nowrap = { whiteSpace: 'nowrap' } as const;
  return (
    <tr>
      <th scope="row">
        <KeyText style={nowrap}>{node.nodeId}</KeyText>
      </th>
      <td style={nowrap}>
        <StateDot tone={TONES[health]}>{NODE_HEALTH_TEXT[health]}</StateDot>
        {node.nack && (
          <Text size="xs" c="dimmed" maw={320} style={{ whiteSpace: 'normal' }}>
            Revision {formatNumber(node.nack.revision)}: {node.nack.reason}
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
            Retire
          </GatedButton>
        )}
      </td>
    </tr>
  );
}

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

const CHANGE_TONES: Record<string, DotTone> = { LIVE: 'good', REFUSED: 'bad' };

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
  return <StateDot tone={CHANGE_TONES[state] ?? 'warn'}>{text}</StateDot>;
}
