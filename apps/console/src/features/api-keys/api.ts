import type { ApiKeysQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { pagedQuery } from '../../lib/graphql-request.js';

export { ApiKeyCreateDocument, ApiKeyRevokeDocument, ApiKeyRotateDocument } from '../../generated/graphql.js';

const ApiKeysDocument = graphql(`
  query ApiKeys($tenantKey: String!, $first: Int!, $after: String) {
    apiKeys(tenantKey: $tenantKey, first: $first, after: $after) {
      totalCount
      nodes {
        id name mode publicId scopes createdAt createdBy expiresAt lastUsedAt revokedAt
        secrets { lastFour endsAt }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const apiKeysKey = ['api-keys'] as const;

export type ApiKeyRow = ApiKeysQuery['apiKeys']['nodes'][number];

/** API keys of a tenant, newest first; the keys themselves are never stored. */
export const apiKeysQuery = (tenantKey: string) =>
  pagedQuery([...apiKeysKey, tenantKey], ApiKeysDocument, { tenantKey, first: 50 });
