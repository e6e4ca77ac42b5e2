import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PaymentEventReviewStatus, PaymentEventReviewsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { purchasesKey } from './purchases.js';

const PaymentEventReviewsDocument = graphql(`
  query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {
    paymentEventReviews(first: $first, after: $after, status: $status) {
      totalCount
      nodes { id provider eventId type apiVersion problem status attempts receivedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const PaymentEventRetryDocument = graphql(`
  mutation PaymentEventRetry($input: PaymentEventRetryInput!) {
    paymentEventRetry(input: $input) { userErrors { code field message } }
  }
`);

const PaymentEventDismissDocument = graphql(`
  mutation PaymentEventDismiss($input: PaymentEventDismissInput!) {
    paymentEventDismiss(input: $input) { userErrors { code field message } }
  }
`);

export type EventReview = PaymentEventReviewsQuery['paymentEventReviews']['nodes'][number];

const eventReviewsKey = ['payment-event-reviews'] as const;

/** Payment events that could not be booked, newest first; of every state where none is named. */
export const eventReviewsQuery = (status: PaymentEventReviewStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...eventReviewsKey, status ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const page = { first: 50, after: pageParam, status: status ?? null };
      return (await graphqlRequest(PaymentEventReviewsDocument, page, signal)).paymentEventReviews;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });

export interface EventDecision {
  kind: 'retry' | 'dismiss';
  id: string;
  reason: string | null;
}

/** The same mutation as a script would send it. */
export function eventDecisionCall({ kind, ...input }: EventDecision): MutationCall {
  const name = kind === 'retry' ? 'PaymentEventRetry' : 'PaymentEventDismiss';
  return { mutation: name.replace('P', 'p'), inputType: `${name}Input`, input };
}

/** Books or dismisses a payment event. Fails with UserErrorsError. */
export function useEventDecision() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ kind, ...input }: EventDecision) => {
      throwUserErrors(
        kind === 'retry'
          ? (await graphqlRequest(PaymentEventRetryDocument, { input })).paymentEventRetry
          : (await graphqlRequest(PaymentEventDismissDocument, { input })).paymentEventDismiss,
      );
    },
    onSettled: () =>
      Promise.all(
        [eventReviewsKey, purchasesKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}
