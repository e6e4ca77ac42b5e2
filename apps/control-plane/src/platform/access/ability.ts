import { AbilityBuilder, createMongoAbility, type MongoAbility, subject } from '@casl/ability';
import type { MemberRole, OperatorRole } from '@tollgate/database';
import {
  EVERYONES_PERMISSIONS,
  MEMBER_PERMISSIONS,
  PERMISSIONS,
  type Permission,
  type Right,
  rightsOfOperator,
} from './permissions.js';

/** A person's place in a tenant. */
export interface Membership {
  tenantId: string;
  tenantKey: string;
  role: MemberRole;
}

/** CASL's view of the permissions: `tiers:write` is the action `write` on the subject `tiers`. */
export type Ability = MongoAbility;

/**
 * Permissions of a person: an operator's role applies to all tenants, a member's role to one tenant. Guards and
 * console use the same rules.
 */
export function abilityOf(role: OperatorRole | null, memberships: readonly Membership[]): Ability {
  const { can, build } = new AbilityBuilder<Ability>(createMongoAbility);
  const rights = role === null ? EVERYONES_PERMISSIONS : rightsOfOperator(role);
  for (const right of rights) can(...partsOf(right));
  for (const { tenantKey, role } of memberships) {
    for (const permission of MEMBER_PERMISSIONS[role]) can(...partsOf(permission), { tenantKey });
  }
  return build();
}

/** Permissions of a service token, for all tenants or the listed ones. */
export function abilityOfToken(rights: readonly Right[], tenantKeys: readonly string[]): Ability {
  const { can, build } = new AbilityBuilder<Ability>(createMongoAbility);
  for (const right of rights) {
    if (tenantKeys.length === 0) can(...partsOf(right));
    for (const tenantKey of tenantKeys) can(...partsOf(right), { tenantKey });
  }
  return build();
}

/** Whether it holds over all tenants. */
export function mayEverywhere(ability: Ability, permission: Permission): boolean {
  // A subject of no tenant: rules of memberships ask for one and do not match it.
  return mayIn(ability, permission, '');
}

/** Whether it holds in the tenant of this key. */
export function mayIn(ability: Ability, permission: Permission, tenantKey: string): boolean {
  return holdsIn(ability, permission, tenantKey);
}

/** Whether an actor holds a right in the tenant of this key; undefined: everywhere. */
export function holdsIn(ability: Ability, right: Right, tenantKey: string | undefined): boolean {
  const [action, resource] = partsOf(right);
  return ability.can(action, subject(resource, { tenantKey: tenantKey ?? '' }));
}

/** Whether it holds in some tenant at least. */
export function maySomewhere(ability: Ability, permission: Permission): boolean {
  return ability.can(...partsOf(permission));
}

/** Whether anything holds in the tenant of this key that does not hold in every other one. */
export function mayAnythingIn(ability: Ability, tenantKey: string): boolean {
  return ability.rules.some(({ conditions }) => conditions?.tenantKey === tenantKey);
}

/** Permissions that apply to all tenants. */
export function permissionsOf(ability: Ability): Permission[] {
  return PERMISSIONS.filter((permission) => mayEverywhere(ability, permission));
}

function partsOf(right: Right): [action: string, resource: string] {
  const [resource, action] = right.split(':') as [string, string];
  return [action, resource];
}
