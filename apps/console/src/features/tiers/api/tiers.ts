import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { everyPage, graphqlRequest } from '../../../lib/graphql-request.js';
import { readLimits } from '../../../lib/limit-fields.js';

const TiersDocument = graphql(`
  query Tiers($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id key name description rank version tenantCount managedBy archivedAt
        draft { id number }
        published {
          id number publishedAt
          limits { ...LimitFields }
        }
      }
    }
  }
`);

/** All tiers, lowest rank first, with what each allows now. */
export const tiersQuery = queryOptions({
  queryKey: ['tiers'],
  queryFn: async ({ signal }) => {
    const tiers = await everyPage(async (page) => (await graphqlRequest(TiersDocument, page, signal)).tiers);
    return tiers
      .map((tier) => ({ ...tier, published: tier.published && readLimits(tier.published) }))
      .toSorted((a, b) => a.rank - b.rank);
  },
});

export type TierInOverview = Awaited<ReturnType<NonNullable<(typeof tiersQuery)['queryFn']>>>[number];
