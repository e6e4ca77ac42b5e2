import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { everyPage } from '../../../lib/every-page.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const ScopeApisDocument = graphql(`
  query ScopeApis($first: Int!, $after: String) {
    apis(first: $first, after: $after) {
      totalCount nodes { key defaultLimits { name } } pageInfo { hasNextPage endCursor }
    }
  }
`);

const ScopeTiersDocument = graphql(`
  query ScopeTiers($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      nodes { key name archivedAt published { limits { name apiKey } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** What an offer can be about: APIs with the names of their limits in any published tier, and tiers. */
export const scopeChoicesQuery = queryOptions({
  queryKey: ['offer-scope'],
  queryFn: async ({ signal }) => {
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
      tiers: tiers.filter(({ archivedAt }) => archivedAt == null).map(({ key, name }) => ({ key, name })),
    };
  },
  staleTime: 30_000,
});
