import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ApiCreateInput,
  ApiDeleteInput,
  ApiQuery,
  ApiUpdateInput,
  DiscoveredOperationsQuery,
  OperationCreateInput,
  OperationDeleteInput,
  OperationUpdateInput,
  PoolCreateInput,
  PoolDeleteInput,
  PoolsLiveQuery,
  PoolUpdateInput,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import { readLimit, readLimits } from '../../lib/limit-fields.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const ApisDocument = graphql(`
  query Apis {
    apis(first: 100) {
      totalCount
      nodes { id key name description unknownOperations operations { id name cost } }
    }
  }
`);

/** The first hundred APIs with their operations. */
export const apisQuery = queryOptions({
  queryKey: ['apis'],
  queryFn: async ({ signal }) => (await graphqlRequest(ApisDocument, {}, signal)).apis,
});

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
      pools { id live { capacity admitted borrowed spare borrowers nodes } }
    }
  }
`);

const EVERY_MS = 1_000;

export type PoolLive = NonNullable<PoolsLiveQuery['api']>['pools'][number]['live'];

/** Pool usage of an API by pool ID; refetched every second. */
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

const DiscoveredOperationsDocument = graphql(`
  query DiscoveredOperations($apiKey: String) {
    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }
  }
`);

export type DiscoveredOperation = DiscoveredOperationsQuery['discoveredOperations'][number];

/** Operations that services request and no limit covers; of one API, or of all. */
export const discoveredOperationsQuery = (apiKey: string | null) =>
  queryOptions({
    queryKey: ['discovered-operations', apiKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(DiscoveredOperationsDocument, { apiKey }, signal)).discoveredOperations,
    staleTime: 30_000,
  });

const ApiCreateDocument = graphql(`
  mutation ApiCreate($input: ApiCreateInput!) {
    apiCreate(input: $input) { api { id key } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function apiCreateCall(input: ApiCreateInput): MutationCall {
  return { mutation: 'apiCreate', inputType: 'ApiCreateInput', input, selection: 'api { id key }' };
}

/** Registers an API. Fails with UserErrorsError when the input is refused. */
export function useApiCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ApiCreateInput) => {
      const { apiCreate } = await graphqlRequest(ApiCreateDocument, { input });
      throwUserErrors(apiCreate);
      return apiCreate.api;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apisQuery.queryKey }),
  });
}

const ApiUpdateDocument = graphql(`
  mutation ApiUpdate($input: ApiUpdateInput!) {
    apiUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const ApiDeleteDocument = graphql(`
  mutation ApiDelete($input: ApiDeleteInput!) {
    apiDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationCreateDocument = graphql(`
  mutation OperationCreate($input: OperationCreateInput!) {
    operationCreate(input: $input) { impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationUpdateDocument = graphql(`
  mutation OperationUpdate($input: OperationUpdateInput!) {
    operationUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const OperationDeleteDocument = graphql(`
  mutation OperationDelete($input: OperationDeleteInput!) {
    operationDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolCreateDocument = graphql(`
  mutation PoolCreate($input: PoolCreateInput!) {
    poolCreate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolUpdateDocument = graphql(`
  mutation PoolUpdate($input: PoolUpdateInput!) {
    poolUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const PoolDeleteDocument = graphql(`
  mutation PoolDelete($input: PoolDeleteInput!) {
    poolDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

/** Mutations of an API and its parts; each invalidates APIs unless it is a dry run. */
export function useApiChanges() {
  const queryClient = useQueryClient();
  const debounced = async <T extends object>(dryRun: boolean | null | undefined, outcome: T): Promise<T> => {
    if (dryRun) return outcome;
    await Promise.all(
      [apisQuery.queryKey, ['discovered-operations']].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
    return outcome;
  };
  return {
    apiUpdate: async (input: ApiUpdateInput) =>
      debounced(input.dryRun, (await graphqlRequest(ApiUpdateDocument, { input })).apiUpdate),
    apiDelete: async (input: ApiDeleteInput) =>
      debounced(input.dryRun, (await graphqlRequest(ApiDeleteDocument, { input })).apiDelete),
    operationCreate: async (input: OperationCreateInput) =>
      debounced(input.dryRun, (await graphqlRequest(OperationCreateDocument, { input })).operationCreate),
    operationUpdate: async (input: OperationUpdateInput) =>
      debounced(input.dryRun, (await graphqlRequest(OperationUpdateDocument, { input })).operationUpdate),
    operationDelete: async (input: OperationDeleteInput) =>
      debounced(input.dryRun, (await graphqlRequest(OperationDeleteDocument, { input })).operationDelete),
    poolCreate: async (input: PoolCreateInput) =>
      debounced(input.dryRun, (await graphqlRequest(PoolCreateDocument, { input })).poolCreate),
    poolUpdate: async (input: PoolUpdateInput) =>
      debounced(input.dryRun, (await graphqlRequest(PoolUpdateDocument, { input })).poolUpdate),
    poolDelete: async (input: PoolDeleteInput) =>
      debounced(input.dryRun, (await graphqlRequest(PoolDeleteDocument, { input })).poolDelete),
  };
}
