import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { everyPage, graphqlRequest } from '../../../lib/graphql-request.js';

graphql(`
  fragment OfferFields on Offer {
    id key name description kind status priceMinor currency interval validDays graceDays
    effects { apiKey limitName appliesTo kind units percent }
    tierKeys maxQuantity stock stockLeft carryOver version createdAt
  }
`);

const OffersDocument = graphql(`
  query Offers($first: Int!, $after: String, $status: OfferStatus) {
    offers(first: $first, after: $after, status: $status) {
      totalCount nodes { ...OfferFields } pageInfo { hasNextPage endCursor }
    }
  }
`);

const OfferDocument = graphql(`
  query Offer($key: String!) {
    offer(key: $key) { ...OfferFields }
  }
`);

export const offersKey = ['offers'] as const;

/** Every offer, newest first. */
export const offersQuery = queryOptions({
  queryKey: [...offersKey, 'all'],
  queryFn: ({ signal }) =>
    everyPage(
      async (page) => (await graphqlRequest(OffersDocument, { ...page, status: null }, signal)).offers,
    ),
});

/** What can be bought now. */
export const offersOnSaleQuery = queryOptions({
  queryKey: [...offersKey, 'on-sale'],
  queryFn: ({ signal }) =>
    everyPage(
      async (page) => (await graphqlRequest(OffersDocument, { ...page, status: 'ACTIVE' }, signal)).offers,
    ),
});

/** One offer; null when there is none of that key. */
export const offerQuery = (key: string) =>
  queryOptions({
    queryKey: [...offersKey, 'one', key],
    queryFn: async ({ signal }) => (await graphqlRequest(OfferDocument, { key }, signal)).offer ?? null,
  });
