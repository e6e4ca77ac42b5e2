import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  WebhookDeliveriesQuery,
  WebhookEndpointCreateInput,
  WebhookEndpointsQuery,
  WebhookEndpointUpdateInput,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const WebhookEndpointsDocument = graphql(`
  query WebhookEndpoints($tenantKey: String) {
    webhookEndpoints(tenantKey: $tenantKey) {
      id tenantKey url description events status disabledReason previousUntil version createdAt
    }
  }
`);

const CreateDocument = graphql(`
  mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {
    webhookEndpointCreate(input: $input) { secret userErrors { code field message } }
  }
`);

export type EndpointInList = WebhookEndpointsQuery['webhookEndpoints'][number];

const ENDPOINTS = ['webhook-endpoints'] as const;

/** Where events go: the operators' own endpoints, or a tenant's. */
export const endpointsQuery = (tenantKey?: string) =>
  queryOptions({
    queryKey: [...ENDPOINTS, tenantKey ?? null],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(WebhookEndpointsDocument, { tenantKey: tenantKey ?? null }, signal))
        .webhookEndpoints,
  });

/** Runs an endpoint mutation and updates the shown endpoint. */
export function useEndpointChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ENDPOINTS }),
  });
}

/** The same as a script would ask. */
export function endpointCreateCall(input: WebhookEndpointCreateInput): MutationCall {
  return {
    mutation: 'webhookEndpointCreate',
    inputType: 'WebhookEndpointCreateInput',
    input,
    selection: 'secret',
  };
}

/** Makes an endpoint; resolves with its secret, which no later request can bring back. */
export const useEndpointCreate = () =>
  useEndpointChange(async (input: WebhookEndpointCreateInput) => {
    const { webhookEndpointCreate } = await graphqlRequest(CreateDocument, { input });
    throwUserErrors(webhookEndpointCreate);
    return webhookEndpointCreate.secret ?? '';
  });

const UpdateDocument = graphql(`
  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {
    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }
  }
`);

const EnableDocument = graphql(`
  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {
    webhookEndpointEnable(input: $input) { userErrors { code field message } }
  }
`);

const DisableDocument = graphql(`
  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {
    webhookEndpointDisable(input: $input) { userErrors { code field message } }
  }
`);

const DeleteDocument = graphql(`
  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {
    webhookEndpointDelete(input: $input) { userErrors { code field message } }
  }
`);

const TestDocument = graphql(`
  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {
    webhookEndpointTest(input: $input) { userErrors { code field message } }
  }
`);

const RotateDocument = graphql(`
  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {
    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }
  }
`);

export interface EndpointTarget {
  id: string;
  expectedVersion: number;
}

/** The same as a script would ask. */
export function endpointUpdateCall(input: WebhookEndpointUpdateInput): MutationCall {
  const [mutation, inputType] = ['webhookEndpointUpdate', 'WebhookEndpointUpdateInput'];
  return { mutation, inputType, input, selection: 'endpoint { version }' };
}

/** Updates an endpoint. Fails with UserErrorsError, including CONFLICT. */
export const useEndpointUpdate = () =>
  useEndpointChange(async (input: WebhookEndpointUpdateInput) =>
    throwUserErrors((await graphqlRequest(UpdateDocument, { input })).webhookEndpointUpdate),
  );

/** Events are sent again. */
export const useEndpointEnable = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(EnableDocument, { input })).webhookEndpointEnable),
  );

/** Nothing is sent any more. */
export const useEndpointDisable = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(DisableDocument, { input })).webhookEndpointDisable),
  );

/** Takes an endpoint away for good. */
export const useEndpointDelete = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(DeleteDocument, { input })).webhookEndpointDelete),
  );

/** Sends a test event. */
export const useEndpointTest = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(TestDocument, { input })).webhookEndpointTest),
  );

/** Makes a new secret beside the old one; resolves with it, which no later request can bring back. */
export const useEndpointRotate = () =>
  useEndpointChange(async (input: EndpointTarget) => {
    const { webhookEndpointSecretRotate } = await graphqlRequest(RotateDocument, { input });
    throwUserErrors(webhookEndpointSecretRotate);
    return webhookEndpointSecretRotate.secret ?? '';
  });

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

/** Deliveries of an endpoint, newest first; refetched every two seconds while attempts are pending. */
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

/** Retries a delivery. */
export function useDeliveryRetry() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      throwUserErrors((await graphqlRequest(RetryDocument, { input: { id } })).webhookDeliveryRetry),
    onSettled: () => queryClient.invalidateQueries({ queryKey: DELIVERIES }),
  });
}
