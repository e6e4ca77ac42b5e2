import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ChangeSetsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const ChangeSetsDocument = graphql(`
  query ChangeSets($after: String) {
    changeSets(first: 25, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id title status version author createdAt scheduledAt items { id } }
    }
  }
`);

export type ChangeSetInList = ChangeSetsQuery['changeSets']['nodes'][number];

/** Change sets, newest first, page by page. */
export const changeSetsQuery = infiniteQueryOptions({
  queryKey: ['change-sets', 'list'],
  queryFn: async ({ pageParam, signal }) =>
    (await graphqlRequest(ChangeSetsDocument, { after: pageParam }, signal)).changeSets,
  initialPageParam: null as string | null,
  getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
});
