import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../generated/index.js';
import { graphqlRequest } from './graphql-request.js';

/** A permission of the control plane, `resource:action`. */
export type Permission = `${string}:${'read' | 'write' | 'approve' | 'decide' | 'rollback'}`;

const PermissionRolesDocument = graphql(`
  query PermissionRoles {
    permissionRoles { permission operatorRoles }
  }
`);

/** Which roles have which permission, by permission; it changes with releases only. */
export const permissionRolesQuery = queryOptions({
  queryKey: ['permission-roles'],
  queryFn: async ({ signal }) => {
    const { permissionRoles } = await graphqlRequest(PermissionRolesDocument, {}, signal);
    return new Map(permissionRoles.map(({ permission, operatorRoles }) => [permission, operatorRoles]));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** `An Owner or a Limits admin`, to be followed by “can”. */
export function nameRoles(roles: readonly string[]): string {
  const named = roles.map(roleName).map((role) => (/^[AEIOU]/.test(role) ? `an ${role}` : `a ${role}`));
  const text = named.join(' or ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `LIMITS_ADMIN` as people read it: `Limits admin`. */
function roleName(role: string): string {
  const words = role.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
