import { queryOptions } from '@tanstack/react-query';
import type { PoolsLiveQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const PoolsLiveDocument = graphql(`
  query PoolsLive($key: String!) {
    api(key: $key) {
      id
      pools { id live { capacity admitted borrowed spare borrowers nodes } }
    }
  }
`);

const EVERY_MS = 1_000;

export type PoolLive = NonNullable<PoolsLiveQuery['api']>['pools'][number]['live'];

/** How the pools of an API are drawn on, by their ids, each second anew. */
export const poolsLiveQuery = (key: string) =>
  queryOptions({
    queryKey: ['pools-live', key],
    queryFn: async ({ signal }) => {
      const { api } = await graphqlRequest(PoolsLiveDocument, { key }, signal);
      return new Map(api?.pools.map(({ id, live }) => [id, live ?? null]) ?? []);
    },
    refetchInterval: EVERY_MS,
    staleTime: 0,
  });
