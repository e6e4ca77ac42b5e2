import { queryOptions } from '@tanstack/react-query';
import type { TenantDetailQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { tenantsKey } from './tenants.js';

const TenantDetailDocument = graphql(`
  query TenantDetail($key: String!) {
    tenant(key: $key) {
      id key name status timeZone version createdAt
      subscription { pinned since tier { id key name } tierVersion { id number } }
      effectiveLimits {
        source
        live { used remaining resetAt }
        limit { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }
      }
      members { id email name role }
    }
  }
`);

export type TenantDetail = NonNullable<TenantDetailQuery['tenant']>;
export type EffectiveLimitDetail = TenantDetail['effectiveLimits'][number];

/** One tenant with its live counters, asked again every two seconds; null when there is none. */
export const tenantQuery = (key: string) =>
  queryOptions({
    queryKey: [...tenantsKey, 'one', key],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(TenantDetailDocument, { key }, signal)).tenant ?? null,
    refetchInterval: 2_000,
  });
