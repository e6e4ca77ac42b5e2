import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PurchaseStartInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { purchasesKey } from './purchases.js';

const PaymentProvidersDocument = graphql(`
  query PaymentProviders {
    paymentProviders
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

/**
 * Orders an offer; resolves with the page on which it is paid, undefined for what is paid by invoice. Fails with
 * UserErrorsError; then nothing is ordered.
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
