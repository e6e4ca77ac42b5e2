import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { tiersQuery } from './tiers.js';

const TierDraftDiscardDocument = graphql(`
  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {
    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

/** Throws a tier's draft away; what is published stays. */
export function useTierDraftDiscard() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: { tierKey: string; expectedVersion: number }) => {
      const { tierDraftDiscard } = await graphqlRequest(TierDraftDiscardDocument, { input });
      throwUserErrors(tierDraftDiscard);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}
