import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OfferCreateInput, OfferUpdateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { offersKey } from './offers.js';

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

/** Changes an offer; whoever bought before keeps what was bought. Fails with UserErrorsError, CONFLICT among them. */
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
