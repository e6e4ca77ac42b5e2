import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { toLimitInput } from '../../../lib/limit-fields.js';
import { tiersQuery } from './tiers.js';

const TierDraftSaveDocument = graphql(`
  mutation TierDraftSave($input: TierDraftSaveInput!) {
    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

interface DraftToSave {
  tierKey: string;
  expectedVersion: number;
  limits: readonly LimitPolicy[];
}

/** Keeps limits as a tier's draft, for nobody yet. Fails with UserErrorsError. */
export function useTierDraftSave() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ limits, ...tier }: DraftToSave) => {
      const input = { ...tier, limits: limits.map(toLimitInput) };
      const { tierDraftSave } = await graphqlRequest(TierDraftSaveDocument, { input });
      throwUserErrors(tierDraftSave);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}
