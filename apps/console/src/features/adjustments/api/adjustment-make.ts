import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { throwUserErrors } from '../../../lib/user-errors.js';
import { type AdjustmentDraft, type AdjustmentMaking, effectOf, endOf } from '../adjustment-draft.js';

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

/** Whom it is made for, as it was seen. */
export interface AdjustedTenant {
  key: string;
  version: number;
}

interface Making {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
}

/** What a draft would make of the tenant's limits: the server tries it and takes it back. */
export const adjustmentPreviewQuery = ({ making, tenant, draft }: Making, enabled: boolean) =>
  queryOptions({
    queryKey: ['adjustment-preview', making, tenant, draft],
    queryFn: () => send({ making, tenant, draft }, true),
    enabled,
    staleTime: 10_000,
  });

/** Makes it; resolves with the change to follow. Fails with UserErrorsError when it is refused. */
export function useAdjustmentMake() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (making: Making) => {
      const payload = await send(making, false);
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () =>
      Promise.all(
        ['tenants', 'adjustments'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })),
      ),
  });
}

async function send({ making, tenant, draft }: Making, dryRun: boolean) {
  const { apiKey, limit } = draft;
  const effect = effectOf(draft) ?? { kind: draft.kind };
  const endsAt = endOf(draft, Date.now())?.toISOString() ?? null;
  const reason = draft.reason.trim() || (dryRun ? 'preview' : null);
  const input = { tenantKey: tenant.key, expectedVersion: tenant.version, reason, dryRun };
  switch (making) {
    case 'override':
      return (
        await graphqlRequest(OverrideSetDocument, {
          input: { ...input, apiKey, limit, effect, expiresAt: endsAt },
        })
      ).overrideSet;
    case 'boost':
      return (
        await graphqlRequest(BoostStartDocument, {
          input: { ...input, apiKey, limit, effect, endsAt: endsAt ?? new Date().toISOString() },
        })
      ).boostStart;
    case 'grant': {
      const { source } = draft;
      const label = draft.label.trim() || (dryRun ? 'preview' : '');
      return (
        await graphqlRequest(EntitlementGrantDocument, {
          input: { ...input, label, source, endsAt, effects: [{ apiKey, limit, effect }] },
        })
      ).entitlementGrant;
    }
  }
}
