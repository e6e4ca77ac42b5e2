import { IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../../components/link.js';
import { decisionNodesQuery } from '../api/decision-nodes.js';
import { type DecisionNodeInList, describeNodes, nodeHealth } from '../node-health.js';
import classes from './nodes.module.css';

/** The fleet in one line: how many nodes enforce the newest revision, and how fast they took it. */
export function NodesStrip() {
  const t = useTranslations('nodes');
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
      <span className="tg-number">{data ? describeNodes(nodes, revision) : t('asking')}</span>
      <Trouble nodes={nodes} revision={revision} />
      <LinkAnchor to="/nodes" size="sm" ml="auto">
        {t('all')}
      </LinkAnchor>
    </div>
  );
}

interface TroubleProps {
  nodes: readonly DecisionNodeInList[];
  revision: number | undefined;
}

function Trouble({ nodes, revision }: TroubleProps) {
  const t = useTranslations('nodes');
  const healths = nodes.map((node) => nodeHealth(node, revision));
  const countOf = (health: string) => healths.filter((one) => one === health).length;
  const parts = [
    countOf('degraded') > 0 && t('withoutRedis', { count: countOf('degraded') }),
    countOf('refusing') > 0 && t('refused', { count: countOf('refusing') }),
    countOf('stale') > 0 && t('silent', { count: countOf('stale') }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : <span className={classes.trouble}>{parts.join(', ')}</span>;
}
