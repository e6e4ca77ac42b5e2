import {
  QuotaRequestApproveDocument,
  QuotaRequestCounterDocument,
  QuotaRequestDeclineDocument,
  type QuotaRequestFieldsFragment,
  type QuotaRequestStatus,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { pagedQuery } from '../../lib/graphql-request.js';

export {
  QuotaRequestAcceptDocument,
  QuotaRequestCreateDocument,
  QuotaRequestWithdrawDocument,
} from '../../generated/graphql.js';

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

interface QuotaRequestFilter {
  tenantKey?: string;
  status?: QuotaRequestStatus | undefined;
}

/** Requests for higher limits, newest first; of all tenants where none is named. */
export const quotaRequestsQuery = ({ tenantKey, status }: QuotaRequestFilter) =>
  pagedQuery([...quotaRequestsKey, tenantKey ?? '', status ?? ''], QuotaRequestsDocument, {
    first: 20,
    tenantKey: tenantKey ?? null,
    status: status ?? null,
  });

export const QUOTA_DECISIONS = {
  approve: QuotaRequestApproveDocument,
  counter: QuotaRequestCounterDocument,
  decline: QuotaRequestDeclineDocument,
};
