import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OfferChangeInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { offersKey } from './offers.js';

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

/** What becomes of which offer. */
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
