import { queryOptions } from '@tanstack/react-query';
import type { AuditEntriesQuery, AuditEntriesQueryVariables } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, pagedQuery } from '../../lib/graphql-request.js';
import { useSingleMutation } from '../../lib/mutation.js';

const AuditEntriesDocument = graphql(`
  query AuditEntries(
    $first: Int!, $after: String, $tenant: String, $actor: String, $action: String, $entityId: String,
    $changeId: String, $from: DateTime, $to: DateTime
  ) {
    auditEntries(
      first: $first, after: $after, tenant: $tenant, actor: $actor, action: $action, entityId: $entityId,
      changeId: $changeId, from: $from, to: $to
    ) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id at actor actorKind action entity entityId entityName entityKey revertedName tenantKey before after reason requestId changeId address userAgent
        chain sequence hash
      }
    }
  }
`);

export type AuditEntryInList = AuditEntriesQuery['auditEntries']['nodes'][number];
export type AuditFilter = Omit<AuditEntriesQueryVariables, 'first' | 'after'>;

const PAGE_SIZE = 20;
const LAST = 8;

const pagesOf = (queryKey: readonly unknown[], filter: AuditFilter) =>
  pagedQuery(queryKey, AuditEntriesDocument, { first: PAGE_SIZE, ...filter });

/** Audit entries of one tenant, newest first, 20 per page. */
export const tenantAuditQuery = (tenant: string) =>
  // Under the tenant's prefix, so that a change of the tenant also refreshes its activity.
  pagesOf(['tenants', 'activity', tenant], { tenant });

/** Audit entries that match, newest first, 20 per page. */
export const auditQuery = (filter: AuditFilter) => pagesOf(['audit', filter], filter);

export const lastChangesQuery = queryOptions({
  queryKey: ['audit', 'last'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(AuditEntriesDocument, { first: LAST }, signal)).auditEntries.nodes,
  refetchInterval: 5_000,
});

const AuditVerifyDocument = graphql(`
  query AuditVerify($tenantKey: String) {
    auditVerify(tenantKey: $tenantKey) {
      ok chains entries unsignedChains brokenChains
      breaks { chain sequence problem }
    }
  }
`);

/** Verifies the audit chains; runs on demand because it reads every entry. */
export function useAuditVerify() {
  return useSingleMutation({
    mutationFn: async (tenantKey: string | undefined) =>
      (await graphqlRequest(AuditVerifyDocument, { tenantKey: tenantKey ?? null })).auditVerify,
  });
}
