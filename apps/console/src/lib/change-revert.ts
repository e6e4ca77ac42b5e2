import { queryOptions } from '@tanstack/react-query';
import { ChangeRevertDocument, type ImpactFieldsFragment } from '../generated/graphql.js';

import { graphql } from '../generated/index.js';
import { fieldQuery, throwUserErrors } from './graphql-request.js';
import { sendMutation } from './mutation.js';
import type { Permission } from './viewer.js';

export { ChangeRevertDocument };

graphql(`
  fragment ImpactFields on Impact {
    tenants increased decreased
    sample { tenantKey tenantName increased decreased }
    overruns { tenantKey tenantName apiKey limitName limit peak excess units days at }
  }
`);

/** Tenants that a change affects. */
export type Impact = ImpactFieldsFragment;

const ChangeReversalDocument = graphql(`
  query ChangeReversal($changeId: ID!) {
    changeReversal(changeId: $changeId) { changeId actor at actions revertible obstacle }
  }
`);

/** Whether a change can be reverted now, with the reason if not; null when the change does not exist. */
export const changeReversalQuery = (changeId: string) =>
  fieldQuery(['change-reversal', changeId], ChangeReversalDocument, { changeId });

/** Impact of reverting a change; fails with the user errors. */
export const changeRevertTrialQuery = (changeId: string) =>
  queryOptions({
    queryKey: ['change-reversal', changeId, 'trial'],
    queryFn: async ({ signal }) => {
      const input = { changeId, dryRun: true };
      const tried = await sendMutation(ChangeRevertDocument, input, { signal });
      throwUserErrors(tried);
      return tried.impact ?? null;
    },
    retry: false,
    staleTime: 0,
  });

/** Actions that can be reverted, by the permission to revert them. */
const REVERTIBLE: ReadonlyArray<[Permission, string[]]> = [
  ['apis:write', ['api.update', 'operation.create', 'operation.delete', 'operation.update']],
  ['apis:write', ['pool.create', 'pool.delete', 'pool.update']],
  ['boosts:write', ['boost.end', 'boost.start']],
  ['overrides:write', ['override.remove', 'override.set', 'tenant.floorsSet']],
  ['subscriptions:write', ['tenant.tierChange']],
  ['tenants:write', ['tenant.resume', 'tenant.suspend', 'tenant.update']],
  ['tiers:write', ['tier.publish', 'tier.update']],
];

/**
 * Permission required to revert a change; undefined if its action cannot be reverted. The server decides whether it
 * still can.
 */
export function permissionToRevert(entry: { action: string; before?: unknown }): Permission | undefined {
  const { action, before } = entry;
  // The first publication has nothing before it.
  if (action === 'tier.publish' && before == null) return undefined;
  return REVERTIBLE.find(([, actions]) => actions.includes(action))?.[0];
}
