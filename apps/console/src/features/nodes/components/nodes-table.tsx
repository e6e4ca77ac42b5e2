import { Text } from '@mantine/core';
import { IconServerOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { formatLatency } from '../../../lib/number-format.js';
import { formatAgo } from '../../../lib/time-format.js';
import { decisionNodesQuery } from '../api/decision-nodes.js';
import { type DecisionNodeInList, describeNodes, type NodeHealth, nodeHealth } from '../node-health.js';

const HEALTH: Record<NodeHealth, { tone: DotTone; text: string }> = {
  current: { tone: 'good', text: 'Up to date' },
  behind: { tone: 'warn', text: 'On an older revision' },
  degraded: { tone: 'warn', text: 'Degraded: no Redis' },
  refusing: { tone: 'bad', text: 'Refused a revision' },
  stale: { tone: 'bad', text: 'Silent' },
};

const COLUMNS = [
  { name: 'Node' },
  { name: 'State' },
  { name: 'Revision', numeric: true },
  { name: 'Applied after', numeric: true },
  { name: 'Seen' },
  { name: 'Started' },
  { name: 'Version' },
];

/** Every decision node that reported lately. */
export function NodesTable() {
  const { data, error, refetch } = useQuery(decisionNodesQuery);
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
      note={data ? describeNodes(data.decisionNodes, revision) : 'Asking the nodes…'}
      flush
    >
      {!data && <RowsSkeleton rows={3} />}
      {data?.decisionNodes.length === 0 && (
        <EmptyState icon={<IconServerOff size={30} stroke={1.5} aria-hidden />} title="No node has reported">
          Start a decision API with the same Redis as this control plane. It appears here within seconds.
        </EmptyState>
      )}
      {data && data.decisionNodes.length > 0 && (
        <DataTable label="Decision nodes" columns={COLUMNS}>
          {data.decisionNodes.map((node) => (
            <NodeRow key={`${node.nodeId} ${node.epoch}`} node={node} revision={revision} />
          ))}
        </DataTable>
      )}
    </Panel>
  );
}

function NodeRow({ node, revision }: { node: DecisionNodeInList; revision: number | undefined }) {
  const { tone, text } = HEALTH[nodeHealth(node, revision)];
  return (
    <tr>
      <th scope="row">
        <KeyText style={{ whiteSpace: 'nowrap' }}>{node.nodeId}</KeyText>
      </th>
      <td>
        <StateDot tone={tone}>{text}</StateDot>
        {node.nack && (
          <Text size="xs" c="dimmed" maw={320}>
            Revision {node.nack.revision}: {node.nack.reason}
          </Text>
        )}
      </td>
      <NumericCell>{node.revision}</NumericCell>
      <NumericCell>{node.applyLatencyMs == null ? '–' : formatLatency(node.applyLatencyMs)}</NumericCell>
      <td style={{ whiteSpace: 'nowrap' }}>{formatAgo(node.seenAt)}</td>
      <td style={{ whiteSpace: 'nowrap' }}>{formatAgo(node.startedAt)}</td>
      <td>
        <KeyText>{node.version}</KeyText>
      </td>
    </tr>
  );
}
