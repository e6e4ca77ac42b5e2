import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  BoostEndInput,
  BoostStartInput,
  EntitlementGrantInput,
  EntitlementRevokeInput,
  OverrideRemoveInput,
  OverrideSetInput,
  TenantAdjustmentsQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { effectOf } from '../../lib/effect-text.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { type AdjustmentDraft, type AdjustmentMaking, endOf } from './adjustment-draft.js';

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

/** Current and past adjustments of a tenant, newest first. */
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
      return { mutation: 'overrideRemove', inputType: 'OverrideRemoveInput', input: endOverrideInput(end) };
    case 'BOOST':
      return { mutation: 'boostEnd', inputType: 'BoostEndInput', input: endBoostInput(end) };
    case 'ENTITLEMENT':
      return {
        mutation: 'entitlementRevoke',
        inputType: 'EntitlementRevokeInput',
        input: endGrantInput(end),
      };
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
      return (await graphqlRequest(OverrideRemoveDocument, { input: endOverrideInput(end) })).overrideRemove;
    case 'BOOST':
      return (await graphqlRequest(BoostEndDocument, { input: endBoostInput(end) })).boostEnd;
    case 'ENTITLEMENT':
      return (await graphqlRequest(EntitlementRevokeDocument, { input: endGrantInput(end) }))
        .entitlementRevoke;
  }
}

const endOverrideInput = ({ id, reason }: AdjustmentEnd): OverrideRemoveInput => ({ overrideId: id, reason });
const endBoostInput = ({ id, reason }: AdjustmentEnd): BoostEndInput => ({ boostId: id, reason });
const endGrantInput = ({ id, reason }: AdjustmentEnd): EntitlementRevokeInput => ({
  entitlementId: id,
  reason,
});

const OverrideSetDocument = graphql(`
  mutation OverrideSet($input: OverrideSetInput!) {
    overrideSet(input: $input) {
      changeId warnings preview { apiKey limitName limit } userErrors { code field message }
    }
  }
`);

const BoostStartDocument = graphql(`
  mutation BoostStart($input: BoostStartInput!) {
    boostStart(input: $input) {
      changeId warnings preview { apiKey limitName limit } userErrors { code field message }
    }
  }
`);

const EntitlementGrantDocument = graphql(`
  mutation EntitlementGrant($input: EntitlementGrantInput!) {
    entitlementGrant(input: $input) {
      changeId warnings preview { apiKey limitName limit } userErrors { code field message }
    }
  }
`);

/** The tenant, with the version its form was loaded with. */
export interface AdjustedTenant {
  key: string;
  version: number;
}

interface Making {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
}

/** Limits of the tenant under a draft, computed by a dry run. */
export const adjustmentPreviewQuery = ({ making, tenant, draft }: Making, enabled: boolean) =>
  queryOptions({
    queryKey: ['adjustment-preview', making, tenant, draft],
    queryFn: () => sendAdjustment({ making, tenant, draft }, true),
    enabled,
    staleTime: 10_000,
  });

/** Makes it; resolves with the change to follow. Fails with UserErrorsError when it is refused. */
export function useAdjustmentMake() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (making: Making) => {
      const payload = await sendAdjustment(making, false);
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () =>
      Promise.all(
        ['tenants', 'adjustments'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })),
      ),
  });
}

/** The mutation of a draft, for "Copy as". */
export function adjustmentCall(request: Making): MutationCall {
  switch (request.making) {
    case 'override':
      return {
        mutation: 'overrideSet',
        inputType: 'OverrideSetInput',
        input: overrideInput(request),
      };
    case 'boost':
      return { mutation: 'boostStart', inputType: 'BoostStartInput', input: boostInput(request) };
    case 'grant':
      return {
        mutation: 'entitlementGrant',
        inputType: 'EntitlementGrantInput',
        input: grantInput(request),
      };
  }
}

async function sendAdjustment({ draft, ...rest }: Making, dryRun: boolean) {
  const { reason, label } = draft;
  const filled = dryRun ? { ...draft, reason: reason || 'preview', label: label || 'preview' } : draft;
  const request = { ...rest, draft: filled };
  switch (rest.making) {
    case 'override':
      return (
        await graphqlRequest(OverrideSetDocument, {
          input: { ...overrideInput(request), dryRun },
        })
      ).overrideSet;
    case 'boost':
      return (await graphqlRequest(BoostStartDocument, { input: { ...boostInput(request), dryRun } }))
        .boostStart;
    case 'grant':
      return (
        await graphqlRequest(EntitlementGrantDocument, {
          input: { ...grantInput(request), dryRun },
        })
      ).entitlementGrant;
  }
}

function overrideInput(request: Making): OverrideSetInput {
  return { ...tenantAndReason(request), ...targetAndEffect(request), expiresAt: endsAtOf(request) };
}

function boostInput(request: Making): BoostStartInput {
  return {
    ...tenantAndReason(request),
    ...targetAndEffect(request),
    endsAt: endsAtOf(request) ?? new Date().toISOString(),
  };
}

function grantInput(request: Making): EntitlementGrantInput {
  const { label, source } = request.draft;
  const terms = {
    label: label.trim(),
    source,
    endsAt: endsAtOf(request),
    effects: [targetAndEffect(request)],
  };
  return { ...tenantAndReason(request), ...terms };
}

function tenantAndReason({ tenant: { key, version }, draft }: Making) {
  return { tenantKey: key, expectedVersion: version, reason: draft.reason.trim() || null };
}

function targetAndEffect({ draft }: Making) {
  const { apiKey, limit, kind } = draft;
  return { apiKey, limit, effect: effectOf(draft) ?? { kind } };
}

function endsAtOf({ draft }: Making): string | null {
  return endOf(draft, Date.now())?.toISOString() ?? null;
}
