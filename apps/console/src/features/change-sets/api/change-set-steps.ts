import { useQueryClient } from '@tanstack/react-query';
import type {
  ChangeSetInput,
  ChangeSetOutcomeFragment,
  ChangeSetReviewInput,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

graphql(`
  fragment ChangeSetOutcome on ChangeSetPayload {
    changeId
    changeSet { id title version status }
    userErrors { code field message }
  }
`);

const ChangeSetSubmitDocument = graphql(`
  mutation ChangeSetSubmit($input: ChangeSetInput!) {
    changeSetSubmit(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetApproveDocument = graphql(`
  mutation ChangeSetApprove($input: ChangeSetReviewInput!) {
    changeSetApprove(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetRejectDocument = graphql(`
  mutation ChangeSetReject($input: ChangeSetReviewInput!) {
    changeSetReject(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetApplyDocument = graphql(`
  mutation ChangeSetApply($input: ChangeSetInput!) {
    changeSetApply(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetCancelDocument = graphql(`
  mutation ChangeSetCancel($input: ChangeSetInput!) {
    changeSetCancel(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetRevertDocument = graphql(`
  mutation ChangeSetRevert($input: ChangeSetInput!) {
    changeSetRevert(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetScheduleDocument = graphql(`
  mutation ChangeSetSchedule($input: ChangeSetScheduleInput!) {
    changeSetSchedule(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetRemoveItemDocument = graphql(`
  mutation ChangeSetRemoveItem($input: ChangeSetRemoveItemInput!) {
    changeSetRemoveItem(input: $input) { ...ChangeSetOutcome }
  }
`);

/** A step on a set's way, with what it needs besides the set. */
export type ChangeSetStep =
  | { kind: 'submit' | 'apply' | 'cancel' | 'revert' }
  | { kind: 'approve' | 'reject'; note: string | null }
  | { kind: 'schedule'; at: string }
  | { kind: 'remove'; itemId: string };

/** Takes a step; afterwards, what is shown of change sets and of policy is read anew. */
export function useChangeSetStep() {
  const queryClient = useQueryClient();
  return async (set: ChangeSetInput, step: ChangeSetStep): Promise<ChangeSetOutcomeFragment> => {
    const outcome = await take(set, step);
    // What was applied may be anything.
    if (outcome.changeId && step.kind === 'apply') await queryClient.invalidateQueries();
    else await queryClient.invalidateQueries({ queryKey: ['change-sets'] });
    return outcome;
  };
}

async function take(set: ChangeSetInput, step: ChangeSetStep): Promise<ChangeSetOutcomeFragment> {
  const { id, expectedVersion } = set;
  const input = { id, expectedVersion };
  switch (step.kind) {
    case 'submit':
      return (await graphqlRequest(ChangeSetSubmitDocument, { input })).changeSetSubmit;
    case 'apply':
      return (await graphqlRequest(ChangeSetApplyDocument, { input })).changeSetApply;
    case 'cancel':
      return (await graphqlRequest(ChangeSetCancelDocument, { input })).changeSetCancel;
    case 'revert':
      return (await graphqlRequest(ChangeSetRevertDocument, { input })).changeSetRevert;
    case 'approve':
      return (await graphqlRequest(ChangeSetApproveDocument, { input: reviewed(input, step.note) }))
        .changeSetApprove;
    case 'reject':
      return (await graphqlRequest(ChangeSetRejectDocument, { input: reviewed(input, step.note) }))
        .changeSetReject;
    case 'schedule':
      return (await graphqlRequest(ChangeSetScheduleDocument, { input: { ...input, at: step.at } }))
        .changeSetSchedule;
    case 'remove':
      return (await graphqlRequest(ChangeSetRemoveItemDocument, { input: { ...input, itemId: step.itemId } }))
        .changeSetRemoveItem;
  }
}

const reviewed = (input: ChangeSetInput, note: string | null): ChangeSetReviewInput => ({ ...input, note });
