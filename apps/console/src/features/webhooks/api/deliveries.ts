import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { WebhookDeliveriesQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';

const WebhookDeliveriesDocument = graphql(`
  query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {
    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id event body status nextAttemptAt createdAt
        log { number at durationMs statusCode error }
      }
    }
  }
`);

const RetryDocument = graphql(`
  mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {
    webhookDeliveryRetry(input: $input) { userErrors { code field message } }
  }
`);

export type DeliveryInList = WebhookDeliveriesQuery['webhookDeliveries']['nodes'][number];

const DELIVERIES = ['webhook-deliveries'] as const;
const PAGE_SIZE = 20;

/** What was sent to an endpoint, newest first; asked again every two seconds, as attempts go on. */
export const deliveriesQuery = (endpointId: string) =>
  infiniteQueryOptions({
    queryKey: [...DELIVERIES, endpointId],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { endpointId, first: PAGE_SIZE, after: pageParam };
      return (await graphqlRequest(WebhookDeliveriesDocument, variables, signal)).webhookDeliveries;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: 2_000,
  });

/** Begins a delivery anew. */
export function useDeliveryRetry() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      throwUserErrors((await graphqlRequest(RetryDocument, { input: { id } })).webhookDeliveryRetry),
    onSettled: () => queryClient.invalidateQueries({ queryKey: DELIVERIES }),
  });
}
