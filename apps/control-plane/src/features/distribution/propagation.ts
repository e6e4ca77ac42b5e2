import type { NodeReport } from '@tollgate/contracts';
import { type NodePropagation, type Propagation, PropagationState } from './distribution.graphql.js';
import type { ChangeEvents } from './outbox.repository.js';

/** A node that has not reported for this long is taken to be gone. */
export const STALE_AFTER_MS = 15_000;

export function isStale(report: NodeReport, nowMs: number): boolean {
  return nowMs - report.seenAtMs > STALE_AFTER_MS;
}

/** How far a change has travelled, judged by what nodes report. Stale nodes are left out. */
export function computePropagation(change: ChangeEvents, reports: NodeReport[], nowMs: number): Propagation {
  const { changeId, revision, publishedAt } = change;
  const fresh = reports.filter((report) => !isStale(report, nowMs));
  const nodes = fresh.map((report) => onNode(report, revision));
  const latencies = nodes.flatMap((node) => node.latencyMs ?? []);
  return {
    changeId,
    state: stateOf(revision, nodes),
    revision,
    publishedAt,
    liveNodes: nodes.filter((node) => node.live).length,
    totalNodes: nodes.length,
    slowestMs: latencies.length === 0 ? null : Math.max(...latencies),
    nodes,
  };
}

function onNode(report: NodeReport, revision: number | null): NodePropagation {
  const live = revision !== null && report.revision >= revision;
  // A refusal of an older revision says nothing about this one.
  const nack = !live && revision !== null && report.nack !== null && report.nack.revision >= revision;
  return {
    nodeId: report.nodeId,
    live,
    latencyMs: report.revision === revision ? report.applyLatencyMs : null,
    nack: nack ? report.nack : null,
  };
}

function stateOf(revision: number | null, nodes: NodePropagation[]): PropagationState {
  if (revision === null) return PropagationState.PENDING;
  if (nodes.some((node) => node.nack !== null)) return PropagationState.REFUSED;
  const everywhere = nodes.length > 0 && nodes.every((node) => node.live);
  return everywhere ? PropagationState.LIVE : PropagationState.PUBLISHED;
}
