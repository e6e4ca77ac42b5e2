import { Switch, Text } from '@mantine/core';
import { IconServerOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AuditLine } from '../../components/audit-line.js';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { ActionsCell, hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { type DotTone, KeyText, StateDot } from '../../components/marks.js';
import { EmptyState, Panel } from '../../components/page.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import { formatLatency, formatNumber } from '../../lib/number-format.js';
import { formatTimeLeft } from '../../lib/time-format.js';
import {
  nodesQuery,
  type Propagation,
  propagationQuery,
  type RecentChange,
  recentChangesQuery,
  useNodeRetire,
} from './api.js';
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

export function NodesTable() {
  const [withRetired, setWithRetired] = useState(false);
  const query = useQuery(nodesQuery(withRetired));
  const retire = useNodeRetire();
  const { data } = query;
  const revision = data?.currentRevision?.number;
  const ask = (nodeId: string) =>
    askToConfirm({
      title: `Retire ${nodeId}?`,
      text: 'Publications no longer wait for this node, and no notice reports it offline. If it reports again, it becomes active again.',
      confirm: 'Retire',
      color: 'gate',
      onConfirm: () => retire.mutate({ nodeId }, { onError: notifyFailure('Node not retired') }),
    });
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
      <QueryTable
        query={query}
        list={data?.decisionNodes}
        rows={3}
        empty={
          <EmptyState icon={IconServerOff} title="No nodes yet">
            Start a decision API with the same Redis as this control plane. It appears here within seconds.
          </EmptyState>
        }
        label="Decision nodes"
        columns={[
          ...['Node', 'Status', numeric('Revision'), numeric('Propagation'), numeric('Policy age')],
          ...['Last seen', 'Started', 'Version', hidden('Retire')],
        ]}
      >
        {(node) => (
          <NodeRow
            key={`${node.nodeId} ${node.epoch}`}
            node={node}
            revision={revision}
            onRetire={() => ask(node.nodeId)}
          />
        )}
      </QueryTable>
    </Panel>
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
      <td>
        <Ago at={node.seenAt} />
      </td>
      <td>
        <Ago at={node.startedAt} />
      </td>
      <td>
        <KeyText>{node.version}</KeyText>
      </td>
      <ActionsCell>
        {health === 'stale' && (
          <GatedButton permission="nodes:write" variant="default" size="compact-sm" onClick={onRetire}>
            Retire
          </GatedButton>
        )}
      </ActionsCell>
    </tr>
  );
}

/** The last changes and their propagation. */
export function RecentPropagation() {
  const query = useQuery(recentChangesQuery);
  return (
    <Panel title="Recent changes" note="Time from save to enforcement." flush>
      <QueryTable
        query={query}
        list={query.data}
        rows={4}
        empty="Nothing has been published yet."
        label="Recent changes"
        columns={['Change', 'By', numeric('Revision'), 'Nodes', numeric('Slowest'), 'When']}
      >
        {(change) => <ChangeRow key={`${change.changeId} ${change.revision}`} change={change} />}
      </QueryTable>
    </Panel>
  );
}

function ChangeRow({ change }: { change: RecentChange }) {
  const { data } = useQuery(propagationQuery(change.changeId, false));
  const { slowestMs = null } = data ?? {};
  return (
    <tr>
      <th scope="row">
        <AuditLine entry={change} />
      </th>
      <td>{change.actor}</td>
      <NumericCell>{change.revision}</NumericCell>
      <td style={{ whiteSpace: 'nowrap' }}>{data && <Reach propagation={data} />}</td>
      <NumericCell>{slowestMs === null ? '–' : formatLatency(slowestMs)}</NumericCell>
      <td>
        <Ago at={change.at} />
      </td>
    </tr>
  );
}

const CHANGE_TONES: Record<string, DotTone> = { LIVE: 'good', REJECTED: 'bad' };

function Reach({ propagation }: { propagation: Propagation }) {
  const { state, liveNodes: live, totalNodes: total } = propagation;
  const text =
    state === 'REJECTED'
      ? 'Rejected by a node'
      : state === 'PENDING'
        ? 'Publishing'
        : `Live on ${formatNumber(live)}/${formatNumber(total)}`;
  return <StateDot tone={CHANGE_TONES[state] ?? 'warn'}>{text}</StateDot>;
}
