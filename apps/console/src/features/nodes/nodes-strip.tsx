import { Group, Text } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { LinkAnchor } from '../../components/links.js';
import { formatNumber } from '../../lib/number-format.js';
import { decisionNodesQuery } from './api.js';
import { type DecisionNodeInList, describeNodes, type NodeHealth, nodeHealth } from './node-health.js';
import classes from './nodes.module.css';

/** All nodes in one line. */
export function NodesStrip() {
  const { data } = useQuery(decisionNodesQuery);
  const nodes = data?.decisionNodes ?? [];
  const revision = data?.currentRevision?.number;
  return (
    <div className={classes.strip}>
      <IconServer2 size={16} stroke={1.7} aria-hidden color="var(--tg-text-soft)" />
      <Group component="span" gap={4} aria-hidden="true">
        {nodes.map((node) => (
          <span key={node.nodeId} className={classes.pip} data-health={nodeHealth(node, revision)} />
        ))}
      </Group>
      <span className="tg-number">{data ? describeNodes(nodes, revision) : 'Loading nodes…'}</span>
      <Trouble nodes={nodes} revision={revision} />
      <LinkAnchor to="/nodes" size="sm" ml="auto">
        All nodes
      </LinkAnchor>
    </div>
  );
}

const TROUBLES = {
  degraded: 'without Redis',
  refusing: 'rejected a revision',
  stale: 'offline',
} as const;

function Trouble({
  nodes,
  revision,
}: {
  nodes: readonly DecisionNodeInList[];
  revision: number | undefined;
}) {
  const byHealth = Map.groupBy(nodes, (node) => nodeHealth(node, revision));
  const parts = Object.entries(TROUBLES).flatMap(([health, text]) => {
    const count = byHealth.get(health as NodeHealth)?.length ?? 0;
    return count > 0 ? [`${formatNumber(count)} ${text}`] : [];
  });
  return parts.length === 0 ? null : (
    <Text span inherit c="var(--mantine-color-error)">
      {parts.join(', ')}
    </Text>
  );
}
