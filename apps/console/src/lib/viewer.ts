import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ViewerQuery } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { graphqlRequest } from './graphql-request.js';
import { nameRoles, type Permission, permissionRolesQuery } from './permissions.js';

const ViewerDocument = graphql(`
  query Viewer {
    viewer { id name email role permissions memberships { tenantKey role permissions } }
  }
`);

/** Who is signed in; fails with UNAUTHENTICATED when nobody is. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }) => (await graphqlRequest(ViewerDocument, {}, signal)).viewer,
  staleTime: 60_000,
});

export type Viewer = ViewerQuery['viewer'];

export interface Allowance {
  allowed: boolean;
  /** For a disabled button: why, and who can. Undefined when allowed. */
  why: string | undefined;
}

/**
 * Whether the viewer may do something. While the viewer is loading the answer is no, without a reason.
 * @param tenantKey where it is done in a tenant: what the viewer may as one of its people counts too
 */
export function usePermission(permission: Permission, tenantKey?: string): Allowance {
  const { data: viewer } = useQuery(viewerQuery);
  const { data: roles } = useQuery(permissionRolesQuery);
  if (!viewer) return { allowed: false, why: undefined };
  const membership = viewer.memberships.find((one) => one.tenantKey === tenantKey);
  const granted = [...viewer.permissions, ...(membership?.permissions ?? [])];
  if (granted.includes(permission)) return { allowed: true, why: undefined };
  const who = roles?.get(permission) ?? [];
  const can = who.length === 0 ? '' : ` ${nameRoles(who)} can.`;
  return { allowed: false, why: `Your role may not do this.${can}` };
}

/** What the viewer may do in a tenant: as one of its people, and as an operator. Nothing while that is loading. */
export function useTenantPermissions(tenantKey: string): ReadonlySet<string> {
  const { data: viewer } = useQuery(viewerQuery);
  const membership = viewer?.memberships.find((one) => one.tenantKey === tenantKey);
  return new Set([...(viewer?.permissions ?? []), ...(membership?.permissions ?? [])]);
}
