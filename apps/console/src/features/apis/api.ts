import { queryOptions } from '@tanstack/react-query';
import type { ApiQuery, DiscoveredOperationsQuery, PoolsLiveQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { readLimit, readLimits } from '../../lib/limit-fields.js';

export {
  ApiCreateDocument,
  ApiDeleteDocument,
  ApiUpdateDocument,
  OperationCreateDocument,
  OperationDeleteDocument,
  OperationUpdateDocument,
  PoolCreateDocument,
  PoolDeleteDocument,
  PoolUpdateDocument,
} from '../../generated/graphql.js';

const ApisDocument = graphql(`
  query Apis {
    apis(first: 100) {
      totalCount
      nodes { id key name description unknownOperations operations { id name cost } }
    }
  }
`);

/** The first hundred APIs with their operations. */
export const apisQuery = fieldQuery(['apis'], ApisDocument, {});

const ApiDocument = graphql(`
  query Api($key: String!) {
    api(key: $key) {
      id key name description unknownOperations headerStyles tags managedBy version createdAt
      operations { id name description cost priority }
      pools { id name operations capacity reclaimPercent warmUp { ms startPercent } }
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

/** One API with each tier's published limits; `api` is null when it does not exist. */
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

const PoolsLiveDocument = graphql(`
  query PoolsLive($key: String!) {
    api(key: $key) {
      id
      pools { id live { capacity admitted borrowed spare borrowers nodes warmUpLeftMs } }
    }
  }
`);

export type PoolLive = NonNullable<PoolsLiveQuery['api']>['pools'][number]['live'];

/** Pool usage of an API by pool ID; refetched every second. */
export const poolsLiveQuery = (key: string) =>
  queryOptions({
    queryKey: ['pools-live', key],
    queryFn: async ({ signal }) => {
      const { api } = await graphqlRequest(PoolsLiveDocument, { key }, signal);
      return new Map(api?.pools.map(({ id, live }) => [id, live ?? null]) ?? []);
    },
    refetchInterval: 1_000,
    staleTime: 0,
  });

const DiscoveredOperationsDocument = graphql(`
  query DiscoveredOperations($apiKey: String) {
    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }
  }
`);

const discoveredKey = ['discovered-operations'] as const;

/** Query keys that a change of an API invalidates. */
export const API_KEYS = [apisQuery.queryKey, discoveredKey];

export type DiscoveredOperation = DiscoveredOperationsQuery['discoveredOperations'][number];

/** Requested operations that no limit covers, of one API or of all. */
export const discoveredOperationsQuery = (apiKey: string | null) =>
  queryOptions({
    ...fieldQuery([...discoveredKey, apiKey], DiscoveredOperationsDocument, { apiKey }),
    staleTime: 30_000,
  });
