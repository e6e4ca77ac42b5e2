import { useQueryClient } from '@tanstack/react-query';
import type { TierPublishInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { tiersQuery } from './tiers.js';

const TierPublishDocument = graphql(`
  mutation TierPublish($input: TierPublishInput!) {
    tierPublish(input: $input) {
      changeId
      impact { ...ImpactFields }
      warnings { severity message advice path }
      tier { id version published { id number } }
      userErrors { code field message }
    }
  }
`);

/** Publishes a tier's limits, or tries to; afterwards what is shown of tiers is read anew. */
export function useTierPublish() {
  const queryClient = useQueryClient();
  return async (input: TierPublishInput) => {
    const { tierPublish } = await graphqlRequest(TierPublishDocument, { input });
    const isOutdated = tierPublish.userErrors.some(({ code }) => code === 'CONFLICT');
    if (!input.dryRun || isOutdated) await queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey });
    return tierPublish;
  };
}

export type TierPublished = Awaited<ReturnType<ReturnType<typeof useTierPublish>>>;
