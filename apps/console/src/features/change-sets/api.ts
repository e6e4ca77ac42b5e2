import { useQueryClient } from '@tanstack/react-query';
import type {
  ChangeSetAddItemInput,
  ChangeSetCreateInput,
  ChangeSetInput,
  ChangeSetOutcomeFragment,
  ChangeSetQuery,
  ChangeSetsQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, pagedQuery, throwUserErrors } from '../../lib/graphql-request.js';
import { mutationCall, sendMutation, useSingleMutation } from '../../lib/mutation.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const ChangeSetsDocument = graphql(`
  query ChangeSets($after: String) {
    changeSets(first: 25, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id title status version author createdAt scheduledAt items { id } }
    }
  }
`);

export type ChangeSetInList = ChangeSetsQuery['changeSets']['nodes'][number];

const changeSetsKey = ['change-sets'] as const;

/** Change sets, newest first. */
export const changeSetsQuery = pagedQuery([...changeSetsKey, 'list'], ChangeSetsDocument, {});

const ChangeSetDocument = graphql(`
  query ChangeSet($id: ID!) {
    changeSet(id: $id) {
      id title description status version author createdAt reviewedBy reviewedAt note
      scheduledAt appliedAt appliedBy changeId revertsId
      items { id command input }
      diff {
        stale
        entries { item action entity entityId tenantKey fields { path before after } }
        errors { code field message }
        impact { ...ImpactFields }
      }
    }
  }
`);

export type ChangeSetDetail = NonNullable<ChangeSetQuery['changeSet']>;
export type DiffEntry = ChangeSetDetail['diff']['entries'][number];

/** One change set with its current preview; null when it does not exist. */
export const changeSetQuery = (id: string) =>
  fieldQuery([...changeSetsKey, 'one', id], ChangeSetDocument, { id });

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

export type ChangeSetStep =
  | { kind: 'submit' | 'apply' | 'cancel' | 'revert' }
  | { kind: 'approve' | 'reject'; note: string | null }
  | { kind: 'schedule'; at: string }
  | { kind: 'remove'; itemId: string };

const STEP_DOCUMENTS = {
  submit: ChangeSetSubmitDocument,
  apply: ChangeSetApplyDocument,
  cancel: ChangeSetCancelDocument,
  revert: ChangeSetRevertDocument,
  approve: ChangeSetApproveDocument,
  reject: ChangeSetRejectDocument,
  schedule: ChangeSetScheduleDocument,
  remove: ChangeSetRemoveItemDocument,
};

/** Runs a step, then invalidates change sets and policy. */
export function useChangeSetStep() {
  const queryClient = useQueryClient();
  return async (set: ChangeSetInput, { kind, ...step }: ChangeSetStep): Promise<ChangeSetOutcomeFragment> => {
    const outcome = await sendMutation(STEP_DOCUMENTS[kind], { ...set, ...step });
    // An applied change set can affect any query.
    if (outcome.changeId && kind === 'apply') await queryClient.invalidateQueries();
    else await queryClient.invalidateQueries({ queryKey: changeSetsKey });
    return outcome;
  };
}

const ChangeSetCreateDocument = graphql(`
  mutation ChangeSetCreate($input: ChangeSetCreateInput!) {
    changeSetCreate(input: $input) { ...ChangeSetOutcome }
  }
`);

const ChangeSetAddItemDocument = graphql(`
  mutation ChangeSetAddItem($input: ChangeSetAddItemInput!) {
    changeSetAddItem(input: $input) { ...ChangeSetOutcome }
  }
`);

interface CollectingSet {
  id: string;
  version: number;
}

/** An existing set, or the title of a new one. */
export type Target = CollectingSet | { title: string };

export const changeSetCreateCall = (input: ChangeSetCreateInput): MutationCall =>
  mutationCall(ChangeSetCreateDocument, input, 'changeSet { id }');

/** The mutation that adds one change to a set, to copy. */
export const changeSetAddItemCall = (set: CollectingSet, call: MutationCall): MutationCall =>
  mutationCall(ChangeSetAddItemDocument, itemOf(set, call), 'changeSet { id version }');

export function useChangeSetCreate() {
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: createSet,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: changeSetsKey }),
  });
}

/** Adds changes to a set in order, up to the first that is rejected. Returns the set. Fails with UserErrorsError. */
export function useChangeSetCollect() {
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async ({ target, calls }: { target: Target; calls: readonly MutationCall[] }) => {
      let set = 'id' in target ? { ...target, title: '' } : await createSet(target);
      for (const call of calls) {
        const added = await sendMutation(ChangeSetAddItemDocument, itemOf(set, call));
        throwUserErrors(added);
        set = added.changeSet ?? set;
      }
      return set;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: changeSetsKey }),
  });
}

async function createSet(input: ChangeSetCreateInput) {
  const created = await sendMutation(ChangeSetCreateDocument, input);
  throwUserErrors(created);
  if (!created.changeSet)
    throw new Error('The change set was created, but the response has no ID. Reload the page.');
  return created.changeSet;
}

function itemOf({ id, version }: CollectingSet, { mutation, input }: MutationCall): ChangeSetAddItemInput {
  return { id, expectedVersion: version, command: mutation, input: withoutTerms(input) };
}

/** Removes the fields that a change set provides: reason, dry run and expected version. */
function withoutTerms(input: object): Record<string, unknown> {
  const { expectedVersion: _, reason: __, dryRun: ___, ...rest } = input as Record<string, unknown>;
  return rest;
}

/**
 * Applies several changes as one, all or none. A rejected set is canceled. Fails with UserErrorsError when a change set
 * cannot contain one of the changes.
 */
export function useChangeSetAtOnce() {
  const collect = useChangeSetCollect();
  const take = useChangeSetStep();
  return async (title: string, calls: readonly MutationCall[]): Promise<ChangeSetOutcomeFragment> => {
    const { id, version } = await collect.mutateAsync({ target: { title }, calls });
    const submitted = await take({ id, expectedVersion: version }, { kind: 'submit' });
    const set = { id, expectedVersion: submitted.changeSet?.version ?? version };
    const outcome = submitted.userErrors.length > 0 ? submitted : await take(set, { kind: 'apply' });
    const seen = outcome.changeSet?.version ?? set.expectedVersion;
    if (outcome.userErrors.length > 0) await take({ id, expectedVersion: seen }, { kind: 'cancel' });
    return outcome;
  };
}
