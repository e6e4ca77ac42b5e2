import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditEntriesQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const AuditEntriesDocument = graphql(`
  query AuditEntries($first: Int!, $after: String, $tenant: String) {
    auditEntries(first: $first, after: $after, tenant: $tenant) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id at actor actorKind action entity entityId tenantKey before after reason requestId }
    }
  }
`);

export type AuditEntryInList = AuditEntriesQuery['auditEntries']['nodes'][number];

const PAGE_SIZE = 20;

/** What was done to one tenant, newest first, twenty at a time. */
export const tenantAuditQuery = (tenant: string) =>
  infiniteQueryOptions({
    // Under the tenant's prefix, so that a change of the tenant also refreshes its activity.
    queryKey: ['tenants', 'activity', tenant],
    queryFn: async ({ pageParam, signal }) =>
      (await graphqlRequest(AuditEntriesDocument, { first: PAGE_SIZE, after: pageParam, tenant }, signal))
        .auditEntries,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
