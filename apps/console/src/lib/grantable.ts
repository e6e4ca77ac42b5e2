import { queryOptions, useQuery } from '@tanstack/react-query';
import { graphql } from '../generated/index.js';
import { graphqlRequest } from './graphql-request.js';

const GrantableDocument = graphql(`
  query Grantable($tenantKey: String) {
    grantable(tenantKey: $tenantKey) { memberRoles operatorRoles scopes }
  }
`);

const grantableQuery = (tenantKey?: string) =>
  queryOptions({
    queryKey: ['grantable', tenantKey ?? ''],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(GrantableDocument, { tenantKey: tenantKey ?? null }, signal)).grantable,
    staleTime: 60_000,
  });

/** Whether the viewer holds the rights of a role or scope and may grant it. Yes while that is loading: the server decides. */
export function useMayGrant(
  kind: 'memberRoles' | 'operatorRoles' | 'scopes',
  tenantKey?: string,
): (name: string) => boolean {
  const { data } = useQuery(grantableQuery(tenantKey));
  return (name) => data === undefined || (data[kind] as readonly string[]).includes(name);
}
