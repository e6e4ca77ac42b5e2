import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeRevertInput } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { graphqlRequest } from './graphql-request.js';
import type { MutationCall } from './mutation-text.js';
import { throwUserErrors } from './user-errors.js';

const ChangeReversalDocument = graphql(`
  query ChangeReversal($changeId: ID!) {
    changeReversal(changeId: $changeId) { changeId actor at actions revertible obstacle }
  }
`);

const ChangeRevertDocument = graphql(`
  mutation ChangeRevert($input: ChangeRevertInput!) {
    changeRevert(input: $input) {
      changeId
      impact { tenants loosened tightened }
      userErrors { code field message }
    }
  }
`);

/** Whether a change can be taken back now, and what stands in the way; null when there is no such change. */
export const changeReversalQuery = (changeId: string) =>
  queryOptions({
    queryKey: ['change-reversal', changeId],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(ChangeReversalDocument, { changeId }, signal)).changeReversal ?? null,
  });

/** Whom taking a change back would reach; fails with what stands in the way. */
export const changeRevertTrialQuery = (changeId: string) =>
  queryOptions({
    queryKey: ['change-reversal', changeId, 'trial'],
    queryFn: async ({ signal }) => {
      const input = { changeId, dryRun: true };
      const { changeRevert } = await graphqlRequest(ChangeRevertDocument, { input }, signal);
      throwUserErrors(changeRevert);
      return changeRevert.impact ?? null;
    },
    retry: false,
    staleTime: 0,
  });

/** The same as a script would ask. */
export function changeRevertCall(input: ChangeRevertInput): MutationCall {
  return { mutation: 'changeRevert', inputType: 'ChangeRevertInput', input };
}

/** Takes a change back; resolves with the new change. Everything that is shown may be another one then. */
export function useChangeRevert() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ChangeRevertInput) => {
      const { changeRevert } = await graphqlRequest(ChangeRevertDocument, { input });
      throwUserErrors(changeRevert);
      return changeRevert.changeId ?? null;
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}
