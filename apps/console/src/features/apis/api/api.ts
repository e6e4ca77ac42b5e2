import { queryOptions } from '@tanstack/react-query';
import type { ApiQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { everyPage } from '../../../lib/every-page.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { readLimit, readLimits } from '../../../lib/limit-fields.js';

const ApiDocument = graphql(`
  query Api($key: String!) {
    api(key: $key) {
      id key name description unknownOperations headerStyles tags managedBy version createdAt
      operations { id name description cost priority }
      pools { id name operations capacity reclaimPercent }
      defaultLimits { ...LimitFields }
    }
  }
`);

const TiersOfApiDocument = graphql(`
  query TiersOfApi($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id key name rank published { id limits { ...LimitFields } } }
    }
  }
`);

export type ApiDetail = ReturnType<typeof readApi>;
export type OperationDetail = ApiDetail['operations'][number];
export type PoolDetail = ApiDetail['pools'][number];

/** One API, and what each tier's published version allows on it; `api` is null when there is none. */
export const apiQuery = (key: string) =>
  queryOptions({
    queryKey: ['apis', key],
    queryFn: async ({ signal }) => {
      const [{ api }, tiers] = await Promise.all([
        graphqlRequest(ApiDocument, { key }, signal),
        everyPage(async (page) => (await graphqlRequest(TiersOfApiDocument, page, signal)).tiers),
      ]);
      return {
        api: api ? readApi(api) : null,
        tiers: tiers.map((tier) => ({ ...tier, published: tier.published && readLimits(tier.published) })),
      };
    },
  });

export type TierOnApi = Awaited<
  ReturnType<NonNullable<ReturnType<typeof apiQuery>['queryFn']>>
>['tiers'][number];

function readApi({ defaultLimits, ...api }: NonNullable<ApiQuery['api']>) {
  return { ...api, defaultLimits: defaultLimits.map(readLimit) };
}
