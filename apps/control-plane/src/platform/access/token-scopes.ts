import { PERMISSIONS, type Permission } from './permissions.js';

/** Names for what a service token is usually for, each a set of permissions. */
export const SCOPE_PERMISSIONS = {
  /** The decision API; nothing of this API. */
  decide: [],
  admin: PERMISSIONS,
  read: PERMISSIONS.filter((permission) => permission.endsWith(':read')),
  policy: [
    'apis:read',
    'apis:write',
    'tiers:read',
    'tiers:write',
    'tenants:read',
    'overrides:write',
    'boosts:write',
    'quota-requests:read',
    'quota-requests:decide',
    'change-sets:read',
    'change-sets:write',
    'bulk-actions:read',
    'bulk-actions:write',
    'policy:rollback',
    'nodes:read',
  ],
  tenants: [
    'apis:read',
    'tiers:read',
    'tenants:read',
    'tenants:write',
    'subscriptions:write',
    'bulk-actions:read',
    'bulk-actions:write',
    'members:read',
    'members:write',
    'api-keys:read',
    'api-keys:write',
    'alerts:write',
    'entitlements:read',
    'usage:read',
    'nodes:read',
  ],
  billing: [
    'tiers:read',
    'tenants:read',
    'subscriptions:write',
    'offers:read',
    'offers:write',
    'purchases:read',
    'purchases:write',
    'payments:write',
    'entitlements:read',
    'entitlements:write',
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type TokenScope = keyof typeof SCOPE_PERMISSIONS | Permission;

/** Every scope that a token may have: the named sets, and each permission by itself. */
export const TOKEN_SCOPES: readonly TokenScope[] = [
  ...(Object.keys(SCOPE_PERMISSIONS) as (keyof typeof SCOPE_PERMISSIONS)[]),
  ...PERMISSIONS,
];

/** What a token of these scopes may do; names that mean nothing (any more) permit nothing. */
export function permissionsOfScopes(scopes: readonly string[]): Permission[] {
  const permitted = new Set(
    scopes.flatMap((scope): readonly string[] =>
      Object.hasOwn(SCOPE_PERMISSIONS, scope)
        ? SCOPE_PERMISSIONS[scope as keyof typeof SCOPE_PERMISSIONS]
        : [scope],
    ),
  );
  return PERMISSIONS.filter((permission) => permitted.has(permission));
}
