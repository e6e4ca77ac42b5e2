import { infiniteQueryOptions } from '@tanstack/react-query';
import type { QuotaRequestFieldsFragment, QuotaRequestStatus } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

graphql(`
  fragment QuotaRequestFields on QuotaRequest {
    id status apiKey limit current wanted why offered until answer requestedBy version createdAt
    tenant { key name timeZone }
  }
`);

const QuotaRequestsDocument = graphql(`
  query QuotaRequests($first: Int!, $after: String, $tenantKey: String, $status: QuotaRequestStatus) {
    quotaRequests(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
      totalCount nodes { ...QuotaRequestFields } pageInfo { hasNextPage endCursor }
    }
  }
`);

export const quotaRequestsKey = ['quota-requests'] as const;

export type QuotaRequestRow = QuotaRequestFieldsFragment;

/** Requests for higher limits, newest first, page after page; of all tenants where none is named. */
export const quotaRequestsQuery = (filter: {
  tenantKey?: string | undefined;
  status?: QuotaRequestStatus | undefined;
}) =>
  infiniteQueryOptions({
    queryKey: [...quotaRequestsKey, filter.tenantKey ?? '', filter.status ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const { tenantKey = null, status = null } = filter;
      const page = { first: 20, after: pageParam, tenantKey, status };
      return (await graphqlRequest(QuotaRequestsDocument, page, signal)).quotaRequests;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
