import { queryOptions } from '@tanstack/react-query';
import {
  type BillingDetailsQuery,
  type InvoiceFieldsFragment,
  type InvoiceStatus,
  type PaymentEventReviewStatus,
  type PaymentEventReviewsQuery,
  PaymentPortalLinkDocument,
  type PaymentPortalLinkInput,
  PurchaseApproveDocument,
  PurchaseCancelDocument,
  type PurchaseQuery,
  PurchaseRefundDocument,
  PurchaseRejectDocument,
  type PurchaseStatus,
  PurchaseStopRetryDocument,
  type SpendingQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest, pagedQuery, throwUserErrors } from '../../lib/graphql-request.js';
import { sendMutation, useSingleMutation } from '../../lib/mutation.js';

export {
  BillingDetailsSetDocument,
  InvoiceMarkPaidDocument,
  InvoiceVoidDocument,
  PaymentEventDismissDocument,
  PaymentEventRetryDocument,
  PurchaseStartDocument,
  SpendCapSetDocument,
  TestClockAdvanceDocument,
} from '../../generated/graphql.js';

graphql(`
  fragment PurchaseFields on Purchase {
    id tenantKey label kind provider status quantity amountMinor currency interval
    isAutomatic renews paidThrough graceEndsAt checkoutUrl createdAt
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

export type Purchase = NonNullable<PurchaseQuery['purchase']>;

export const purchasesKey = ['purchases'] as const;

/** Undefined fields do not filter. */
interface ListFilter<Status> {
  tenantKey?: string | undefined;
  status?: Status | undefined;
}

/** Purchases, newest first. */
export const purchasesQuery = ({ tenantKey, status }: ListFilter<PurchaseStatus>) =>
  pagedQuery([...purchasesKey, 'list', tenantKey ?? '', status ?? ''], PurchasesDocument, {
    first: 50,
    tenantKey: tenantKey ?? null,
    status: status ?? null,
  });

/** A payment, and what will have been refunded of it when the provider confirms. */
export interface AwaitedRefund {
  payment: string;
  totalMinor: number;
}

/** Whether a purchase does not show a refund yet. */
export const isRefunding = ({ payments }: Purchase, refund: AwaitedRefund | undefined): boolean =>
  refund !== undefined &&
  payments.some(({ ref, refundedMinor }) => ref === refund.payment && refundedMinor < refund.totalMinor);

/**
 * One purchase with its history; null when the viewer cannot read it. Polled while it is pending, and until the provider
 * confirms `refund`.
 */
export const purchaseQuery = (id: string, refund?: AwaitedRefund) =>
  queryOptions({
    ...fieldQuery([...purchasesKey, 'one', id], PurchaseDocument, { id }),
    refetchInterval: ({ state: { data } }) =>
      data && (data.status === 'PENDING' || isRefunding(data, refund)) ? 2_000 : false,
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
      limits { apiKey limitName before after past { requests denied gap after { low high } } }
      noEffect amountMinor renewsAt
    }
  }
`);

export const paymentProvidersQuery = queryOptions({
  ...fieldQuery(['payment-providers'], PaymentProvidersDocument, {}),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The tenant's limits before and after buying `quantity` of an offer now; null when it is not on sale. */
export const purchasePreviewQuery = (tenantKey: string, offerKey: string, quantity: number) =>
  fieldQuery([...purchasesKey, 'preview', tenantKey, offerKey, quantity], PurchasePreviewDocument, {
    tenantKey,
    offerKey,
    quantity,
  });

export const PURCHASE_CHANGES = {
  cancel: PurchaseCancelDocument,
  stopRetry: PurchaseStopRetryDocument,
  refund: PurchaseRefundDocument,
  approve: PurchaseApproveDocument,
  reject: PurchaseRejectDocument,
};

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

const BillingDetailsDocument = graphql(`
  query BillingDetails($tenantKey: String!) {
    billingDetails(tenantKey: $tenantKey) { name address taxId email version }
  }
`);

export type BillingDetails = BillingDetailsQuery['billingDetails'];

export const billingDetailsKey = ['billing-details'] as const;

export const billingDetailsQuery = (tenantKey: string) =>
  fieldQuery([...billingDetailsKey, tenantKey], BillingDetailsDocument, { tenantKey });

export const invoicesKey = ['invoices'] as const;

export type InvoiceRow = InvoiceFieldsFragment;

/** Invoices, newest first. */
export const invoicesQuery = ({ tenantKey, status }: ListFilter<InvoiceStatus>) =>
  pagedQuery([...invoicesKey, tenantKey ?? '', status ?? ''], InvoicesDocument, {
    first: 50,
    tenantKey: tenantKey ?? null,
    status: status ?? null,
  });

const PaymentEventReviewsDocument = graphql(`
  query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {
    paymentEventReviews(first: $first, after: $after, status: $status) {
      totalCount
      nodes { id provider eventId type apiVersion problem status attempts receivedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type EventReview = PaymentEventReviewsQuery['paymentEventReviews']['nodes'][number];

export const eventReviewsKey = ['payment-event-reviews'] as const;

/** Payment events that could not be booked, newest first; with every status where none is named. */
export const eventReviewsQuery = (status: PaymentEventReviewStatus | undefined) =>
  pagedQuery([...eventReviewsKey, status ?? ''], PaymentEventReviewsDocument, {
    first: 50,
    status: status ?? null,
  });

const BillingTimeDocument = graphql(`
  query BillingTime($tenantKey: String!) {
    billingTime(tenantKey: $tenantKey) { now isTest }
  }
`);

const SpendingDocument = graphql(`
  query Spending($tenantKey: String!) {
    spending(tenantKey: $tenantKey) { currency capMinor paidMinor expectedMinor resetsAt }
  }
`);

export type Spending = NonNullable<SpendingQuery['spending']>;

export const spendingKey = ['spending'] as const;

/** What a tenant spends this month, and its cap; null when it does not exist. */
export const spendingQuery = (tenantKey: string) =>
  fieldQuery([...spendingKey, tenantKey], SpendingDocument, { tenantKey });

/** A tenant's billing time; null when the tenant does not exist. */
export const billingTimeQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery(['billing-time', tenantKey], BillingTimeDocument, { tenantKey }),
    staleTime: 30_000,
  });

/** Requests a link to the provider's page for the tenant's card; it works once and for a short time. */
export function usePaymentPortalLink() {
  return useSingleMutation({
    mutationFn: async (input: PaymentPortalLinkInput) => {
      const payload = await sendMutation(PaymentPortalLinkDocument, input);
      throwUserErrors(payload);
      if (!payload.url) throw new Error('The provider has no payment page.');
      return payload.url;
    },
  });
}
