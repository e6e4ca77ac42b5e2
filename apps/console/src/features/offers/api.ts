import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { OfferChangeInput, OfferCreateInput, OfferUpdateInput } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

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

/** Offers on sale. */
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

const OfferCreateDocument = graphql(`
  mutation OfferCreate($input: OfferCreateInput!) {
    offerCreate(input: $input) { offer { key } userErrors { code field message } }
  }
`);

const OfferUpdateDocument = graphql(`
  mutation OfferUpdate($input: OfferUpdateInput!) {
    offerUpdate(input: $input) { offer { key } userErrors { code field message } }
  }
`);

/** Makes an offer, as a draft. Fails with UserErrorsError when the input is refused. */
export function useOfferCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: OfferCreateInput) => {
      const { offerCreate } = await graphqlRequest(OfferCreateDocument, { input });
      throwUserErrors(offerCreate);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: offersKey }),
  });
}

/** Updates an offer; existing purchases keep their terms. Fails with UserErrorsError, including CONFLICT. */
export function useOfferUpdate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: OfferUpdateInput) => {
      const { offerUpdate } = await graphqlRequest(OfferUpdateDocument, { input });
      throwUserErrors(offerUpdate);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: offersKey }),
  });
}

const OfferActivateDocument = graphql(`
  mutation OfferActivate($input: OfferChangeInput!) {
    offerActivate(input: $input) { offer { key status } userErrors { code field message } }
  }
`);

const OfferArchiveDocument = graphql(`
  mutation OfferArchive($input: OfferChangeInput!) {
    offerArchive(input: $input) { offer { key status } userErrors { code field message } }
  }
`);

export type OfferStep = 'activate' | 'archive';

export type OfferStatusChange = OfferChangeInput & { step: OfferStep };

/** The same as a script would ask. */
export function offerStatusCall({ step, ...input }: OfferStatusChange): MutationCall {
  const mutation = step === 'activate' ? 'offerActivate' : 'offerArchive';
  return { mutation, inputType: 'OfferChangeInput', input, selection: 'offer { key status }' };
}

/** Puts a draft on sale, or takes an offer from sale for good. */
export function useOfferStatus() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, ...input }: OfferStatusChange) => {
      const payload =
        step === 'activate'
          ? (await graphqlRequest(OfferActivateDocument, { input })).offerActivate
          : (await graphqlRequest(OfferArchiveDocument, { input })).offerArchive;
      throwUserErrors(payload);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: offersKey }),
  });
}
