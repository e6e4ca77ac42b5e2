import type { UserError } from '../graphql/user-error.graphql.js';
import { UserErrorCode } from '../graphql/user-error.graphql.js';
import { MemberRole, OperatorRole } from '../prisma/schema.js';
import { holdsIn } from './ability.js';
import type { Actor } from './actor.js';
import { MEMBER_PERMISSIONS, type Permission, type Right, rightsOfOperator } from './permissions.js';
import { rightsOfScopes, TOKEN_SCOPES } from './token-scopes.js';

/** Rights of a role, token or key. */
export interface Grant {
  rights: readonly Right[];
  /** Tenants that the rights are limited to; empty: all tenants. */
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

/** An API key makes calls of its tenant, narrowed by its scopes. Who may issue keys may make all of them. */
export const keyGrant = (tenantKey: string): Grant => ({
  rights: ['api-keys:write'],
  tenantKeys: [tenantKey],
});

/** The first right of a grant that the actor lacks in one of its places; undefined: the actor holds all of them. */
function findLackingRight({ ability }: Pick<Actor, 'ability'>, { rights, tenantKeys }: Grant) {
  const places = tenantKeys.length === 0 ? [undefined] : tenantKeys;
  return rights.find((right) => places.some((tenantKey) => !holdsIn(ability, right, tenantKey)));
}

/** Whether the actor holds everything that a grant gives, where it gives it. */
export function mayGrant(actor: Pick<Actor, 'ability'>, grant: Grant): boolean {
  return findLackingRight(actor, grant) === undefined;
}

/**
 * Checks that the actor holds every right of a grant. Used wherever rights are granted, changed or removed (ADR 38).
 *
 * @returns the error to refuse with; undefined: the actor may do it
 */
export function checkGrant(
  actor: Pick<Actor, 'ability'>,
  grant: Grant,
  field: string[],
): UserError | undefined {
  const lacking = findLackingRight(actor, grant);
  if (lacking === undefined) return undefined;
  const where = grant.tenantKeys.length === 0 ? 'for all tenants' : `in ${grant.tenantKeys.join(', ')}`;
  const message = `This needs the permission ${lacking} ${where}, which you do not have.`;
  return { code: UserErrorCode.INVALID, field, message };
}

/** Roles and scopes that an actor may grant. @param tenantKey of the tenant for member roles; undefined: none */
export function grantableBy(actor: Pick<Actor, 'ability'>, tenantKey: string | undefined) {
  const may = (permission: Permission, place?: string) => holdsIn(actor.ability, permission, place);
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
