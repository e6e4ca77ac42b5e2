import { MemberRole, OperatorRole } from '@tollgate/database';
import { describe, expect, it } from 'vitest';
import { type Ability, abilityOf, abilityOfToken } from './ability.js';
import { checkGrant, type Grant, grantableBy, memberGrant, operatorGrant, tokenGrant } from './grants.js';
import {
  DECISION_RIGHTS,
  EVERYONES_PERMISSIONS,
  MEMBER_PERMISSIONS,
  OPERATOR_PERMISSIONS,
  PERMISSIONS,
  type Permission,
  rightsOfScopes,
  TOKEN_SCOPES,
} from './permissions.js';

/** A caller; its rights are listed without the code under test. */
interface Granter {
  name: string;
  ability: Ability;
  everywhere: readonly string[];
  inAcme: readonly string[];
}

const rightsOf = (role: OperatorRole): readonly string[] =>
  role === 'OWNER' ? [...PERMISSIONS, ...DECISION_RIGHTS] : OPERATOR_PERMISSIONS[role];

const operator = (role: OperatorRole): Granter => ({
  name: `operator ${role}`,
  ability: abilityOf(role, []),
  everywhere: rightsOf(role),
  inAcme: [],
});
const member = (role: MemberRole): Granter => ({
  name: `member ${role}`,
  ability: abilityOf(null, [{ tenantId: 'tnt_acme', tenantKey: 'acme', tenantName: 'Acme', role }]),
  everywhere: EVERYONES_PERMISSIONS,
  inAcme: MEMBER_PERMISSIONS[role],
});
const token = (...scopes: string[]): Granter => ({
  name: `token ${scopes.join('+')}`,
  ability: abilityOfToken(rightsOfScopes(scopes), []),
  everywhere: rightsOfScopes(scopes),
  inAcme: [],
});
const acmeToken = (...scopes: string[]): Granter => ({
  name: `token for acme ${scopes.join('+')}`,
  ability: abilityOfToken(rightsOfScopes(scopes), ['acme']),
  everywhere: [],
  inAcme: rightsOfScopes(scopes),
});

const MEMBER_ROLES = Object.values(MemberRole);
const OPERATOR_ROLES = Object.values(OperatorRole);

const GRANTERS: Granter[] = [
  ...OPERATOR_ROLES.map(operator),
  ...MEMBER_ROLES.map(member),
  ...TOKEN_SCOPES.flatMap((scope) => [token(scope), acmeToken(scope)]),
  token('read', 'members:write'),
  token('operators:write', 'read'),
  token('service-tokens:write', 'decide'),
];

interface NamedGrant {
  name: string;
  place: 'everywhere' | 'acme';
  rights: readonly string[];
  grant: Grant;
}

const GRANTS: NamedGrant[] = [
  ...MEMBER_ROLES.map((role) => ({
    name: `member ${role}`,
    place: 'acme' as const,
    rights: MEMBER_PERMISSIONS[role],
    grant: memberGrant(role, 'acme'),
  })),
  ...OPERATOR_ROLES.map((role) => ({
    name: `operator ${role}`,
    place: 'everywhere' as const,
    rights: rightsOf(role),
    grant: operatorGrant(role),
  })),
  ...TOKEN_SCOPES.flatMap((scope) =>
    (['everywhere', 'acme'] as const).map((place) => ({
      name: `token ${scope} for ${place}`,
      place,
      rights: rightsOfScopes([scope]),
      grant: tokenGrant([scope], place === 'acme' ? ['acme'] : []),
    })),
  ),
];

const holds = ({ everywhere, inAcme }: Granter, right: string, place: 'everywhere' | 'acme') =>
  everywhere.includes(right) || (place === 'acme' && inAcme.includes(right));

const wantedOf = (granter: Granter) =>
  GRANTS.filter(({ place, rights }) => rights.every((right) => holds(granter, right, place)));

describe('a grant', () => {
  it.each(GRANTERS)('by $name includes no right that the caller lacks there', (granter) => {
    const allowed = GRANTS.filter(({ grant }) => checkGrant(granter, grant, []) === undefined);
    expect(allowed.map(({ name }) => name)).toEqual(wantedOf(granter).map(({ name }) => name));
  });

  it('in several tenants requires the rights in each of them', () => {
    const grant = tokenGrant(['usage:read'], ['acme', 'other']);
    expect(checkGrant(acmeToken('usage:read'), grant, ['scopes'])).toMatchObject({
      code: 'INVALID',
      field: ['scopes'],
      message: 'You need the permission usage:read in acme, other.',
    });
    expect(checkGrant(token('usage:read'), grant, [])).toBeUndefined();
  });
});

describe('grantable roles and scopes', () => {
  const names = (prefix: string, granter: Granter, place: 'everywhere' | 'acme') =>
    wantedOf(granter)
      .filter((grant) => grant.name.startsWith(prefix) && grant.place === place)
      .map(({ name }) => name.split(' ')[1]);

  it.each(GRANTERS)('of $name are those that it may grant', (granter) => {
    const may = (permission: Permission, place: 'everywhere' | 'acme') => holds(granter, permission, place);
    expect(grantableBy(granter, 'acme')).toEqual({
      operatorRoles: may('operators:write', 'everywhere') ? names('operator ', granter, 'everywhere') : [],
      memberRoles: may('members:write', 'acme') ? names('member ', granter, 'acme') : [],
      scopes: may('service-tokens:write', 'everywhere') ? names('token ', granter, 'everywhere') : [],
    });
  });

  it('include no member role without a tenant', () => {
    expect(grantableBy(operator('OWNER'), undefined).memberRoles).toEqual([]);
  });
});
