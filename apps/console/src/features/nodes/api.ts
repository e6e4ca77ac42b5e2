import { queryOptions } from '@tanstack/react-query';
import { NodeRetireDocument, type PropagationQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import type { AuditSubject } from '../../lib/audit-text.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';

const DecisionNodesDocument = graphql(`
  query DecisionNodes($includeRetired: Boolean) {
    decisionNodes(includeRetired: $includeRetired) {
      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale policyAgeMs policyStale retiredAt
      nack { revision reason }
    }
    currentRevision { number publishedAt hash }
  }
`);

const ALL = ['decision-nodes'] as const;

/** The nodes and the newest revision, refetched every two seconds. Retired nodes are those that shut down or were retired. */
export const nodesQuery = (includeRetired: boolean) =>
  queryOptions({
    queryKey: [...ALL, { includeRetired }],
    queryFn: ({ signal }) => graphqlRequest(DecisionNodesDocument, { includeRetired }, signal),
    refetchInterval: 2_000,
  });

export const decisionNodesQuery = nodesQuery(false);

export const useNodeRetire = () => useInputMutation(NodeRetireDocument, ALL);

const PropagationDocument = graphql(`
  query Propagation($changeId: ID!) {
    propagation(changeId: $changeId) {
      changeId state revision publishedAt liveNodes totalNodes slowestMs
      nodes { nodeId live latencyMs nack { revision reason } }
    }
  }
`);

export type Propagation = NonNullable<PropagationQuery['propagation']>;

const POLL_EVERY_MS = 200;
const POLL_LATE_EVERY_MS = 2_000;

/** The console reports a change as late after this time, until it is live. */
export const PROPAGATION_TIMEOUT_MS = 10_000;

/** Propagation of a change, polled until it is live or rejected; less often when it is late. */
export const propagationQuery = (changeId: string, late: boolean) =>
  queryOptions({
    ...fieldQuery(['propagation', changeId], PropagationDocument, { changeId }),
    refetchInterval: ({ state }) => {
      if (state.data?.state === 'LIVE' || state.data?.state === 'REJECTED') return false;
      return late ? POLL_LATE_EVERY_MS : POLL_EVERY_MS;
    },
    refetchIntervalInBackground: true,
    gcTime: 60_000,
  });

const UndoTimeDocument = graphql(`
  query UndoTime {
    installation { undoSeconds }
  }
`);

/** How long the console offers to undo a change that is live, in milliseconds. */
export const undoTimeQuery = queryOptions({
  queryKey: ['undo-time'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(UndoTimeDocument, {}, signal)).installation.undoSeconds * 1_000,
  staleTime: Number.POSITIVE_INFINITY,
});

const RecentChangesDocument = graphql(`
  query RecentChanges($first: Int!) {
    revisions(first: $first) {
      nodes { number changes { changeId at actor action entity entityId entityName entityKey tenantKey } }
    }
  }
`);

const REVISIONS = 8;
const SHOWN = 8;

export interface RecentChange extends AuditSubject {
  changeId: string;
  revision: number;
  at: string;
  actor: string;
}

/** Changes of the newest revisions, newest first. */
export const recentChangesQuery = queryOptions({
  queryKey: ['revisions', 'recent-changes'],
  queryFn: async ({ signal }): Promise<RecentChange[]> => {
    const { revisions } = await graphqlRequest(RecentChangesDocument, { first: REVISIONS }, signal);
    return revisions.nodes
      .flatMap(({ number, changes }) => changes.map((change) => ({ ...change, revision: number })))
      .sort((a, b) => b.at.localeCompare(a.at))
      .slice(0, SHOWN);
  },
  refetchInterval: 5_000,
});
