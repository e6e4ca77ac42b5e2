import { queryOptions } from '@tanstack/react-query';
import type { RunningOutQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const RunningOutDocument = graphql(`
  query RunningOut($first: Int!) {
    runningOut(hours: 24, first: $first) {
      tenantKey tenantName timeZone
      quota { apiKey limitName period periodEnd limit used runsOutAt isLive }
    }
  }
`);

export type RunningOut = RunningOutQuery['runningOut'][number];

const SHOWN = 8;

/** Quotas that will be used up within a day, the soonest first; asked again twice a minute, as it adds up much. */
export const runningOutQuery = queryOptions({
  queryKey: ['running-out'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(RunningOutDocument, { first: SHOWN }, signal)).runningOut,
  refetchInterval: 30_000,
});
