import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ApiKeyCreateInput,
  ApiKeyRevokeInput,
  ApiKeyRotateInput,
  ApiKeysQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

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

const ApiKeyCreateDocument = graphql(`
  mutation ApiKeyCreate($input: ApiKeyCreateInput!) {
    apiKeyCreate(input: $input) { key userErrors { code field message } }
  }
`);

const ApiKeyRotateDocument = graphql(`
  mutation ApiKeyRotate($input: ApiKeyRotateInput!) {
    apiKeyRotate(input: $input) { key userErrors { code field message } }
  }
`);

const ApiKeyRevokeDocument = graphql(`
  mutation ApiKeyRevoke($input: ApiKeyRevokeInput!) {
    apiKeyRevoke(input: $input) { userErrors { code field message } }
  }
`);

const apiKeysKey = ['api-keys'] as const;

export type ApiKeyRow = ApiKeysQuery['apiKeys']['nodes'][number];

/** API keys of a tenant, newest first, page after page; the keys themselves are never stored. */
export const apiKeysQuery = (tenantKey: string) =>
  infiniteQueryOptions({
    queryKey: [...apiKeysKey, tenantKey],
    queryFn: async ({ pageParam, signal }) =>
      (await graphqlRequest(ApiKeysDocument, { tenantKey, first: 50, after: pageParam }, signal)).apiKeys,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });

/** The same as a script would ask. */
export function apiKeyCreateCall(input: ApiKeyCreateInput): MutationCall {
  return { mutation: 'apiKeyCreate', inputType: 'ApiKeyCreateInput', input, selection: 'key' };
}

/** The same as a script would ask. */
export function apiKeyRotateCall(input: ApiKeyRotateInput): MutationCall {
  return { mutation: 'apiKeyRotate', inputType: 'ApiKeyRotateInput', input, selection: 'key' };
}

/** The same as a script would ask. */
export function apiKeyRevokeCall(input: ApiKeyRevokeInput): MutationCall {
  return { mutation: 'apiKeyRevoke', inputType: 'ApiKeyRevokeInput', input };
}

/** Issues a key; it resolves with the key itself, which no later request can bring back. */
export function useApiKeyCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ApiKeyCreateInput) => {
      const { apiKeyCreate } = await graphqlRequest(ApiKeyCreateDocument, { input });
      throwUserErrors(apiKeyCreate);
      return keyOf(apiKeyCreate);
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: apiKeysKey }),
  });
}

/** Gives a key a new secret; it resolves with the new key, which is shown once. */
export function useApiKeyRotate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ApiKeyRotateInput) => {
      const { apiKeyRotate } = await graphqlRequest(ApiKeyRotateDocument, { input });
      throwUserErrors(apiKeyRotate);
      return keyOf(apiKeyRotate);
    },
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: apiKeysKey }),
  });
}

/** Ends a key for good. */
export function useApiKeyRevoke() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: ApiKeyRevokeInput) => {
      throwUserErrors((await graphqlRequest(ApiKeyRevokeDocument, { input })).apiKeyRevoke);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: apiKeysKey }),
  });
}

function keyOf({ key }: { key?: string | null }): string {
  if (!key)
    throw new Error(
      'The key was created, but the response does not contain it. Revoke it and create another.',
    );
  return key;
}
