import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { everyPage, graphqlRequest } from '../../../lib/graphql-request.js';

const LimitWindowsDocument = graphql(`
  query LimitWindows($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount nodes { published { limits { name apiKey windowMs } } } pageInfo { hasNextPage endCursor }
    }
  }
`);

/** How long the window of a limit is, by `api/name`; limits that go by the calendar are left out. */
export const limitWindowsQuery = queryOptions({
  queryKey: ['limit-windows'],
  queryFn: async ({ signal }) => {
    const tiers = await everyPage(
      async (page) => (await graphqlRequest(LimitWindowsDocument, page, signal)).tiers,
    );
    const limits = tiers.flatMap(({ published }) => published?.limits ?? []);
    return new Map(
      limits.flatMap(({ apiKey, name, windowMs }) =>
        windowMs == null ? [] : [[`${apiKey}/${name}`, windowMs] as const],
      ),
    );
  },
  staleTime: 60_000,
});
