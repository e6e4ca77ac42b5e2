import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const ApiDocument = graphql(`
  query Api($key: String!) {
    api(key: $key) {
      id key name description unknownOperations version createdAt
      operations { id name description cost }
    }
    tiers(first: 100) {
      nodes { id key name rank published { id limits { id name apiKey operations per limit windowMs summary } } }
    }
  }
`);

/** One API, and what each tier's published version allows on it; `api` is null when there is none. */
export const apiQuery = (key: string) =>
  queryOptions({
    queryKey: ['apis', key],
    queryFn: async ({ signal }) => {
      const { api, tiers } = await graphqlRequest(ApiDocument, { key }, signal);
      return { api: api ?? null, tiers: tiers.nodes };
    },
  });
