import { MemberRole, OperatorRole } from '@tollgate/database';
import {
  EVERYONES_PERMISSIONS,
  MEMBER_PERMISSIONS,
  OPERATOR_PERMISSIONS,
  PERMISSIONS,
  type Permission,
  SCOPE_RIGHTS,
} from '../../src/platform/access/permissions.js';
import { signInPerson } from '../support/people.js';
import type { TestApp } from '../support/test-app.js';

export interface Identity {
  who: string;
  headers: Record<string, string>;
  /** Whether the credential is valid at all. */
  known: boolean;
  isToken?: boolean;
  /** Acts in its own tenants only, and knows of no others. */
  isOfTenants?: boolean;
  everywhere: readonly Permission[];
  /** Permissions by the key of the tenant that they hold in. */
  inTenant: Readonly<Record<string, readonly Permission[]>>;
}

/** Headers that might claim another tenant. */
const FORGED = {
  'x-tenant': 'acme',
  'x-tenant-id': 'acme',
  'x-tenant-key': 'acme',
  'x-tollgate-tenant': 'acme',
  'x-forwarded-user': 'setup',
  'x-tollgate-client-address': '127.0.0.1',
};

/** All identities: each role, the other tenant, expired credentials, and none. */
export async function makeIdentities(app: TestApp): Promise<Identity[]> {
  const nobody = { known: false, everywhere: [], inTenant: {} };
  const identities: Identity[] = [{ who: 'nobody', headers: {}, ...nobody }];
  for (const role of Object.values(OperatorRole)) {
    const { headers } = await signInPerson(app, { role });
    identities.push({
      who: `operator ${role}`,
      headers,
      known: true,
      everywhere: OPERATOR_PERMISSIONS[role],
      inTenant: {},
    });
  }
  for (const role of Object.values(MemberRole)) {
    const { headers } = await signInPerson(app, { members: { acme: role } });
    const inTenant = { acme: MEMBER_PERMISSIONS[role] };
    identities.push({
      who: `acme's ${role}`,
      headers,
      known: true,
      isOfTenants: true,
      everywhere: EVERYONES_PERMISSIONS,
      inTenant,
    });
  }
  const foreign = await signInPerson(app, { members: { other: 'OWNER' } });
  const inOther = {
    known: true,
    isOfTenants: true,
    everywhere: EVERYONES_PERMISSIONS,
    inTenant: { other: MEMBER_PERMISSIONS.OWNER },
  };
  identities.push({ who: "other's owner", headers: foreign.headers, ...inOther });
  identities.push({
    who: "other's owner, forging headers",
    headers: { ...foreign.headers, ...FORGED },
    ...inOther,
  });

  const removed = await signInPerson(app, { members: { acme: 'OWNER' } });
  await app.database.member.deleteMany({ where: { userId: removed.id } });
  identities.push({
    who: 'a removed member',
    headers: removed.headers,
    known: true,
    isOfTenants: true,
    everywhere: EVERYONES_PERMISSIONS,
    inTenant: {},
  });

  const suspended = await signInPerson(app, { role: 'OWNER' });
  await app.database.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } });
  const revoked = await signInPerson(app, { role: 'OWNER' });
  await app.database.session.deleteMany({ where: { userId: revoked.id } });
  const expired = await signInPerson(app, { role: 'OWNER' });
  await app.database.session.updateMany({ where: { userId: expired.id }, data: { expiresAt: new Date(0) } });
  for (const [who, { headers }] of Object.entries({
    'a suspended owner': suspended,
    'a revoked session': revoked,
    'an expired session': expired,
  })) {
    identities.push({ who, headers, ...nobody });
  }

  const endToken = async (data: object) => {
    const headers = await app.bearer(['admin']);
    const [, publicId] = /_([0-9A-Za-z]{12})/.exec(headers.authorization?.split('_live')[1] ?? '') ?? [];
    await app.database.serviceToken.update({ where: { publicId: publicId ?? '' }, data });
    return headers;
  };
  identities.push({
    who: 'an expired token',
    headers: await endToken({ expiresAt: new Date(0) }),
    ...nobody,
  });
  identities.push({ who: 'a revoked token', headers: await endToken({ revokedAt: new Date() }), ...nobody });
  identities.push({
    who: 'a token without a scope here',
    headers: await app.bearer(['decide']),
    ...nobody,
    known: true,
    isToken: true,
  });
  identities.push({
    who: 'a token of one scope',
    headers: await app.bearer(['nodes:read']),
    known: true,
    isToken: true,
    everywhere: ['nodes:read'],
    inTenant: {},
  });
  for (const tenantKey of ['acme', 'other']) {
    const permissions = [...SCOPE_RIGHTS.tenants, ...SCOPE_RIGHTS.billing];
    identities.push({
      who: `a token for ${tenantKey} alone`,
      headers: await app.bearer(['tenants', 'billing'], [tenantKey]),
      known: true,
      isToken: true,
      isOfTenants: true,
      everywhere: [],
      inTenant: { [tenantKey]: permissions },
    });
  }
  return identities;
}

/** A token with one permission alone, and one with all others. @param tenantKey its only tenant; undefined: all */
export async function makeBoundaryTokens(
  app: TestApp,
  permission: Permission,
  tenantKey: string | undefined,
): Promise<Identity[]> {
  const others = PERMISSIONS.filter((other) => other !== permission);
  const make = async (who: string, permissions: Permission[]): Promise<Identity> => {
    const token = { who: `a token with ${who} ${permission}`, known: true, isToken: true };
    if (tenantKey === undefined)
      return { ...token, headers: await app.bearer(permissions), everywhere: permissions, inTenant: {} };
    return {
      ...token,
      who: `${token.who} for ${tenantKey}`,
      headers: await app.bearer(permissions, [tenantKey]),
      isOfTenants: true,
      everywhere: [],
      inTenant: { [tenantKey]: permissions },
    };
  };
  return [await make('exactly', [permission]), await make('all but', others)];
}
