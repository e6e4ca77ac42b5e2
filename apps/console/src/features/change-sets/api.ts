import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ChangeSetAddItemInput,
  ChangeSetCreateInput,
  ChangeSetInput,
  ChangeSetOutcomeFragment,
  ChangeSetQuery,
  ChangeSetReviewInput,
  ChangeSetsQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
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

/** Change sets, newest first, page by page. */
export const changeSetsQuery = infiniteQueryOptions({
  queryKey: ['change-sets', 'list'],
  queryFn: async ({ pageParam, signal }) =>
    (await graphqlRequest(ChangeSetsDocument, { after: pageParam }, signal)).changeSets,
  initialPageParam: null as string | null,
  getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
});

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
  queryOptions({
    queryKey: ['change-sets', 'one', id],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(ChangeSetDocument, { id }, signal)).changeSet ?? null,
  });

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

/** A step of a change set and its input. */
export type ChangeSetStep =
  | { kind: 'submit' | 'apply' | 'cancel' | 'revert' }
  | { kind: 'approve' | 'reject'; note: string | null }
  | { kind: 'schedule'; at: string }
  | { kind: 'remove'; itemId: string };

/** Runs a step, then invalidates change sets and policy. */
export function useChangeSetStep() {
  const queryClient = useQueryClient();
  return async (set: ChangeSetInput, step: ChangeSetStep): Promise<ChangeSetOutcomeFragment> => {
    const outcome = await take(set, step);
    // An applied change set can affect any query.
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

/** A set that is there, as it was last seen. */
interface CollectingSet {
  id: string;
  version: number;
}

/** A set to collect in: one that is there, or a new one. */
export type Target = CollectingSet | { title: string };

/** The same as a script would ask. */
export function changeSetCreateCall(input: ChangeSetCreateInput): MutationCall {
  return {
    mutation: 'changeSetCreate',
    inputType: 'ChangeSetCreateInput',
    input,
    selection: 'changeSet { id }',
  };
}

/** The same as a script would ask to collect one change. */
export function changeSetAddItemCall(set: CollectingSet, call: MutationCall): MutationCall {
  return {
    mutation: 'changeSetAddItem',
    inputType: 'ChangeSetAddItemInput',
    input: itemOf(set, call),
    selection: 'changeSet { id version }',
  };
}

/** Begins a change set. Fails with UserErrorsError. */
export function useChangeSetCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: createSet,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['change-sets'] }),
  });
}

/** Collects changes in a set, all or, should one be refused, those before it. Returns the set. Fails with UserErrorsError. */
export function useChangeSetCollect() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ target, calls }: { target: Target; calls: readonly MutationCall[] }) => {
      let set = 'id' in target ? { ...target, title: '' } : await createSet(target);
      for (const call of calls) {
        const input = itemOf(set, call);
        const { changeSetAddItem } = await graphqlRequest(ChangeSetAddItemDocument, { input });
        throwUserErrors(changeSetAddItem);
        set = changeSetAddItem.changeSet ?? set;
      }
      return set;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['change-sets'] }),
  });
}

async function createSet(input: ChangeSetCreateInput) {
  const { changeSetCreate } = await graphqlRequest(ChangeSetCreateDocument, { input });
  throwUserErrors(changeSetCreate);
  if (!changeSetCreate.changeSet)
    throw new Error('The change set was created, but the response has no ID. Reload the page.');
  return changeSetCreate.changeSet;
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
 * Makes several changes as one: all of them, or none. A set that is refused is given up, so that nothing is left of it but
 * why. Fails with UserErrorsError where a change is none that a set may hold.
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
