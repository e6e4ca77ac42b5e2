import { IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { LinkAnchor } from '../../../components/link.js';
import { decisionNodesQuery } from '../api/decision-nodes.js';
import { type DecisionNodeInList, describeNodes, nodeHealth } from '../node-health.js';
import classes from './nodes.module.css';

/** The fleet in one line: how many nodes enforce the newest revision, and how fast they took it. */
export function NodesStrip() {
  const { data } = useQuery(decisionNodesQuery);
  const nodes = data?.decisionNodes ?? [];
  const revision = data?.currentRevision?.number;
  return (
    <div className={classes.strip}>
      <IconServer2 size={16} stroke={1.7} aria-hidden color="var(--tg-text-soft)" />
      <span className={classes.pips} aria-hidden="true">
        {nodes.map((node) => (
          <span key={node.nodeId} className={classes.pip} data-health={nodeHealth(node, revision)} />
        ))}
      </span>
      <span className="tg-number">{data ? describeNodes(nodes, revision) : 'Asking the nodes…'}</span>
      <Trouble nodes={nodes} revision={revision} />
      <LinkAnchor to="/nodes" size="sm" ml="auto">
        All nodes
      </LinkAnchor>
    </div>
  );
}

function Trouble({
  nodes,
  revision,
}: {
  nodes: readonly DecisionNodeInList[];
  revision: number | undefined;
}) {
  const healths = nodes.map((node) => nodeHealth(node, revision));
  const degraded = healths.filter((health) => health === 'degraded').length;
  const refusing = healths.filter((health) => health === 'refusing').length;
  const silent = healths.filter((health) => health === 'stale').length;
  const parts = [
    degraded > 0 && `${degraded} without Redis`,
    refusing > 0 && `${refusing} refused a revision`,
    silent > 0 && `${silent} silent`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : <span className={classes.trouble}>{parts.join(', ')}</span>;
}
