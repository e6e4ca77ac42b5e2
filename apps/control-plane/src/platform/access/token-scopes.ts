import { DECISION_RIGHTS, PERMISSIONS, type Permission, type Right } from './permissions.js';

/** Named sets of rights. None is empty, so that `checkGrant` covers every scope. */
export const SCOPE_RIGHTS = {
  decide: ['decisions:decide'],
  /** Resets counters at the decision API, as stores of the SDK do. */
  reset: ['decisions:reset'],
  admin: [...PERMISSIONS, ...DECISION_RIGHTS],
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
  /** For `tollgate config`. */
  config: [
    'config:read',
    'config:write',
    'apis:read',
    'apis:write',
    'tiers:read',
    'tiers:write',
    'offers:read',
    'offers:write',
    'tenants:read',
    'tenants:write',
    'subscriptions:write',
    'overrides:write',
    'alerts:write',
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
} as const satisfies Record<string, readonly Right[]>;

export type TokenScope = keyof typeof SCOPE_RIGHTS | Permission;

/** All valid scopes: the named sets and the single permissions. */
export const TOKEN_SCOPES: readonly TokenScope[] = [
  ...(Object.keys(SCOPE_RIGHTS) as (keyof typeof SCOPE_RIGHTS)[]),
  ...PERMISSIONS,
];

/** Unknown scopes have no rights. */
export function rightsOfScopes(scopes: readonly string[]): Right[] {
  const given = new Set(
    scopes.flatMap((scope): readonly string[] =>
      Object.hasOwn(SCOPE_RIGHTS, scope)
        ? SCOPE_RIGHTS[scope as keyof typeof SCOPE_RIGHTS]
        : // A single permission. Rights at the decision API are part of named scopes only.
          PERMISSIONS.filter((permission) => permission === scope),
    ),
  );
  return [...PERMISSIONS, ...DECISION_RIGHTS].filter((right) => given.has(right));
}

export function permissionsOfScopes(scopes: readonly string[]): Permission[] {
  const rights = new Set<string>(rightsOfScopes(scopes));
  return PERMISSIONS.filter((permission) => rights.has(permission));
}
