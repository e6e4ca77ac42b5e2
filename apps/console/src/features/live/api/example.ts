import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const LiveExampleDocument = graphql(`
  query LiveExample {
    tenants(first: 1, status: ACTIVE) { nodes { key } }
    apis(first: 10) { nodes { key operations { name } } }
  }
`);

/** A tenant, an API and one of its operations that exist, to make an example request of; null while one is missing. */
export const liveExampleQuery = queryOptions({
  queryKey: ['live-example'],
  queryFn: async ({ signal }) => {
    const { tenants, apis } = await graphqlRequest(LiveExampleDocument, {}, signal);
    const tenant = tenants.nodes[0]?.key;
    const api = apis.nodes.find(({ operations }) => operations.length > 0);
    const operation = api?.operations[0]?.name;
    return tenant && api && operation ? { tenant, api: api.key, operation } : null;
  },
});
