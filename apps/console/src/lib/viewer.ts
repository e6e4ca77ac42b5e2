import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PermissionRolesQuery, ViewerQuery } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { capital } from './effect-text.js';
import { graphqlRequest, requestOnce } from './graphql-request.js';
import { OPERATOR_ROLE_TEXT } from './labels.js';
import { setSessionUser } from './session.js';

/** A permission of the control plane, `resource:action`. */
export type Permission = `${string}:${'read' | 'write' | 'approve' | 'decide' | 'rollback'}`;

const PermissionRolesDocument = graphql(`
  query PermissionRoles {
    permissionRoles { permission operatorRoles }
  }
`);

const rolesOf = (all: PermissionRolesQuery['permissionRoles']) =>
  new Map(all.map(({ permission, operatorRoles }) => [permission, operatorRoles]));

/** Roles by permission; they change with releases only. The request for the viewer brings them too. */
export const permissionRolesQuery = queryOptions({
  queryKey: ['permission-roles'],
  queryFn: async ({ signal }) => {
    const { permissionRoles } = await graphqlRequest(PermissionRolesDocument, {}, signal);
    return rolesOf(permissionRoles);
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** `An Owner or a Limits admin`, to be followed by “can”. */
export function nameRoles(roles: readonly string[]): string {
  const names: Readonly<Record<string, string>> = OPERATOR_ROLE_TEXT;
  const named = roles.map((role) => names[role] ?? role);
  return capital(named.map((name) => (/^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or '));
}

const ViewerDocument = graphql(`
  query Viewer {
    viewer { id name email role permissions memberships { tenantKey tenantName role permissions } }
    permissionRoles { permission operatorRoles }
  }
`);

const PERMISSIONS = 'tollgate-permissions';

/** Permissions of this browser's last viewer as an operator; only to draw the navigation before the viewer is known. */
export const rememberedPermissions = (): ReadonlySet<string> =>
  new Set(localStorage.getItem(PERMISSIONS)?.split(' '));

/** The signed-in user; fails with UNAUTHENTICATED without a session. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal, client }) => {
    const { viewer, permissionRoles } = await graphqlRequest(ViewerDocument, {}, signal);
    setSessionUser(viewer);
    client.setQueryData(permissionRolesQuery.queryKey, rolesOf(permissionRoles));
    localStorage.setItem(PERMISSIONS, viewer.permissions.join(' '));
    return viewer;
  },
  staleTime: 60_000,
});

/** The viewer, without asking to sign in. */
export const readViewer = async (signal: AbortSignal): Promise<Viewer> =>
  (await requestOnce(ViewerDocument, {}, signal)).viewer;

export type Viewer = ViewerQuery['viewer'];

export interface Allowance {
  allowed: boolean;
  /** For a disabled button: why, and who can. Undefined when allowed. */
  why: string | undefined;
}

/**
 * Whether the viewer has a permission. False without a reason while the viewer is loading.
 * @param tenantKey also considers the viewer's membership in this tenant
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
  return { allowed: false, why: `Your role cannot do this.${can}` };
}

/** As a member and as an operator; empty while loading. */
export function useTenantPermissions(tenantKey: string): ReadonlySet<string> {
  const { data: viewer } = useQuery(viewerQuery);
  const membership = viewer?.memberships.find((one) => one.tenantKey === tenantKey);
  return new Set([...(viewer?.permissions ?? []), ...(membership?.permissions ?? [])]);
}

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

/** Whether the viewer may grant a role or scope. True while loading: the server decides. */
export function useMayGrant(
  kind: 'memberRoles' | 'operatorRoles' | 'scopes',
  tenantKey?: string,
): (name: string) => boolean {
  const { data } = useQuery(grantableQuery(tenantKey));
  return (name) => data === undefined || (data[kind] as readonly string[]).includes(name);
}
