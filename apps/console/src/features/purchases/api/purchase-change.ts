import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { invoicesKey } from './invoices.js';
import { purchasesKey } from './purchases.js';

const PurchaseCancelDocument = graphql(`
  mutation PurchaseCancel($input: PurchaseCancelInput!) {
    purchaseCancel(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseRefundDocument = graphql(`
  mutation PurchaseRefund($input: PurchaseRefundInput!) {
    purchaseRefund(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseReleaseDocument = graphql(`
  mutation PurchaseRelease($input: PaymentDecisionInput!) {
    purchaseRelease(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseRejectDocument = graphql(`
  mutation PurchaseReject($input: PaymentDecisionInput!) {
    purchaseReject(input: $input) { changeId userErrors { code field message } }
  }
`);

const PurchaseStopRetryDocument = graphql(`
  mutation PurchaseStopRetry($input: PurchaseCancelInput!) {
    purchaseStopRetry(input: $input) { changeId userErrors { code field message } }
  }
`);

export type PurchaseChange = { purchaseId: string; reason: string | null } & (
  | { kind: 'cancel' | 'stopRetry' }
  | { kind: 'refund'; payment: string; amountMinor: number }
  | { kind: 'release' | 'reject'; payment: string }
);

/** Changes a purchase; resolves with the id of the change where limits follow from it. Fails with UserErrorsError. */
export function usePurchaseChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: PurchaseChange) => {
      const payload = await send(change);
      throwUserErrors(payload);
      return change.kind === 'stopRetry' ? undefined : (payload.changeId ?? undefined);
    },
    onSettled: () =>
      Promise.all([purchasesKey, invoicesKey].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

/** The same as a script would ask. */
export function purchaseChangeCall({ kind, ...input }: PurchaseChange): MutationCall {
  switch (kind) {
    case 'cancel':
      return { mutation: 'purchaseCancel', inputType: 'PurchaseCancelInput', input };
    case 'stopRetry':
      return { mutation: 'purchaseStopRetry', inputType: 'PurchaseCancelInput', input };
    case 'refund':
      return { mutation: 'purchaseRefund', inputType: 'PurchaseRefundInput', input };
    case 'release':
      return { mutation: 'purchaseRelease', inputType: 'PaymentDecisionInput', input };
    case 'reject':
      return { mutation: 'purchaseReject', inputType: 'PaymentDecisionInput', input };
  }
}

async function send({ kind, ...input }: PurchaseChange) {
  const { purchaseId, reason } = input;
  switch (kind) {
    case 'cancel':
      return (await graphqlRequest(PurchaseCancelDocument, { input: { purchaseId, reason } })).purchaseCancel;
    case 'stopRetry':
      return (await graphqlRequest(PurchaseStopRetryDocument, { input: { purchaseId, reason } }))
        .purchaseStopRetry;
    case 'refund':
      return (await graphqlRequest(PurchaseRefundDocument, { input: input as RefundInput })).purchaseRefund;
    case 'release':
      return (await graphqlRequest(PurchaseReleaseDocument, { input: input as DecisionInput }))
        .purchaseRelease;
    case 'reject':
      return (await graphqlRequest(PurchaseRejectDocument, { input: input as DecisionInput })).purchaseReject;
  }
}

type DecisionInput = { purchaseId: string; reason: string | null; payment: string };
type RefundInput = DecisionInput & { amountMinor: number };
