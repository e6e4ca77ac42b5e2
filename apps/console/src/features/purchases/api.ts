import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  InvoiceFieldsFragment,
  InvoiceMarkPaidInput,
  InvoiceStatus,
  InvoiceVoidInput,
  PaymentEventReviewStatus,
  PaymentEventReviewsQuery,
  PurchaseStartInput,
  PurchaseStatus,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

graphql(`
  fragment PurchaseFields on Purchase {
    id tenantKey label kind provider status quantity amountMinor currency interval
    renews paidThrough graceEndsAt checkoutUrl createdAt
    offer { key name }
    effects { apiKey limitName appliesTo kind units percent }
  }
`);

const PurchasesDocument = graphql(`
  query Purchases($first: Int!, $after: String, $tenantKey: String, $status: PurchaseStatus) {
    purchases(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
      totalCount nodes { ...PurchaseFields } pageInfo { hasNextPage endCursor }
    }
  }
`);

const PurchaseDocument = graphql(`
  query Purchase($id: ID!) {
    purchase(id: $id) {
      ...PurchaseFields
      providerStop { attempts isExhausted lastError nextAttemptAt }
      payments { ref at amountMinor currency status reviewReason refundedMinor disputedMinor }
      events { id source type at payment amountMinor reason }
      moneyEntries { id account amountMinor currency at }
    }
  }
`);

export const purchasesKey = ['purchases'] as const;

export interface PurchaseFilter {
  tenantKey?: string | undefined;
  status?: PurchaseStatus | undefined;
}

/** Purchases, newest first, page after page; of all tenants where none is named. */
export const purchasesQuery = ({ tenantKey = undefined, status = undefined }: PurchaseFilter) =>
  infiniteQueryOptions({
    queryKey: [...purchasesKey, 'list', tenantKey ?? '', status ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const page = { first: 50, after: pageParam, tenantKey: tenantKey ?? null, status: status ?? null };
      return (await graphqlRequest(PurchasesDocument, page, signal)).purchases;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });

/** One purchase with all that happened to it; null when there is none that the viewer may read. */
export const purchaseQuery = (id: string) =>
  queryOptions({
    queryKey: [...purchasesKey, 'one', id],
    queryFn: async ({ signal }) => (await graphqlRequest(PurchaseDocument, { id }, signal)).purchase ?? null,
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? 2_000 : false),
  });

/** A tenant's latest order of an offer, polled every second until it is final; null when there is none. */
export const latestOrderQuery = (tenantKey: string, offerKey: string) =>
  queryOptions({
    queryKey: [...purchasesKey, 'latest', tenantKey, offerKey],
    queryFn: async ({ signal }) => {
      const page = { first: 20, after: null, tenantKey, status: null };
      const { purchases } = await graphqlRequest(PurchasesDocument, page, signal);
      return purchases.nodes.find(({ offer }) => offer.key === offerKey) ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? 1_000 : false),
  });

const PaymentProvidersDocument = graphql(`
  query PaymentProviders {
    paymentProviders
  }
`);

const PurchasePreviewDocument = graphql(`
  query PurchasePreview($tenantKey: String!, $offerKey: String!, $quantity: Int!) {
    purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey, quantity: $quantity) {
      limits { apiKey limitName before after }
      noEffect
    }
  }
`);

const PurchaseStartDocument = graphql(`
  mutation PurchaseStart($input: PurchaseStartInput!) {
    purchaseStart(input: $input) { purchase { id checkoutUrl } userErrors { code field message } }
  }
`);

