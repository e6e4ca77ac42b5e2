import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ServiceTokenRotateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { serviceTokensQuery } from './service-tokens.js';

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
