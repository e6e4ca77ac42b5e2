import { queryOptions } from '@tanstack/react-query';
import type { ApisForMatrixQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const ApisForMatrixDocument = graphql(`
  query ApisForMatrix {
    apis(first: 100) { nodes { id key name operations { id name } } }
  }
`);

export type ApiInMatrix = ApisForMatrixQuery['apis']['nodes'][number];

/** The first hundred APIs with the names of their operations. */
export const apisForMatrixQuery = queryOptions({
  queryKey: ['apis', 'matrix'],
  queryFn: async ({ signal }) => (await graphqlRequest(ApisForMatrixDocument, {}, signal)).apis.nodes,
});
