import { Query, Resolver } from '@nestjs/graphql';
import { permissionsOf } from '../../platform/access/ability.js';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { MEMBER_PERMISSIONS, PERMISSIONS, rolesWith } from '../../platform/access/permissions.js';
import { RequireSignIn } from '../../platform/access/require-permission.decorator.js';
import { PermissionRoles, Viewer } from './viewer.graphql.js';

@Resolver(() => Viewer)
export class ViewerResolver {
  @RequireSignIn()
  @Query(() => [PermissionRoles], {
    name: 'permissionRoles',
    description: 'Every permission with the roles that have it: what to tell somebody who lacks one.',
  })
  listPermissionRoles(): PermissionRoles[] {
    return PERMISSIONS.map((permission) => ({ permission, ...rolesWith(permission) }));
  }

  @RequireSignIn()
  @Query(() => Viewer, { name: 'viewer', description: 'Who is asking, and what they may do.' })
  get(@CurrentCaller() { actor }: Caller): Viewer {
    const { id, name, email, role } = actor;
    return {
      id,
      name,
      email,
      role,
      permissions: permissionsOf(actor.ability),
      memberships: actor.memberships.map((membership) => ({
        ...membership,
        permissions: [...MEMBER_PERMISSIONS[membership.role]],
      })),
    };
  }
}
