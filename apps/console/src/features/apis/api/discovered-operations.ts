import { queryOptions } from '@tanstack/react-query';
import type { DiscoveredOperationsQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const DiscoveredOperationsDocument = graphql(`
  query DiscoveredOperations($apiKey: String) {
    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }
  }
`);

export type DiscoveredOperation = DiscoveredOperationsQuery['discoveredOperations'][number];

/** What services ask for and nothing limits; of one API, or of all. */
export const discoveredOperationsQuery = (apiKey: string | null) =>
  queryOptions({
    queryKey: ['discovered-operations', apiKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(DiscoveredOperationsDocument, { apiKey }, signal)).discoveredOperations,
    staleTime: 30_000,
  });
