import { queryOptions } from '@tanstack/react-query';
import {
  type CarryOver,
  TenantArchiveDocument,
  type TenantDetailQuery,
  TenantResumeDocument,
  TenantSuspendDocument,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { sendMutation } from '../../lib/mutation.js';
import { loadChunk } from '../../lib/query-client.js';

export {
  TenantCreateDocument,
  TenantFloorsSetDocument,
  TenantTierChangeDocument,
  TenantUpdateDocument,
} from '../../generated/graphql.js';

/** Prefix of every tenant query. */
export const tenantsKey = ['tenants'] as const;

const TenantDetailDocument = graphql(`
  query TenantDetail($key: String!) {
    tenant(key: $key) {
      id key name status timeZone billingAnchorDay version createdAt tags managedBy parentKey
      floors { apiKey limit units }
      sharedLimits {
        apiKey name limit summary common live { used remaining resetAt } floor { units live { used remaining resetAt } }
      }
      subscription { pinned since tier { id key name } tierVersion { id number } }
      effectiveLimits {
        source tierLimit clamped
        provenance { source adjustmentId label from to until }
        live { used remaining resetAt }
        limit { ...LimitFields }
      }
    }
  }
`);

export type TenantDetail = Awaited<ReturnType<typeof readTenant>>;
export type EffectiveLimitDetail = TenantDetail['effectiveLimits'][number];

/** One tenant with live counters, refetched every two seconds; null when it does not exist. */
export const tenantQuery = (key: string) =>
  queryOptions({
    queryKey: [...tenantsKey, 'one', key],
    queryFn: async ({ signal }) => {
      const { tenant } = await graphqlRequest(TenantDetailDocument, { key }, signal);
      return tenant ? readTenant(tenant) : null;
    },
    refetchInterval: 2_000,
  });

/** Loads the parser of limits on first use: Home imports this file, and the parser needs zod. */
async function readTenant(tenant: NonNullable<TenantDetailQuery['tenant']>) {
  const { readLimit } = await loadChunk(() => import('../../lib/limit-fields.js'));
  const effectiveLimits = tenant.effectiveLimits.map((effective) => ({
    ...effective,
    limit: readLimit(effective.limit),
    origin: effective.limit.origin,
  }));
  return { ...tenant, effectiveLimits };
}

const TenantTierTrialDocument = graphql(`
  mutation TenantTierTrial($input: TenantTierChangeInput!) {
    tenantTierChange(input: $input) {
      warnings { apiKey name message }
      impact { tenants increased decreased }
      userErrors { code field message }
    }
  }
`);

export const STATUS_CHANGES = {
  suspend: TenantSuspendDocument,
  resume: TenantResumeDocument,
  archive: TenantArchiveDocument,
};

/** Impact of a tier change, computed by a dry run. */
export const tierTrialQuery = (
  tenant: { tenantKey: string; expectedVersion: number },
  tierKey: string | null,
  carryOver: CarryOver,
) =>
  queryOptions({
    queryKey: [...tenantsKey, 'tier-trial', tenant, tierKey, carryOver],
    queryFn: () =>
      sendMutation(TenantTierTrialDocument, { ...tenant, tierKey: tierKey ?? '', carryOver, dryRun: true }),
    enabled: tierKey !== null,
  });

const TenantChildrenDocument = graphql(`
  query TenantChildren($parent: String!) {
    tenants(first: 8, parent: $parent) { nodes { id key name status floors { apiKey limit units } } totalCount }
  }
`);

/** The first children of a tenant, by key, and their number. */
export const tenantChildrenQuery = (parent: string) =>
  fieldQuery([...tenantsKey, 'children', parent], TenantChildrenDocument, { parent });

const TierChoicesDocument = graphql(`
  query TierChoices {
    tiers(first: 100) { nodes { id key name rank published { id number } } }
  }
`);

/** All tiers, lowest rank first. */
export const tierChoicesQuery = queryOptions({
  queryKey: ['tier-choices'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(TierChoicesDocument, {}, signal)).tiers.nodes.toSorted((a, b) => a.rank - b.rank),
});
