import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  QuotaRequestApproveInput,
  QuotaRequestCounterInput,
  QuotaRequestDeclineInput,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { quotaRequestsKey } from './quota-requests.js';

const QuotaRequestApproveDocument = graphql(`
  mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {
    quotaRequestApprove(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

const QuotaRequestCounterDocument = graphql(`
  mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {
    quotaRequestCounter(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

const QuotaRequestDeclineDocument = graphql(`
  mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {
    quotaRequestDecline(input: $input) { changeId warnings userErrors { code field message } }
  }
`);

export type Decision =
  | ({ kind: 'approve' } & QuotaRequestApproveInput)
  | ({ kind: 'counter' } & QuotaRequestCounterInput)
  | ({ kind: 'decline' } & QuotaRequestDeclineInput);

/** Answers a request; resolves with the change where a limit is raised by it. Fails with UserErrorsError. */
export function useQuotaRequestDecide() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (decision: Decision) => {
      const payload = await send(decision);
      throwUserErrors(payload);
      return { changeId: payload.changeId ?? undefined, warnings: payload.warnings };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: quotaRequestsKey }),
  });
}

/** The same as a script would ask. */
export function quotaDecisionCall({ kind, ...input }: Decision): MutationCall {
  const name = ({ approve: 'Approve', counter: 'Counter', decline: 'Decline' } as const)[kind];
  return { mutation: `quotaRequest${name}`, inputType: `QuotaRequest${name}Input`, input };
}

async function send(decision: Decision) {
  switch (decision.kind) {
    case 'approve': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestApproveDocument, { input })).quotaRequestApprove;
    }
    case 'counter': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestCounterDocument, { input })).quotaRequestCounter;
    }
    case 'decline': {
      const { kind, ...input } = decision;
      return (await graphqlRequest(QuotaRequestDeclineDocument, { input })).quotaRequestDecline;
    }
  }
}
