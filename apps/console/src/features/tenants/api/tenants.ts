import { infiniteQueryOptions } from '@tanstack/react-query';
import type { TenantStatus, TenantsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const TenantsDocument = graphql(`
  query Tenants($first: Int!, $after: String, $search: String, $tier: String, $status: TenantStatus) {
    tenants(first: $first, after: $after, search: $search, tier: $tier, status: $status) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id key name status timeZone createdAt
        subscription { pinned tier { id key name } tierVersion { id number } }
      }
    }
  }
`);

const PAGE_SIZE = 100;

/** What the list is narrowed to; undefined fields do not narrow. */
export interface TenantFilter {
  search?: string | undefined;
  tier?: string | undefined;
  status?: TenantStatus | undefined;
}

export type TenantInList = TenantsQuery['tenants']['nodes'][number];

/** Prefix of every tenant list in the cache. */
export const tenantsKey = ['tenants'] as const;

/** Tenants by filter, a hundred at a time. */
export const tenantsQuery = (filter: TenantFilter) =>
  infiniteQueryOptions({
    queryKey: [...tenantsKey, 'list', filter],
    queryFn: async ({ pageParam, signal }) =>
      (
        await graphqlRequest(
          TenantsDocument,
          {
            first: PAGE_SIZE,
            after: pageParam,
            search: filter.search ?? null,
            tier: filter.tier ?? null,
            status: filter.status ?? null,
          },
          signal,
        )
      ).tenants,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
