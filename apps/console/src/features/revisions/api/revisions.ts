import { infiniteQueryOptions } from '@tanstack/react-query';
import type { RevisionsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const RevisionsDocument = graphql(`
  query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {
    revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number cause publishedAt catalogueRevision size tenantCount changeCount
        changes { changeId at actor action entity reason }
      }
    }
  }
`);

export type RevisionInList = RevisionsQuery['revisions']['nodes'][number];

const PAGE_SIZE = 25;

/** What was published, newest first; asked again every five seconds. */
export const revisionsQuery = (catalogueOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: ['revisions', { catalogueOnly }],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { first: PAGE_SIZE, after: pageParam, catalogueOnly };
      return (await graphqlRequest(RevisionsDocument, variables, signal)).revisions;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: 5_000,
  });
