import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ServiceTokenCreateInput,
  ServiceTokenRotateInput,
  ServiceTokensQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const ServiceTokensDocument = graphql(`
  query ServiceTokens {
    serviceTokens { id name publicId lastFour scopes tenantKeys lastUsedAt replacedById createdAt expiresAt revokedAt }
  }
`);

export type ServiceTokenInList = ServiceTokensQuery['serviceTokens'][number];

/** Every service token, usable ones first; the tokens themselves are never stored. */
export const serviceTokensQuery = queryOptions({
  queryKey: ['service-tokens'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(ServiceTokensDocument, {}, signal)).serviceTokens.toSorted(
      (a, b) =>
        Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt.localeCompare(a.createdAt),
    ),
});

const ServiceTokenCreateDocument = graphql(`
  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {
    serviceTokenCreate(input: $input) { token userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function serviceTokenCreateCall(input: ServiceTokenCreateInput): MutationCall {
  return { mutation: 'serviceTokenCreate', inputType: 'ServiceTokenCreateInput', input, selection: 'token' };
}

/** Issues a token; it resolves with the token itself, which no later request can bring back. */
export function useServiceTokenCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ServiceTokenCreateInput) => {
      const { serviceTokenCreate } = await graphqlRequest(ServiceTokenCreateDocument, { input });
      throwUserErrors(serviceTokenCreate);
      if (!serviceTokenCreate.token)
        throw new Error(
          'The token was created, but the response does not contain it. Revoke it and create another.',
        );
      return serviceTokenCreate.token;
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
}

const ServiceTokenRotateDocument = graphql(`
  mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {
    serviceTokenRotate(input: $input) { token userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function serviceTokenRotateCall(input: ServiceTokenRotateInput): MutationCall {
  return { mutation: 'serviceTokenRotate', inputType: 'ServiceTokenRotateInput', input, selection: 'token' };
}

/** Issues a token in the place of another; it resolves with the new one, which no later request can bring back. */
export function useServiceTokenRotate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ServiceTokenRotateInput) => {
      const { serviceTokenRotate } = await graphqlRequest(ServiceTokenRotateDocument, { input });
      throwUserErrors(serviceTokenRotate);
      return serviceTokenRotate.token ?? '';
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
}

const ServiceTokenRevokeDocument = graphql(`
  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {
    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }
  }
`);

/** Revokes a token for good. */
export function useServiceTokenRevoke() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const { serviceTokenRevoke } = await graphqlRequest(ServiceTokenRevokeDocument, { input: { id } });
      throwUserErrors(serviceTokenRevoke);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
}
