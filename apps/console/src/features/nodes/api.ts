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

/** The console stops polling after this time and reports the change as late. */
export const PROPAGATION_TIMEOUT_MS = 10_000;

/** Propagation of a change, polled until it is live or rejected. */
export const propagationQuery = (changeId: string, enabled: boolean) =>
  queryOptions({
    ...fieldQuery(['propagation', changeId], PropagationDocument, { changeId }),
    enabled,
    refetchInterval: ({ state }) =>
      state.data?.state === 'LIVE' || state.data?.state === 'REJECTED' ? false : POLL_EVERY_MS,
    refetchIntervalInBackground: true,
    gcTime: 60_000,
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
