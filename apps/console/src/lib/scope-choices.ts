import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../generated/index.js';
import { everyPage, graphqlRequest } from './graphql-request.js';

const ScopeApisDocument = graphql(`
  query ScopeApis($first: Int!, $after: String) {
    apis(first: $first, after: $after) {
      totalCount nodes { key name defaultLimits { name } } pageInfo { hasNextPage endCursor }
    }
  }
`);

const ScopeTiersDocument = graphql(`
  query ScopeTiers($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      nodes { key name rank archivedAt published { limits { name apiKey } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export interface ScopeChoices {
  apis: ReadonlyArray<{ key: string; name: string }>;
  /** Limit names by API key. */
  limitsByApi: ReadonlyMap<string, string[]>;
  /** Without archived tiers. */
  tiers: ReadonlyArray<{ key: string; name: string; isPublished: boolean }>;
}

/** APIs with the limit names of all published tiers, and tiers by rank, for pickers. */
export const scopeChoicesQuery = queryOptions({
  queryKey: ['scope-choices'],
  queryFn: async ({ signal }): Promise<ScopeChoices> => {
    const [apis, tiers] = await Promise.all([
      everyPage(async (page) => (await graphqlRequest(ScopeApisDocument, page, signal)).apis),
      everyPage(async (page) => (await graphqlRequest(ScopeTiersDocument, page, signal)).tiers),
    ]);
    const limits = new Map(
      apis.map(({ key, defaultLimits }) => [key, new Set(defaultLimits.map(({ name }) => name))]),
    );
    for (const { published } of tiers)
      for (const { name, apiKey } of published?.limits ?? []) limits.get(apiKey)?.add(name);
    return {
      limitsByApi: new Map([...limits].map(([key, names]) => [key, [...names].sort()])),
      apis: apis.map(({ key, name }) => ({ key, name })),
      tiers: tiers
        .filter(({ archivedAt }) => archivedAt == null)
        .sort((a, b) => a.rank - b.rank)
        .map(({ key, name, published }) => ({ key, name, isPublished: published != null })),
    };
  },
  staleTime: 30_000,
});
