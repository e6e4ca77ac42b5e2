import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

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
