import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { serviceTokensQuery } from './service-tokens.js';

const ServiceTokenRotateDocument = graphql(`
  mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {
    serviceTokenRotate(input: $input) { token userErrors { code field message } }
  }
`);

/** Issues a token in the place of another; it resolves with the new one, which no later request can bring back. */
export function useServiceTokenRotate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: { id: string; overlapMinutes: number }) => {
      const { serviceTokenRotate } = await graphqlRequest(ServiceTokenRotateDocument, { input });
      throwUserErrors(serviceTokenRotate);
      return serviceTokenRotate.token ?? '';
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
}
