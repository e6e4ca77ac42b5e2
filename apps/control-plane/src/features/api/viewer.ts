import { Args, ObjectType, Query, Resolver, registerEnumType } from '@nestjs/graphql';
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
import { field, ObjectOf } from '../../platform/graphql/object-of.js';
import { MemberRole, OperatorRole } from '../../platform/prisma/schema.js';

registerEnumType(OperatorRole, {
  name: 'OperatorRole',
  description: 'Role of an operator.',
  valuesMap: {
    OWNER: { description: 'Full access.' },
    LIMITS_ADMIN: { description: 'Manages APIs, tiers and limits.' },
    SUPPORT: { description: 'Manages tenants.' },
    BILLING: { description: 'Manages subscriptions, purchases and offers.' },
    AUDITOR: { description: 'Reads everything, changes nothing.' },
    VIEWER: { description: 'Reads policy and traffic, changes nothing.' },
  },
});

@ObjectType({ description: 'Membership of the viewer in a tenant.' })
export class ViewerMembership extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  tenantName: field.string('Name of the tenant.'),
  role: field.of(() => MemberRole, 'Role in the tenant.'),
  permissions: field.string('Permissions in this tenant, such as `api-keys:write`.').list(),
}) {}

@ObjectType({ description: 'Roles that have a permission.' })
export class PermissionRoles extends ObjectOf({
  permission: field.string('The permission, such as `tiers:write`.'),
  operatorRoles: field.of(() => OperatorRole, 'Operator roles that have it for all tenants.').list(),
  memberRoles: field.of(() => MemberRole, 'Member roles that have it in their tenant.').list(),
}) {}

@ObjectType({ description: 'Roles and scopes that the caller may grant.' })
export class Grantable extends ObjectOf({
  operatorRoles: field.of(() => OperatorRole, 'Operator roles.').list(),
  memberRoles: field.of(() => MemberRole, 'Member roles of the tenant; empty without `tenantKey`.').list(),
  scopes: field.string('Scopes of service tokens for all tenants.').list(),
}) {}

@ObjectType({ description: 'The caller of this request.' })
export class Viewer extends ObjectOf({
  id: field.id('Id of the user or service token.'),
  name: field.string('Name.'),
  email: field.string('Email address; null for a service token.').nullable(),
  role: field.of(() => OperatorRole, 'Role as an operator; null for others.').nullable(),
  permissions: field.string('Permissions for all tenants, such as `tiers:write`.').list(),
  memberships: field.of(() => ViewerMembership, 'Memberships of the viewer, by tenant key.').list(),
}) {}

@ObjectType({ description: 'Public information about this installation.' })
export class Installation extends ObjectOf({
  decisionUrl: field
    .string('URL of the decision API for services and tenants; null if not configured.')
    .nullable(),
  signUp: field.boolean('Whether sign-up of tenants is open.'),
  undoSeconds: field.int('How long the console offers to undo a change, in seconds.'),
}) {}

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
    const { decisionUrl = null, signUpTier, undoSeconds } = this.config;
    return { decisionUrl, signUp: signUpTier !== undefined, undoSeconds };
  }
}
