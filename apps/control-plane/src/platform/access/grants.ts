import { type UserError, UserErrorCode } from '../graphql/mutation.graphql.js';
import { MemberRole, OperatorRole } from '../prisma/schema.js';
import { mayIn } from './ability.js';
import type { Actor } from './actor.js';
import {
  MEMBER_PERMISSIONS,
  type Permission,
  type Right,
  rightsOfOperator,
  rightsOfScopes,
  TOKEN_SCOPES,
} from './permissions.js';

export interface Grant {
  rights: readonly Right[];
  /** Empty: all tenants. */
  tenantKeys: readonly string[];
}

export const memberGrant = (role: MemberRole, tenantKey: string): Grant => ({
  rights: MEMBER_PERMISSIONS[role],
  tenantKeys: [tenantKey],
});

export const operatorGrant = (role: OperatorRole): Grant => ({
  rights: rightsOfOperator(role),
  tenantKeys: [],
});

export const tokenGrant = (scopes: readonly string[], tenantKeys: readonly string[]): Grant => ({
  rights: rightsOfScopes(scopes),
  tenantKeys,
});

/** API keys call the API of their tenant only, so the permission to issue keys is sufficient. */
export const keyGrant = (tenantKey: string): Grant => ({
  rights: ['api-keys:write'],
  tenantKeys: [tenantKey],
});

/** A child of the tenant uses up its shared limits. */
export const childGrant = (parentKey: string): Grant => ({
  rights: ['subscriptions:write'],
  tenantKeys: [parentKey],
});

/** The first right that the actor lacks in one of the tenants. */
function findLackingRight({ ability }: Pick<Actor, 'ability'>, { rights, tenantKeys }: Grant) {
  const places = tenantKeys.length === 0 ? [undefined] : tenantKeys;
  return rights.find((right) => places.some((tenantKey) => !mayIn(ability, right, tenantKey)));
}

export function mayGrant(actor: Pick<Actor, 'ability'>, grant: Grant): boolean {
  return findLackingRight(actor, grant) === undefined;
}

/**
 * Returns an error if the actor lacks a right of the grant. Required wherever rights are granted, changed or removed
 * (ADR 38).
 */
export function checkGrant(
  actor: Pick<Actor, 'ability'>,
  grant: Grant,
  field: string[],
): UserError | undefined {
  const lacking = findLackingRight(actor, grant);
  if (lacking === undefined) return undefined;
  const where = grant.tenantKeys.length === 0 ? 'for all tenants' : `in ${grant.tenantKeys.join(', ')}`;
  const message = `You need the permission ${lacking} ${where}.`;
  return { code: UserErrorCode.INVALID, field, message };
}

/** Roles and scopes that the actor may grant. @param tenantKey tenant of the member roles */
export function grantableBy(actor: Pick<Actor, 'ability'>, tenantKey: string | undefined) {
  const may = (permission: Permission, place?: string) => mayIn(actor.ability, permission, place);
  const everywhere = {
    operatorRoles: may('operators:write')
      ? Object.values(OperatorRole).filter((role) => mayGrant(actor, operatorGrant(role)))
      : [],
    scopes: may('service-tokens:write')
      ? TOKEN_SCOPES.filter((scope) => mayGrant(actor, tokenGrant([scope], [])))
      : [],
  };
  if (tenantKey === undefined || !may('members:write', tenantKey)) return { ...everywhere, memberRoles: [] };
  const memberRoles = Object.values(MemberRole).filter((role) =>
    mayGrant(actor, memberGrant(role, tenantKey)),
  );
  return { ...everywhere, memberRoles };
}
