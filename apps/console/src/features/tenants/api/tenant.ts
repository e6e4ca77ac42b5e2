import { queryOptions } from '@tanstack/react-query';
import type { TenantDetailQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { readLimit } from '../../../lib/limit-fields.js';
import { tenantsKey } from './tenants.js';

const TenantDetailDocument = graphql(`
  query TenantDetail($key: String!) {
    tenant(key: $key) {
      id key name status timeZone billingAnchorDay version createdAt tags managedBy
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

export type TenantDetail = ReturnType<typeof readTenant>;
export type EffectiveLimitDetail = TenantDetail['effectiveLimits'][number];

/** One tenant with its live counters, asked again every two seconds; null when there is none. */
export const tenantQuery = (key: string) =>
  queryOptions({
    queryKey: [...tenantsKey, 'one', key],
    queryFn: async ({ signal }) => {
      const { tenant } = await graphqlRequest(TenantDetailDocument, { key }, signal);
      return tenant ? readTenant(tenant) : null;
    },
    refetchInterval: 2_000,
  });

function readTenant(tenant: NonNullable<TenantDetailQuery['tenant']>) {
  const effectiveLimits = tenant.effectiveLimits.map((effective) => ({
    ...effective,
    limit: readLimit(effective.limit),
    origin: effective.limit.origin,
  }));
  return { ...tenant, effectiveLimits };
}
