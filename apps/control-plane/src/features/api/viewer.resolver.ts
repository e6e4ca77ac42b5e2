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
    description: 'Every permission with the roles that have it: what to tell somebody who lacks one.',
  })
  listPermissionRoles(): PermissionRoles[] {
    return PERMISSIONS.map((permission) => ({ permission, ...rolesWith(permission) }));
  }

  @RequireSignIn()
  @Query(() => Grantable, {
    name: 'grantable',
    description: 'Roles and scopes that the caller may grant: those whose rights the caller holds.',
  })
  listGrantable(
    @CurrentCaller() { actor }: Caller,
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant that `memberRoles` are for.',
    })
    tenantKey?: string | null,
  ): Grantable {
    return grantableBy(actor, tenantKey ?? undefined);
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

@Resolver(() => Installation)
export class InstallationResolver {
  constructor(private readonly config: AppConfig) {}

  /** Anonymous: the sign-in page has to know whether to offer a sign-up. */
  @Anonymous()
  @Query(() => Installation, {
    name: 'installation',
    description: 'What everybody may know of this installation, signed in or not.',
  })
  get(): Installation {
    const { decisionUrl = null, signUpTier } = this.config;
    return { decisionUrl, signUp: signUpTier !== undefined };
  }
}
