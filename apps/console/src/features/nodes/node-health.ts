import type { DecisionNodesQuery } from '../../generated/graphql.js';
import { formatLatency } from '../../lib/number-format.js';

export type DecisionNodeInList = DecisionNodesQuery['decisionNodes'][number];

/** Health of a node, worst first. */
export type NodeHealth = 'retired' | 'stale' | 'refusing' | 'degraded' | 'policyStale' | 'behind' | 'current';

/** Before the first revision every node is current. */
export function nodeHealth(node: DecisionNodeInList, currentRevision: number | undefined): NodeHealth {
  if (node.retiredAt) return 'retired';
  if (node.stale) return 'stale';
  if (node.nack) return 'refusing';
  if (node.degraded) return 'degraded';
  if (node.policyStale) return 'policyStale';
  return currentRevision !== undefined && node.revision < currentRevision ? 'behind' : 'current';
}

/** `All nodes up to date · revision 42 · 140 ms`, with the latency of the slowest node. */
export function describeNodes(
  nodes: readonly DecisionNodeInList[],
  currentRevision: number | undefined,
): string {
  const running = nodes.filter(({ retiredAt }) => !retiredAt);
  if (running.length === 0) return 'No decision nodes';
  if (currentRevision === undefined) return `${running.length} nodes, nothing published yet`;
  const current = running.filter((node) => !node.stale && node.revision >= currentRevision);
  const latencies = current.flatMap((node) => (node.applyLatencyMs == null ? [] : [node.applyLatencyMs]));
  const slowest = latencies.length > 0 ? ` · ${formatLatency(Math.max(...latencies))}` : '';
  const upToDate = current.length === running.length ? 'All' : `${current.length} of ${running.length}`;
  return `${upToDate} nodes up to date · revision ${currentRevision}${slowest}`;
}
