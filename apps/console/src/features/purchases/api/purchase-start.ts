import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PurchaseStartInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { purchasesKey } from './purchases.js';

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
