import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CarryOver, PolicyRollbackInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';

const PolicyRollbackDocument = graphql(`
  mutation PolicyRollback($input: PolicyRollbackInput!) {
    policyRollback(input: $input) {
      changeId
      rollback { toRevision tiers apis kept }
      impact { tenants loosened tightened }
      userErrors { code field message }
    }
  }
`);

const rollBack = async (input: PolicyRollbackInput, signal?: AbortSignal) => {
  const { policyRollback } = await graphqlRequest(PolicyRollbackDocument, { input }, signal);
  throwUserErrors(policyRollback);
  return policyRollback;
};

/** What going back would restore, and whom it would reach; fails with what stands in the way. */
export const rollbackTrialQuery = (target: {
  toRevision: number;
  expectedRevision: number;
  carryOver: CarryOver;
}) =>
  queryOptions({
    queryKey: ['revisions', 'rollback-trial', target],
    queryFn: ({ signal }) => rollBack({ ...target, reason: 'Tried', dryRun: true }, signal),
    retry: false,
    staleTime: 0,
  });

/** Goes back to what nodes ran; everything that is shown may be another one then. */
export function usePolicyRollback() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: PolicyRollbackInput) => rollBack(input),
    onSettled: () => queryClient.invalidateQueries(),
  });
}
