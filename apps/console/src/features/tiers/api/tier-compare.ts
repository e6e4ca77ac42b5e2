import { queryOptions } from '@tanstack/react-query';
import type { TierCompareQuery, TierVersionRef } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { readLimit } from '../../../lib/limit-fields.js';
import { tiersQuery } from './tiers.js';

const TierCompareDocument = graphql(`
  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {
    tierCompare(a: $a, b: $b) {
      loosened tightened
      limits {
        apiKey name kind loosened tightened
        before { ...LimitFields }
        after { ...LimitFields }
      }
    }
  }
`);

/** In what two versions differ, each limit with its policies; null when one of them is not there. */
export const tierCompareQuery = (a: TierVersionRef, b: TierVersionRef) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, 'compare', a, b],
    queryFn: async ({ signal }) => {
      const { tierCompare } = await graphqlRequest(TierCompareDocument, { a, b }, signal);
      return tierCompare ? readComparison(tierCompare) : null;
    },
  });

function readComparison({ limits, ...counts }: NonNullable<TierCompareQuery['tierCompare']>) {
  return {
    ...counts,
    before: limits.flatMap(({ before }) => (before ? [readLimit(before).policy] : [])),
    after: limits.flatMap(({ after }) => (after ? [readLimit(after).policy] : [])),
  };
}
