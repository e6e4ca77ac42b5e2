import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CarryOver } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { tenantsKey } from './tenants.js';

const TenantTierChangeDocument = graphql(`
  mutation TenantTierChange($input: TenantTierChangeInput!) {
    tenantTierChange(input: $input) { changeId userErrors { code field message } }
  }
`);

const TenantSuspendDocument = graphql(`
  mutation TenantSuspend($input: TenantStatusInput!) {
    tenantSuspend(input: $input) { changeId userErrors { code field message } }
  }
`);

const TenantResumeDocument = graphql(`
  mutation TenantResume($input: TenantStatusInput!) {
    tenantResume(input: $input) { changeId userErrors { code field message } }
  }
`);

const TenantArchiveDocument = graphql(`
  mutation TenantArchive($input: TenantStatusInput!) {
    tenantArchive(input: $input) { changeId userErrors { code field message } }
  }
`);

const TenantTierTrialDocument = graphql(`
  mutation TenantTierTrial($input: TenantTierChangeInput!) {
    tenantTierChange(input: $input) {
      warnings { apiKey name message }
      impact { tenants loosened tightened }
      userErrors { code field message }
    }
  }
`);

/** What a move to another tier would come to: the server tries it and takes it back. */
export const tierTrialQuery = (
  tenant: { key: string; version: number },
  tierKey: string | null,
  carryOver: CarryOver,
) =>
  queryOptions({
    queryKey: [...tenantsKey, 'tier-trial', tenant, tierKey, carryOver],
    queryFn: async () => {
      const input = {
        tenantKey: tenant.key,
        expectedVersion: tenant.version,
        tierKey: tierKey ?? '',
        carryOver,
      };
      return (await graphqlRequest(TenantTierTrialDocument, { input: { ...input, dryRun: true } }))
        .tenantTierChange;
    },
    enabled: tierKey !== null,
  });

export type TenantChange = { tenantKey: string; expectedVersion: number; reason: string | null } & (
  | { kind: 'tier'; tierKey: string; carryOver: CarryOver }
  | { kind: 'suspend' | 'resume' | 'archive' }
);

/**
 * Changes a tenant's tier or status; resolves with the id of the change to follow. Fails with UserErrorsError when it
 * is refused, code CONFLICT when the tenant was changed meanwhile.
 */
export function useTenantChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: TenantChange) => {
      const payload = await send(change);
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tenantsKey }),
  });
}

/** The same as a script would ask. */
export function tenantChangeCall({ kind, ...input }: TenantChange): MutationCall {
  if (kind === 'tier') return { mutation: 'tenantTierChange', inputType: 'TenantTierChangeInput', input };
  const mutation = ({ suspend: 'tenantSuspend', resume: 'tenantResume', archive: 'tenantArchive' } as const)[
    kind
  ];
  return { mutation, inputType: 'TenantStatusInput', input };
}

async function send(change: TenantChange) {
  const { tenantKey, expectedVersion, reason } = change;
  const input = { tenantKey, expectedVersion, reason };
  switch (change.kind) {
    case 'tier':
      return (
        await graphqlRequest(TenantTierChangeDocument, {
          input: { ...input, tierKey: change.tierKey, carryOver: change.carryOver },
        })
      ).tenantTierChange;
    case 'suspend':
      return (await graphqlRequest(TenantSuspendDocument, { input })).tenantSuspend;
    case 'archive':
      return (await graphqlRequest(TenantArchiveDocument, { input })).tenantArchive;
    case 'resume':
      return (await graphqlRequest(TenantResumeDocument, { input })).tenantResume;
  }
}
