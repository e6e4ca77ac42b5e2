import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TenantAdjustmentsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { throwUserErrors } from '../../../lib/user-errors.js';

const TenantAdjustmentsDocument = graphql(`
  query TenantAdjustments($tenantKey: String!) {
    overrides(tenantKey: $tenantKey, first: 50) {
      totalCount
      nodes {
        id kind status apiKey limit appliesTo reason startsAt endsAt createdAt createdBy removedAt
        effect { kind units percent limit }
      }
    }
    entitlements(tenantKey: $tenantKey, first: 50) {
      totalCount
      nodes {
        id source cause label purchaseId apiKey limit appliesTo startsAt endsAt inForce createdAt actor
        effect { kind units percent limit }
      }
    }
  }
`);

const OverrideRemoveDocument = graphql(`
  mutation OverrideRemove($input: OverrideRemoveInput!) {
    overrideRemove(input: $input) { changeId userErrors { code field message } }
  }
`);

const BoostEndDocument = graphql(`
  mutation BoostEnd($input: BoostEndInput!) {
    boostEnd(input: $input) { changeId userErrors { code field message } }
  }
`);

const EntitlementRevokeDocument = graphql(`
  mutation EntitlementRevoke($input: EntitlementRevokeInput!) {
    entitlementRevoke(input: $input) { changeId userErrors { code field message } }
  }
`);

export type OverrideInList = TenantAdjustmentsQuery['overrides']['nodes'][number];
export type EntitlementInList = TenantAdjustmentsQuery['entitlements']['nodes'][number];

/** What changes a tenant's limits, now and before, newest first. */
export const tenantAdjustmentsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['adjustments', tenantKey],
    queryFn: ({ signal }) => graphqlRequest(TenantAdjustmentsDocument, { tenantKey }, signal),
    refetchInterval: 10_000,
  });

export interface AdjustmentEnd {
  kind: 'OVERRIDE' | 'BOOST' | 'ENTITLEMENT';
  id: string;
  reason: string;
}

/** Ends an override, boost or grant before its time; resolves with the change to follow. */
export function useAdjustmentEnd() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (end: AdjustmentEnd) => {
      const payload = await send(end);
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () =>
      Promise.all(
        ['tenants', 'adjustments'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })),
      ),
  });
}

async function send({ kind, id, reason }: AdjustmentEnd) {
  switch (kind) {
    case 'OVERRIDE':
      return (await graphqlRequest(OverrideRemoveDocument, { input: { overrideId: id, reason } }))
        .overrideRemove;
    case 'BOOST':
      return (await graphqlRequest(BoostEndDocument, { input: { boostId: id, reason } })).boostEnd;
    case 'ENTITLEMENT':
      return (await graphqlRequest(EntitlementRevokeDocument, { input: { entitlementId: id, reason } }))
        .entitlementRevoke;
  }
}
