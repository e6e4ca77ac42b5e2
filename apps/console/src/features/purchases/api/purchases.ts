import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { PurchaseStatus } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

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
      providerStop { attempts isGivenUp lastError nextAttemptAt }
      payments { ref at amountMinor currency standing holdReason refundedMinor disputedMinor }
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

/** A tenant's latest order of an offer, asked again each second while it is not settled; null when there is none. */
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
