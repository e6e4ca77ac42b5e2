import { useQueryClient } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import type { ApiDefaultLimitsSetInput, DefaultLimitInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { toLimitInput } from '../../../lib/limit-fields.js';

const ApiDefaultLimitsSetDocument = graphql(`
  mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {
    apiDefaultLimitsSet(input: $input) {
      changeId impact { ...ImpactFields } userErrors { code field message }
    }
  }
`);

/** Replaces an API's default limits, or tries to; afterwards what is shown of APIs and tiers is read anew. */
export function useDefaultLimitsSet() {
  const queryClient = useQueryClient();
  return async (input: ApiDefaultLimitsSetInput) => {
    const { apiDefaultLimitsSet } = await graphqlRequest(ApiDefaultLimitsSetDocument, { input });
    if (!input.dryRun) {
      await Promise.all([['apis'], ['tiers']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    }
    return apiDefaultLimitsSet;
  };
}

/** A default limit as the mutation takes it: its API is known. */
export function toDefaultLimitInput(policy: LimitPolicy): DefaultLimitInput {
  const { apiKey: _, ...input } = toLimitInput(policy);
  return input;
}
