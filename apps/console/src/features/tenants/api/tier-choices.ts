import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const TierChoicesDocument = graphql(`
  query TierChoices {
    tiers(first: 100) { nodes { id key name rank published { id number } } }
  }
`);

/** The tiers that a tenant may be put on or filtered by, lowest rank first. */
export const tierChoicesQuery = queryOptions({
  queryKey: ['tier-choices'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(TierChoicesDocument, {}, signal)).tiers.nodes.toSorted((a, b) => a.rank - b.rank),
});
