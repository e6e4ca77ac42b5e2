import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { serviceTokensQuery } from './service-tokens.js';

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
