import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const TiersDocument = graphql(`
  query Tiers {
    tiers(first: 100) {
      totalCount
      nodes {
        id key name description rank tenantCount
        draft { id number }
        published {
          id number publishedAt
          limits {
            id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary
          }
        }
      }
    }
  }
`);

/** The first hundred tiers, lowest rank first, with what each allows now. */
export const tiersQuery = queryOptions({
  queryKey: ['tiers'],
  queryFn: async ({ signal }) => {
    const { tiers } = await graphqlRequest(TiersDocument, {}, signal);
    return { ...tiers, nodes: tiers.nodes.toSorted((a, b) => a.rank - b.rank) };
  },
});

export type TierInOverview = Awaited<
  ReturnType<NonNullable<(typeof tiersQuery)['queryFn']>>
>['nodes'][number];
