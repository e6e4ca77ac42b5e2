import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TierCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { tiersQuery } from './tiers.js';

const TierCreateDocument = graphql(`
  mutation TierCreate($input: TierCreateInput!) {
    tierCreate(input: $input) { tier { id key } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function tierCreateCall(input: TierCreateInput): MutationCall {
  return { mutation: 'tierCreate', inputType: 'TierCreateInput', input, selection: 'tier { id key }' };
}

/** Creates a tier without limits. Fails with UserErrorsError when the input is refused. */
export function useTierCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: TierCreateInput) => {
      const { tierCreate } = await graphqlRequest(TierCreateDocument, { input });
      throwUserErrors(tierCreate);
      return tierCreate.tier;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}
