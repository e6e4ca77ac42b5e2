import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const LimitCrossingsDocument = graphql(`
  query LimitCrossings($tenantKey: String!, $first: Int!) {
    limitCrossings(tenantKey: $tenantKey, first: $first) {
      totalCount
      nodes { id apiKey limitName counter percent used capacity at }
    }
  }
`);

const SHOWN = 20;

/** The newest thresholds that a tenant's limits reached. */
export const limitCrossingsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['limit-crossings', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(LimitCrossingsDocument, { tenantKey, first: SHOWN }, signal)).limitCrossings,
    refetchInterval: 30_000,
  });
