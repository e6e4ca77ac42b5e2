import { queryOptions } from '@tanstack/react-query';
import dayjs from 'dayjs';
import type {
  QuotaRequestFieldsFragment,
  QuotaRequestStatus,
  UsageInterval,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest, pagedQuery } from '../../lib/graphql-request.js';
import { findPeak, lookBack } from './peak.js';

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

const LimitPeakDocument = graphql(`
  query LimitPeak(
    $tenantKey: String!, $apiKey: String!, $limitName: String!, $from: DateTime!, $interval: UsageInterval!
  ) {
    usage(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, from: $from, interval: $interval) {
      timeZone series { points { at units denied } }
    }
  }
`);

interface OfLimit {
  tenantKey: string;
  apiKey: string;
  limitName: string;
}

/** Peak usage of a limit per minute, hour or day; null when the tenant does not exist. */
export const peakQuery = ({ tenantKey, apiKey, limitName }: OfLimit, interval: UsageInterval) =>
  queryOptions({
    queryKey: ['limit-peak', tenantKey, apiKey, limitName, interval],
    queryFn: async ({ signal }) => {
      // The first interval counts in full.
      const from = dayjs().subtract(lookBack(interval), 'day').add(1, 'minute').toISOString();
      const variables = { tenantKey, apiKey, limitName, from, interval };
      const { usage } = await graphqlRequest(LimitPeakDocument, variables, signal);
      return usage ? { timeZone: usage.timeZone, ...findPeak(usage.series[0]?.points ?? []) } : null;
    },
    staleTime: 60_000,
  });

const LimitWindowsDocument = graphql(`
  query LimitWindows($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount nodes { published { limits { name apiKey windowMs } } } pageInfo { hasNextPage endCursor }
    }
  }
`);

/** Window length in ms by `api/name`; without calendar quotas. */
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
