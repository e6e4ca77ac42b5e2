import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const PropagationDocument = graphql(`
  query Propagation($changeId: ID!) {
    propagation(changeId: $changeId) {
      changeId state revision publishedAt liveNodes totalNodes slowestMs
      nodes { nodeId live latencyMs nack { revision reason } }
    }
  }
`);

const POLL_EVERY_MS = 200;

/** After this long without an end, the console stops asking and says so. */
export const PROPAGATION_PATIENCE_MS = 10_000;

/** How far a change has travelled; asks every 200 ms until it is live, refused, or `enabled` turns false. */
export const propagationQuery = (changeId: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['propagation', changeId],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(PropagationDocument, { changeId }, signal)).propagation ?? null,
    enabled,
    refetchInterval: ({ state }) =>
      state.data?.state === 'LIVE' || state.data?.state === 'REFUSED' ? false : POLL_EVERY_MS,
    refetchIntervalInBackground: true,
    gcTime: 60_000,
  });
