import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeRevertInput, ImpactFieldsFragment } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { graphqlRequest, throwUserErrors } from './graphql-request.js';
import type { MutationCall } from './mutation-text.js';
import type { Permission } from './viewer.js';

graphql(`
  fragment ImpactFields on Impact {
    tenants loosened tightened
    sample { tenantKey tenantName loosened tightened }
    overruns { tenantKey tenantName apiKey limitName limit peak at }
  }
`);

/** Whom a change reaches. */
export type Impact = ImpactFieldsFragment;

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

/** What taking an action back asks for; an action that is not here is taken back by nothing. */
const REVERTIBLE: Readonly<Record<string, Permission>> = {
  'api.update': 'apis:write',
  'boost.end': 'boosts:write',
  'boost.start': 'boosts:write',
  'operation.create': 'apis:write',
  'operation.delete': 'apis:write',
  'operation.update': 'apis:write',
  'override.remove': 'overrides:write',
  'override.set': 'overrides:write',
  'pool.create': 'apis:write',
  'pool.delete': 'apis:write',
  'pool.update': 'apis:write',
  'tenant.resume': 'tenants:write',
  'tenant.suspend': 'tenants:write',
  'tenant.tierChange': 'subscriptions:write',
  'tenant.update': 'tenants:write',
  'tier.publish': 'tiers:write',
  'tier.update': 'tiers:write',
};

/** The permission to take a change back; undefined where nothing does. Whether it can be now, the server says. */
export function permissionToRevert({
  action,
  before,
}: {
  action: string;
  before?: unknown;
}): Permission | undefined {
  // The first publication has nothing before it.
  if (action === 'tier.publish' && before == null) return undefined;
  return REVERTIBLE[action];
}
