import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { WebhookEndpointCreateInput, WebhookEndpointsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';

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

/** Runs a change of endpoints and shows what the server says then. */
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
