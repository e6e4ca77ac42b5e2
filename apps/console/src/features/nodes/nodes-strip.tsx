import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LinkAnchor } from '../../components/links.js';
import { StateDot } from '../../components/marks.js';
import { formatNumber } from '../../lib/number-format.js';
import { decisionNodesQuery } from './api.js';
import { type DecisionNodeInList, describeNodes, type NodeHealth, nodeHealth } from './node-health.js';

/** All nodes in one line, linked to their page. */
export function NodesStrip() {
  const { data } = useQuery(decisionNodesQuery);
  const nodes = data?.decisionNodes ?? [];
  const revision = data?.currentRevision?.number;
  const byHealth = Map.groupBy(nodes, (node) => nodeHealth(node, revision));
  const isBad = byHealth.has('refusing') || byHealth.has('stale') || nodes.length === 0;
  const tone = isBad ? 'bad' : byHealth.size > 1 || !byHealth.has('current') ? 'warn' : 'good';
  return (
    <Text size="sm" component="div" className="tg-number">
      <StateDot tone={data ? tone : 'quiet'}>
        <LinkAnchor to="/nodes" c="inherit" inherit>
          {data ? describeNodes(nodes, revision) : 'Loading nodes…'}
        </LinkAnchor>
      </StateDot>{' '}
      <Trouble byHealth={byHealth} />
    </Text>
  );
}

const TROUBLES = {
  degraded: 'without Redis',
  refusing: 'rejected a revision',
  stale: 'offline',
} as const;

function Trouble({ byHealth }: { byHealth: ReadonlyMap<NodeHealth, readonly DecisionNodeInList[]> }) {
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
