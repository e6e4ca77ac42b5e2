import { queryOptions } from '@tanstack/react-query';
import type { TenantStatus, TenantsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const TenantsDocument = graphql(`
  query Tenants($first: Int!, $skip: Int!, $search: String, $tier: String, $status: TenantStatus) {
    tenants(first: $first, skip: $skip, search: $search, tier: $tier, status: $status) {
      nodes {
        id key name status timeZone createdAt
        subscription { pinned tier { id key name } tierVersion { id number } }
      }
    }
  }
`);

const TenantsCountDocument = graphql(`
  query TenantsCount($search: String, $tier: String, $status: TenantStatus) {
    tenants(first: 1, search: $search, tier: $tier, status: $status) { totalCount }
  }
`);

/** Tenants of one request; a list is made of pages of this length, each of which can be asked for by itself. */
export const TENANTS_PAGE = 50;

/** What the list is narrowed to; undefined fields do not narrow. */
export interface TenantFilter {
  search?: string | undefined;
  tier?: string | undefined;
  status?: TenantStatus | undefined;
}

export type TenantInList = TenantsQuery['tenants']['nodes'][number];

/** Prefix of every tenant list in the cache. */
export const tenantsKey = ['tenants'] as const;

const variablesOf = ({ search = undefined, tier = undefined, status = undefined }: TenantFilter) => ({
  search: search ?? null,
  tier: tier ?? null,
  status: status ?? null,
});

/** How many tenants match. */
export const tenantsCountQuery = (filter: TenantFilter) =>
  queryOptions({
    queryKey: [...tenantsKey, 'count', filter],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(TenantsCountDocument, variablesOf(filter), signal)).tenants.totalCount,
  });

/** One page of the list, wherever it lies. */
export const tenantsPageQuery = (filter: TenantFilter, page: number) =>
  queryOptions({
    queryKey: [...tenantsKey, 'page', filter, page],
    queryFn: async ({ signal }) => {
      const place = { first: TENANTS_PAGE, skip: page * TENANTS_PAGE };
      return (await graphqlRequest(TenantsDocument, { ...place, ...variablesOf(filter) }, signal)).tenants
        .nodes;
    },
    staleTime: 30_000,
  });
