import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ServiceTokenCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { serviceTokensQuery } from './service-tokens.js';

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
        throw new Error('The token was created, but the answer does not hold it. Revoke it.');
      return serviceTokenCreate.token;
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
}
