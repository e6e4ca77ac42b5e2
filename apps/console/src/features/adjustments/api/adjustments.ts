import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  BoostEndInput,
  EntitlementRevokeInput,
  OverrideRemoveInput,
  TenantAdjustmentsQuery,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
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

/** The same as a script would ask. */
export function adjustmentEndCall(end: AdjustmentEnd): MutationCall {
  switch (end.kind) {
    case 'OVERRIDE':
      return { mutation: 'overrideRemove', inputType: 'OverrideRemoveInput', input: overrideInput(end) };
    case 'BOOST':
      return { mutation: 'boostEnd', inputType: 'BoostEndInput', input: boostInput(end) };
    case 'ENTITLEMENT':
      return { mutation: 'entitlementRevoke', inputType: 'EntitlementRevokeInput', input: grantInput(end) };
  }
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

async function send(end: AdjustmentEnd) {
  switch (end.kind) {
    case 'OVERRIDE':
      return (await graphqlRequest(OverrideRemoveDocument, { input: overrideInput(end) })).overrideRemove;
    case 'BOOST':
      return (await graphqlRequest(BoostEndDocument, { input: boostInput(end) })).boostEnd;
    case 'ENTITLEMENT':
      return (await graphqlRequest(EntitlementRevokeDocument, { input: grantInput(end) })).entitlementRevoke;
  }
}

const overrideInput = ({ id, reason }: AdjustmentEnd): OverrideRemoveInput => ({ overrideId: id, reason });
const boostInput = ({ id, reason }: AdjustmentEnd): BoostEndInput => ({ boostId: id, reason });
const grantInput = ({ id, reason }: AdjustmentEnd): EntitlementRevokeInput => ({ entitlementId: id, reason });
