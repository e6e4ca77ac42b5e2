import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QuotaRequestCreateInput, QuotaRequestOwnInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import { quotaRequestsKey } from './quota-requests.js';

const QuotaRequestCreateDocument = graphql(`
  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {
    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }
  }
`);

const QuotaRequestAcceptDocument = graphql(`
  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {
    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }
  }
`);

const QuotaRequestWithdrawDocument = graphql(`
  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {
    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }
  }
`);

/** Asks for a higher limit. Fails with UserErrorsError, TAKEN when one for that limit waits already. */
export function useQuotaRequestCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: QuotaRequestCreateInput) => {
      throwUserErrors((await graphqlRequest(QuotaRequestCreateDocument, { input })).quotaRequestCreate);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: quotaRequestsKey }),
  });
}

/** Takes what was offered, or takes the request back. */
export function useQuotaRequestAnswer() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, ...input }: QuotaRequestOwnInput & { step: 'accept' | 'withdraw' }) => {
      const payload =
        step === 'accept'
          ? (await graphqlRequest(QuotaRequestAcceptDocument, { input })).quotaRequestAccept
          : (await graphqlRequest(QuotaRequestWithdrawDocument, { input })).quotaRequestWithdraw;
      throwUserErrors(payload);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}