/** How things can be paid here. */
export const paymentProvidersQuery = queryOptions({
  queryKey: ['payment-providers'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(PaymentProvidersDocument, {}, signal)).paymentProviders,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The tenant's limits before and after buying `quantity` of an offer now; null when it is not on sale. */
export const purchasePreviewQuery = (tenantKey: string, offerKey: string, quantity: number) =>
  queryOptions({
    queryKey: [...purchasesKey, 'preview', tenantKey, offerKey, quantity],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(PurchasePreviewDocument, { tenantKey, offerKey, quantity }, signal))
        .purchasePreview ?? null,
  });

/**
 * Orders an offer; returns the URL of the payment page, undefined for invoices. Fails with UserErrorsError; nothing
 * is ordered then.
 */
export function usePurchaseStart() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: PurchaseStartInput) => {
      const { purchaseStart } = await graphqlRequest(PurchaseStartDocument, { input });
      throwUserErrors(purchaseStart);
      return purchaseStart.purchase?.checkoutUrl ?? undefined;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: purchasesKey }),
  });
}

const PurchaseCancelDocument = graphql(`
  mutation PurchaseCancel($input: PurchaseCancelInput!) {
    purchaseCancel(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseRefundDocument = graphql(`
  mutation PurchaseRefund($input: PurchaseRefundInput!) {
    purchaseRefund(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseReleaseDocument = graphql(`
  mutation PurchaseRelease($input: PaymentDecisionInput!) {
    purchaseRelease(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseRejectDocument = graphql(`
  mutation PurchaseReject($input: PaymentDecisionInput!) {
    purchaseReject(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseStopRetryDocument = graphql(`
  mutation PurchaseStopRetry($input: PurchaseCancelInput!) {
    purchaseStopRetry(input: $input) { changeId userErrors { code field message } }
  }
`);

export type PurchaseChange = { purchaseId: string; reason: string | null } & (
  | { kind: 'cancel' | 'stopRetry' }
  | { kind: 'refund'; payment: string; amountMinor: number }
  | { kind: 'release' | 'reject'; payment: string }
);

/** Changes a purchase; resolves with the id of the change where limits follow from it. Fails with UserErrorsError. */
export function usePurchaseChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: PurchaseChange) => {
      const payload = await send(change);
      throwUserErrors(payload);
      return change.kind === 'stopRetry' ? undefined : (payload.changeId ?? undefined);
    },
    onSettled: () =>
      Promise.all([purchasesKey, invoicesKey].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

/** The same as a script would ask. */
export function purchaseChangeCall({ kind, ...input }: PurchaseChange): MutationCall {
  switch (kind) {
    case 'cancel':
      return { mutation: 'purchaseCancel', inputType: 'PurchaseCancelInput', input };
    case 'stopRetry':
      return { mutation: 'purchaseStopRetry', inputType: 'PurchaseCancelInput', input };
    case 'refund':
      return { mutation: 'purchaseRefund', inputType: 'PurchaseRefundInput', input };
    case 'release':
      return { mutation: 'purchaseRelease', inputType: 'PaymentDecisionInput', input };
    case 'reject':
      return { mutation: 'purchaseReject', inputType: 'PaymentDecisionInput', input };
  }
}

async function send({ kind, ...input }: PurchaseChange) {
  const { purchaseId, reason } = input;
  switch (kind) {
    case 'cancel':
      return (await graphqlRequest(PurchaseCancelDocument, { input: { purchaseId, reason } })).purchaseCancel;
    case 'stopRetry':
      return (await graphqlRequest(PurchaseStopRetryDocument, { input: { purchaseId, reason } }))
        .purchaseStopRetry;
    case 'refund':
      return (await graphqlRequest(PurchaseRefundDocument, { input: input as RefundInput })).purchaseRefund;
    case 'release':
      return (await graphqlRequest(PurchaseReleaseDocument, { input: input as DecisionInput }))
        .purchaseRelease;
    case 'reject':
      return (await graphqlRequest(PurchaseRejectDocument, { input: input as DecisionInput })).purchaseReject;
  }
}

type DecisionInput = { purchaseId: string; reason: string | null; payment: string };
type RefundInput = DecisionInput & { amountMinor: number };

graphql(`
  fragment InvoiceFields on Invoice {
    id number period status amountMinor currency issuedAt dueAt closedAt reference
    purchase { id tenantKey label }
  }
`);

const InvoicesDocument = graphql(`
  query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {
    invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
      totalCount nodes { ...InvoiceFields } pageInfo { hasNextPage endCursor }
    }
  }
`);

const InvoiceMarkPaidDocument = graphql(`
  mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {
    invoiceMarkPaid(input: $input) { changeId userErrors { code field message } }
  }
`);

const InvoiceVoidDocument = graphql(`
  mutation InvoiceVoid($input: InvoiceVoidInput!) {
    invoiceVoid(input: $input) { changeId userErrors { code field message } }
  }
`);

export const invoicesKey = ['invoices'] as const;

export type InvoiceRow = InvoiceFieldsFragment;

/** Invoices, newest first, page after page; of all tenants where none is named. */
export const invoicesQuery = (filter: {
  tenantKey?: string | undefined;
  status?: InvoiceStatus | undefined;
}) =>
  infiniteQueryOptions({
    queryKey: [...invoicesKey, filter.tenantKey ?? '', filter.status ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const { tenantKey = null, status = null } = filter;
      const page = { first: 50, after: pageParam, tenantKey, status };
      return (await graphqlRequest(InvoicesDocument, page, signal)).invoices;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });

export type InvoiceChange = ({ kind: 'paid' } & InvoiceMarkPaidInput) | ({ kind: 'void' } & InvoiceVoidInput);

/** The same as a script would ask. */
export function invoiceChangeCall({ kind, ...input }: InvoiceChange): MutationCall {
  const name = kind === 'paid' ? 'MarkPaid' : 'Void';
  return { mutation: `invoice${name}`, inputType: `Invoice${name}Input`, input };
}

/** Marks an invoice as paid or void; returns the change to follow if limits change. */
export function useInvoiceChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ kind, ...input }: InvoiceChange) => {
      const payload =
        kind === 'paid'
          ? (await graphqlRequest(InvoiceMarkPaidDocument, { input })).invoiceMarkPaid
          : (await graphqlRequest(InvoiceVoidDocument, { input })).invoiceVoid;
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () =>
      Promise.all([purchasesKey, invoicesKey].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

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

const BillingTimeDocument = graphql(`
  query BillingTime($tenantKey: String!) {
    billingTime(tenantKey: $tenantKey) { now isTest }
  }
`);

const TestClockAdvanceDocument = graphql(`
  mutation TestClockAdvance($input: TestClockAdvanceInput!) {
    testClockAdvance(input: $input) { clock { now isTest } userErrors { code field message } }
  }
`);

const PaymentPortalLinkDocument = graphql(`
  mutation PaymentPortalLink($input: PaymentPortalLinkInput!) {
    paymentPortalLink(input: $input) { url userErrors { code field message } }
  }
`);

/** The time by which a tenant pays; null when there is no such tenant. */
export const billingTimeQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['billing-time', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(BillingTimeDocument, { tenantKey }, signal)).billingTime ?? null,
    staleTime: 30_000,
  });

/** Moves a tenant's billing time forward; when it resolves, all that was due on the way has happened. */
export function useTestClockAdvance() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: { tenantKey: string; to: string }) => {
      const { testClockAdvance } = await graphqlRequest(TestClockAdvanceDocument, { input });
      throwUserErrors(testClockAdvance);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}

/** The provider's page on which the tenant changes its card; it works once and for a short time. */
export function usePaymentPortalLink() {
  return useMutation({
    mutationFn: async (input: { tenantKey: string; returnPath: string }) => {
      const { paymentPortalLink } = await graphqlRequest(PaymentPortalLinkDocument, { input });
      throwUserErrors(paymentPortalLink);
      if (!paymentPortalLink.url) throw new Error('The provider has no payment page.');
      return paymentPortalLink.url;
    },
  });
}
