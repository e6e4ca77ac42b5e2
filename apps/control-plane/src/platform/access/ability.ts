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

export interface Membership {
  tenantId: string;
  tenantKey: string;
  tenantName: string;
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

/** Permissions of a service token; without `tenantKeys` for all tenants. */
export function abilityOfToken(rights: readonly Right[], tenantKeys: readonly string[]): Ability {
  const { can, build } = new AbilityBuilder<Ability>(createMongoAbility);
  for (const right of rights) {
    if (tenantKeys.length === 0) can(...partsOf(right));
    for (const tenantKey of tenantKeys) can(...partsOf(right), { tenantKey });
  }
  return build();
}

export function mayEverywhere(ability: Ability, permission: Permission): boolean {
  // Rules of memberships do not match the empty key.
  return mayIn(ability, permission, '');
}

/** @param tenantKey undefined or empty: the right is required in all tenants */
export function mayIn(ability: Ability, right: Right, tenantKey: string | undefined): boolean {
  const [action, resource] = partsOf(right);
  return ability.can(action, subject(resource, { tenantKey: tenantKey ?? '' }));
}

export function maySomewhere(ability: Ability, permission: Permission): boolean {
  return ability.can(...partsOf(permission));
}

/** Whether the ability has rules for this tenant. */
export function mayAnythingIn(ability: Ability, tenantKey: string): boolean {
  return ability.rules.some(({ conditions }) => conditions?.tenantKey === tenantKey);
}

export function permissionsOf(ability: Ability): Permission[] {
  return PERMISSIONS.filter((permission) => mayEverywhere(ability, permission));
}

function partsOf(right: Right): [action: string, resource: string] {
  const [resource, action] = right.split(':') as [string, string];
  return [action, resource];
}
