import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const DecisionUrlDocument = graphql(`
  query DecisionUrl {
    installation { decisionUrl }
  }
`);

/** Where the decision API is reached; null when nobody has said. */
export const decisionUrlQuery = queryOptions({
  queryKey: ['decision-url'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(DecisionUrlDocument, {}, signal)).installation.decisionUrl ?? null,
  staleTime: Number.POSITIVE_INFINITY,
});
