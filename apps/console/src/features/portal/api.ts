import { queryOptions } from '@tanstack/react-query';
import { limitTitle, perSpan } from '@tollgate/contracts/limit-title';
import type { PortalTenantQuery, PortalUtilizationQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { readLimit, ruleOf } from '../../lib/limit-fields.js';

export { OwnLimitRemoveDocument, OwnLimitSetDocument } from '../../generated/graphql.js';

const DecisionUrlDocument = graphql(`
  query DecisionUrl {
    installation { decisionUrl }
  }
`);

/** URL of the decision API; null when it is not configured. */
export const decisionUrlQuery = queryOptions({
  queryKey: ['decision-url'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(DecisionUrlDocument, {}, signal)).installation.decisionUrl ?? null,
  staleTime: Number.POSITIVE_INFINITY,
});

const PortalTenantDocument = graphql(`
  query PortalTenant($key: String!) {
    tenant(key: $key) {
      id key name status timeZone parentKey
      sharedLimits {
        apiKey name limit summary common live { used remaining resetAt } floor { units live { used remaining resetAt } }
      }
      subscription { tier { key name } }
      effectiveLimits {
        source tierLimit clamped
        live { used remaining resetAt }
        provenance { adjustmentId label source from to until }
        limit { ...LimitFields }
      }
    }
  }
`);

export type PortalTenant = ReturnType<typeof readTenant>;
export type PortalLimit = PortalTenant['effectiveLimits'][number];

/** A tenant with live counters, refetched every two seconds; null when it does not exist. */
export const portalTenantQuery = (key: string) =>
  queryOptions({
    queryKey: [...portalTenantKey, key],
    queryFn: async ({ signal }) => {
      const { tenant } = await graphqlRequest(PortalTenantDocument, { key }, signal);
      return tenant ? readTenant(tenant) : null;
    },
    refetchInterval: 2_000,
  });

const PortalUtilizationDocument = graphql(`
  query PortalUtilization($tenantKey: String!) {
    limitUtilization(tenantKey: $tenantKey) {
      apiKey limitName used capacity percent denied limitedSince resetsAt exhaustsAt
    }
  }
`);

export type LimitUsage = NonNullable<PortalUtilizationQuery['limitUtilization']>[number];

/** Utilization of a tenant's limits. */
export const portalUtilizationQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery(['portal-utilization', tenantKey], PortalUtilizationDocument, { tenantKey }),
    refetchInterval: 5_000,
  });

export const portalTenantKey = ['portal-tenant'] as const;

/** Names and spans of a tenant's limits by `api/limit`, as JSON: equal texts have equal names. */
export const limitTitlesOf = ({ effectiveLimits }: PortalTenant): string =>
  JSON.stringify(
    Object.fromEntries(
      effectiveLimits.map(({ limit: { policy } }) => [
        `${policy.api}/${policy.name}`,
        `${limitTitle(policy)} ${perSpan(ruleOf(policy))}`,
      ]),
    ),
  );

function readTenant(tenant: NonNullable<PortalTenantQuery['tenant']>) {
  const effectiveLimits = tenant.effectiveLimits
    .map((effective) => ({ ...effective, limit: readLimit(effective.limit) }))
    .sort(
      ({ limit: { policy: a } }, { limit: { policy: b } }) =>
        a.api.localeCompare(b.api) || a.name.localeCompare(b.name),
    );
  return { ...tenant, effectiveLimits };
}
