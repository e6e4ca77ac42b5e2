import { queryOptions } from '@tanstack/react-query';
import type { UsageSummaryQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const UsageSummaryDocument = graphql(`
  query UsageSummary($tenantKey: String!) {
    usageSummary(tenantKey: $tenantKey) {
      tenantKey periodStart periodEnd
      total { count refused units }
      peakDay { at count refused units }
      peakMinute { at count refused units }
      quotas {
        apiKey limitName operations period periodStart periodEnd limit used isLive unitsPerHour runsOutAt
      }
    }
  }
`);

export type UsageSummaryData = NonNullable<UsageSummaryQuery['usageSummary']>;
export type QuotaUsage = UsageSummaryData['quotas'][number];

/** Where a tenant stands in its billing period and its quotas, with forecast; null when there is no such tenant. */
export const usageSummaryQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['usage-summary', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(UsageSummaryDocument, { tenantKey }, signal)).usageSummary ?? null,
    refetchInterval: 30_000,
  });
