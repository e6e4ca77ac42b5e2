import type { QuotaRequestFieldsFragment, QuotaRequestStatus } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { pagedQuery } from '../../lib/graphql-request.js';

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

const QuotaRequestApproveDocument = graphql(`
  mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {
    quotaRequestApprove(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

const QuotaRequestCounterDocument = graphql(`
  mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {
    quotaRequestCounter(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

const QuotaRequestDeclineDocument = graphql(`
  mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {
    quotaRequestDecline(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

export const QUOTA_DECISIONS = {
  approve: QuotaRequestApproveDocument,
  counter: QuotaRequestCounterDocument,
  decline: QuotaRequestDeclineDocument,
};

export const QuotaRequestCreateDocument = graphql(`
  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {
    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }
  }
`);

export const QuotaRequestAcceptDocument = graphql(`
  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {
    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }
  }
`);

export const QuotaRequestWithdrawDocument = graphql(`
  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {
    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }
  }
`);
