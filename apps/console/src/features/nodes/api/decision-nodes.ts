import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';

const DecisionNodesDocument = graphql(`
  query DecisionNodes($includeRetired: Boolean) {
    decisionNodes(includeRetired: $includeRetired) {
      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale policyAgeMs policyStale retiredAt
      nack { revision reason }
    }
    currentRevision { number publishedAt hash }
  }
`);

const NodeRetireDocument = graphql(`
  mutation NodeRetire($input: NodeRetireInput!) {
    nodeRetire(input: $input) { node { nodeId retiredAt } userErrors { code field message } }
  }
`);

const ALL = ['decision-nodes'] as const;

/** Every node and the newest revision, asked again every two seconds; with those that stopped in order or were retired, or without. */
export const nodesQuery = (includeRetired: boolean) =>
  queryOptions({
    queryKey: [...ALL, { includeRetired }],
    queryFn: ({ signal }) => graphqlRequest(DecisionNodesDocument, { includeRetired }, signal),
    refetchInterval: 2_000,
  });

/** Every node that reported lately. */
export const decisionNodesQuery = nodesQuery(false);

/** Says that a node will not come back. */
export function useNodeRetire() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (nodeId: string) => {
      const { nodeRetire } = await graphqlRequest(NodeRetireDocument, { input: { nodeId } });
      throwUserErrors(nodeRetire);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ALL }),
  });
}
