import { queryOptions } from '@tanstack/react-query';
import {
  OfferActivateDocument,
  OfferArchiveDocument,
  OfferPriceConfirmDocument,
  type OfferStatus,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';

export { OfferCreateDocument, OfferUpdateDocument } from '../../generated/graphql.js';

graphql(`
  fragment OfferFields on Offer {
    id key name description kind status isPriceConfirmed priceMinor currency interval validDays graceDays
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

const listQuery = (name: string, status: OfferStatus | null) =>
  queryOptions({
    queryKey: [...offersKey, name],
    queryFn: ({ signal }) =>
      everyPage(async (page) => (await graphqlRequest(OffersDocument, { ...page, status }, signal)).offers),
  });

/** Every offer, newest first. */
export const offersQuery = listQuery('all', null);

export const offersOnSaleQuery = listQuery('on-sale', 'ACTIVE');

/** One offer; null when it does not exist. */
export const offerQuery = (key: string) => fieldQuery([...offersKey, 'one', key], OfferDocument, { key });

export const OFFER_STEPS = {
  activate: OfferActivateDocument,
  archive: OfferArchiveDocument,
  confirmPrice: OfferPriceConfirmDocument,
};
