import { Args, Query, Resolver } from '@nestjs/graphql';
import { AppConfig } from '../../config/app-config.js';
import { permissionsOf } from '../../platform/access/ability.js';
import type { Caller } from '../../platform/access/actor.js';
import { grantableBy } from '../../platform/access/grants.js';
import { MEMBER_PERMISSIONS, PERMISSIONS, rolesWith } from '../../platform/access/permissions.js';
import {
  Anonymous,
  CurrentCaller,
  RequireSignIn,
} from '../../platform/access/require-permission.decorator.js';
import { Grantable, Installation, PermissionRoles, Viewer } from './viewer.graphql.js';

@Resolver(() => Viewer)
export class ViewerResolver {
  @RequireSignIn()
  @Query(() => [PermissionRoles], {
    name: 'permissionRoles',
    description: 'All permissions with the roles that have them.',
  })
  listPermissionRoles(): PermissionRoles[] {
    return PERMISSIONS.map((permission) => ({ permission, ...rolesWith(permission) }));
  }

  @RequireSignIn()
  @Query(() => Grantable, {
    name: 'grantable',
    description:
      'Roles and scopes that the caller may grant. The caller must hold every permission of a role or scope.',
  })
  listGrantable(
    @CurrentCaller() { actor }: Caller,
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant for `memberRoles`.',
    })
    tenantKey?: string | null,
  ): Grantable {
    return grantableBy(actor, tenantKey ?? undefined);
  }

  @RequireSignIn()
  @Query(() => Viewer, { name: 'viewer', description: 'The caller and their permissions.' })
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

@Resolver(() => Installation)
export class InstallationResolver {
  constructor(private readonly config: AppConfig) {}

  /** Anonymous: the sign-in page shows a sign-up link only if sign-up is open. */
  @Anonymous()
  @Query(() => Installation, {
    name: 'installation',
    description: 'Public information about this installation.',
  })
  get(): Installation {
    const { decisionUrl = null, signUpTier } = this.config;
    return { decisionUrl, signUp: signUpTier !== undefined };
  }
}
