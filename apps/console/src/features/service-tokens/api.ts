import { queryOptions } from '@tanstack/react-query';
import type { ServiceTokensQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

export {
  ServiceTokenCreateDocument,
  ServiceTokenRevokeDocument,
  ServiceTokenRotateDocument,
} from '../../generated/graphql.js';

const ServiceTokensDocument = graphql(`
  query ServiceTokens {
    serviceTokens { id name publicId lastFour scopes tenantKeys lastUsedAt replacedById createdAt expiresAt revokedAt }
  }
`);

export type ServiceTokenInList = ServiceTokensQuery['serviceTokens'][number];

/** Service tokens, active ones first; the tokens themselves are never stored. */
export const serviceTokensQuery = queryOptions({
  queryKey: ['service-tokens'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(ServiceTokensDocument, {}, signal)).serviceTokens.toSorted(
      (a, b) =>
        Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt.localeCompare(a.createdAt),
    ),
});
