import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';

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
      if (!paymentPortalLink.url) throw new Error('The provider has no such page.');
      return paymentPortalLink.url;
    },
  });
}
