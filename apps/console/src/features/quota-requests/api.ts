import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import dayjs from 'dayjs';
import type {
  QuotaRequestApproveInput,
  QuotaRequestCounterInput,
  QuotaRequestCreateInput,
  QuotaRequestDeclineInput,
  QuotaRequestFieldsFragment,
  QuotaRequestOwnInput,
  QuotaRequestStatus,
  UsageInterval,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';
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

export type Decision =
  | ({ kind: 'approve' } & QuotaRequestApproveInput)
  | ({ kind: 'counter' } & QuotaRequestCounterInput)
  | ({ kind: 'decline' } & QuotaRequestDeclineInput);

/** Answers a request; resolves with the change where a limit is raised by it. Fails with UserErrorsError. */
export function useQuotaRequestDecide() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (decision: Decision) => {
      const payload = await send(decision);
      throwUserErrors(payload);
      return { changeId: payload.changeId ?? undefined, warnings: payload.warnings };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: quotaRequestsKey }),
  });
}

/** The same as a script would ask. */
export function quotaDecisionCall({ kind, ...input }: Decision): MutationCall {
  const name = ({ approve: 'Approve', counter: 'Counter', decline: 'Decline' } as const)[kind];
  return { mutation: `quotaRequest${name}`, inputType: `QuotaRequest${name}Input`, input };
}

async function send(decision: Decision) {
  switch (decision.kind) {
    case 'approve': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestApproveDocument, { input })).quotaRequestApprove;
    }
    case 'counter': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestCounterDocument, { input })).quotaRequestCounter;
    }
    case 'decline': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestDeclineDocument, { input })).quotaRequestDecline;
    }
  }
}

const QuotaRequestCreateDocument = graphql(`
  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {
    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }
  }
`);

const QuotaRequestAcceptDocument = graphql(`
  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {
    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }
  }
`);

const QuotaRequestWithdrawDocument = graphql(`
  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {
    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }
  }
`);

/** Asks for a higher limit. Fails with UserErrorsError, TAKEN when one for that limit waits already. */
export function useQuotaRequestCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: QuotaRequestCreateInput) => {
      throwUserErrors((await graphqlRequest(QuotaRequestCreateDocument, { input })).quotaRequestCreate);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: quotaRequestsKey }),
  });
}

/** Accepts a counteroffer or withdraws a request. */
export function useQuotaRequestAnswer() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, ...input }: QuotaRequestOwnInput & { step: 'accept' | 'withdraw' }) => {
      const payload =
        step === 'accept'
          ? (await graphqlRequest(QuotaRequestAcceptDocument, { input })).quotaRequestAccept
          : (await graphqlRequest(QuotaRequestWithdrawDocument, { input })).quotaRequestWithdraw;
      throwUserErrors(payload);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}

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
      // The point that the beginning lies in counts as a whole.
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
