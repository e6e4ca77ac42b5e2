import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const DecisionNodesDocument = graphql(`
  query DecisionNodes {
    decisionNodes {
      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale
      nack { revision reason }
    }
    currentRevision { number publishedAt hash }
  }
`);

/** Every node that reported lately, and the newest revision; asked again every two seconds. */
export const decisionNodesQuery = queryOptions({
  queryKey: ['decision-nodes'],
  queryFn: ({ signal }) => graphqlRequest(DecisionNodesDocument, {}, signal),
  refetchInterval: 2_000,
});
