import { queryOptions } from '@tanstack/react-query';
import dayjs from 'dayjs';
import type { UsageInterval } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { findPeak, lookBack } from '../peak.js';

const LimitPeakDocument = graphql(`
  query LimitPeak(
    $tenantKey: String!, $apiKey: String!, $limitName: String!, $from: DateTime!, $interval: UsageInterval!
  ) {
    usage(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, from: $from, interval: $interval) {
      timeZone series { points { at units refused } }
    }
  }
`);

interface OfLimit {
  tenantKey: string;
  apiKey: string;
  limitName: string;
}

/** What a tenant used of a limit when it used most, in minutes, hours or days; null when there is no such tenant. */
export const peakQuery = ({ tenantKey, apiKey, limitName }: OfLimit, interval: UsageInterval) =>
  queryOptions({
    queryKey: ['limit-peak', tenantKey, apiKey, limitName, interval],
    queryFn: async ({ signal }) => {
      // The point that the beginning lies in counts as a whole.
      const from = dayjs().subtract(lookBack(interval), 'day').add(1, 'minute').toISOString();
      const variables = { tenantKey, apiKey, limitName, from, interval };
      const { usage } = await graphqlRequest(LimitPeakDocument, variables, signal);
      return usage ? { timeZone: usage.timeZone, ...findPeak(usage.series[0]?.points ?? []) } : null;
    },
    staleTime: 60_000,
  });
