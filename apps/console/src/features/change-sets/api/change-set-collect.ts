import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeSetAddItemInput, ChangeSetCreateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { throwUserErrors } from '../../../lib/user-errors.js';

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
    throw new Error('The change set was begun, but the answer does not name it.');
  return changeSetCreate.changeSet;
}

function itemOf({ id, version }: CollectingSet, { mutation, input }: MutationCall): ChangeSetAddItemInput {
  return { id, expectedVersion: version, command: mutation, input: withoutTerms(input) };
}

/** A set says itself when and why its changes are made, and finds the versions that are there then. */
function withoutTerms(input: object): Record<string, unknown> {
  const { expectedVersion: _, reason: __, dryRun: ___, ...rest } = input as Record<string, unknown>;
  return rest;
}
