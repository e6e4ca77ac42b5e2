import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const BulkChoicesDocument = graphql(`
  query BulkChoices {
    tiers(first: 100) { nodes { id key name rank published { id } } }
    apis(first: 100) { nodes { id key name } }
  }
`);

/** Tiers that tenants may be moved to, lowest rank first, and APIs by name. */
export const bulkChoicesQuery = queryOptions({
  queryKey: ['bulk-choices'],
  queryFn: async ({ signal }) => {
    const { tiers, apis } = await graphqlRequest(BulkChoicesDocument, {}, signal);
    const choice = ({ key, name }: { key: string; name: string }) => ({ value: key, label: name });
    return {
      tiers: tiers.nodes
        .filter(({ published }) => published)
        .sort((a, b) => a.rank - b.rank)
        .map(choice),
      apis: apis.nodes.map(choice),
    };
  },
});
