import type { MemberRole, OperatorRole } from '@tollgate/database';

/** All permissions as `resource:action`. Roles are sets of permissions. */
export const PERMISSIONS = [
  'apis:read',
  'apis:write',
  'tiers:read',
  'tiers:write',
  'tenants:read',
  'tenants:write',
  'subscriptions:write',
  'members:read',
  'members:write',
  'api-keys:read',
  'api-keys:write',
  'alerts:write',
  'offers:read',
  'offers:write',
  'purchases:read',
  'purchases:write',
  'payments:write',
  'entitlements:read',
  'entitlements:write',
  'overrides:write',
  'boosts:write',
  'own-limits:write',
  'quota-requests:read',
  'quota-requests:write',
  'quota-requests:decide',
  'test-requests:write',
  'usage:read',
  'traffic:read',
  'notices:read',
  'webhooks:read',
  'webhooks:write',
  'change-sets:read',
  'change-sets:write',
  'change-sets:approve',
  'bulk-actions:read',
  'bulk-actions:write',
  'policy:rollback',
  'operators:read',
  'operators:write',
  'service-tokens:read',
  'service-tokens:write',
  'config:read',
  'config:write',
  'nodes:read',
  'nodes:write',
  'installation:read',
  'installation:write',
  'jobs:read',
  'jobs:write',
  'live:read',
  'audit:read',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** Rights at the decision API. */
export const DECISION_RIGHTS = ['decisions:decide', 'decisions:reset'] as const;

export type Right = Permission | (typeof DECISION_RIGHTS)[number];

const POLICY_READ: Permission[] = [
  'config:read',
  'apis:read',
  'tiers:read',
  'tenants:read',
  'offers:read',
  'nodes:read',
  'live:read',
];

/** Tenant data besides policy. */
const TENANT_READ: Permission[] = [
  'members:read',
  'entitlements:read',
  'quota-requests:read',
  'usage:read',
  'notices:read',
];

const OPERATOR_READ: Permission[] = [
  ...POLICY_READ,
  ...TENANT_READ,
  'change-sets:read',
  'bulk-actions:read',
  'audit:read',
];

/** Permissions of operators, for all tenants. */
export const OPERATOR_PERMISSIONS: Record<OperatorRole, readonly Permission[]> = {
  OWNER: PERMISSIONS,
  LIMITS_ADMIN: [
    ...OPERATOR_READ,
    'api-keys:read',
    'apis:write',
    'tiers:write',
    'overrides:write',
    'boosts:write',
    'own-limits:write',
    'quota-requests:decide',
    'change-sets:write',
    'change-sets:approve',
    'bulk-actions:write',
    'policy:rollback',
    'test-requests:write',
    'traffic:read',
    'nodes:write',
  ],
  SUPPORT: [
    ...OPERATOR_READ,
    'api-keys:read',
    'tenants:write',
    'test-requests:write',
    'members:write',
    'boosts:write',
    'bulk-actions:write',
  ],
  BILLING: [
    ...OPERATOR_READ,
    'purchases:read',
    'subscriptions:write',
    'bulk-actions:write',
    'offers:write',
    'purchases:write',
    'payments:write',
    'entitlements:write',
    'installation:read',
  ],
  AUDITOR: [
    ...OPERATOR_READ,
    'api-keys:read',
    'purchases:read',
    'webhooks:read',
    'operators:read',
    'service-tokens:read',
    'installation:read',
    'jobs:read',
    'traffic:read',
  ],
  VIEWER: [...POLICY_READ, 'usage:read', 'notices:read'],
};

export function rightsOfOperator(role: OperatorRole): readonly Right[] {
  return role === 'OWNER' ? [...PERMISSIONS, ...DECISION_RIGHTS] : OPERATOR_PERMISSIONS[role];
}

const MEMBER_READ: Permission[] = ['tenants:read', ...TENANT_READ];

/** Permissions of tenant members, in their tenant only. */
export const MEMBER_PERMISSIONS: Record<MemberRole, readonly Permission[]> = {
  OWNER: [
    ...MEMBER_READ,
    'members:write',
    'api-keys:read',
    'api-keys:write',
    'alerts:write',
    'own-limits:write',
    'purchases:read',
    'purchases:write',
    'quota-requests:write',
    'webhooks:read',
    'webhooks:write',
    'audit:read',
  ],
  BUYER: [
    ...MEMBER_READ,
    'purchases:read',
    'purchases:write',
    'quota-requests:write',
    'alerts:write',
    'own-limits:write',
  ],
  DEVELOPER: [
    ...MEMBER_READ,
    'api-keys:read',
    'api-keys:write',
    'alerts:write',
    'own-limits:write',
    'quota-requests:write',
    'webhooks:read',
    'webhooks:write',
  ],
  VIEWER: MEMBER_READ,
};

/** Permissions of every signed-in user. */
export const EVERYONES_PERMISSIONS: readonly Permission[] = ['offers:read'];

export function rolesWith(permission: Permission): {
  operatorRoles: OperatorRole[];
  memberRoles: MemberRole[];
} {
  const having = <R extends string>(permissions: Record<R, readonly Permission[]>) =>
    (Object.keys(permissions) as R[]).filter((role) => permissions[role].includes(permission));
  return { operatorRoles: having(OPERATOR_PERMISSIONS), memberRoles: having(MEMBER_PERMISSIONS) };
}

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
    'traffic:read',
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
    'traffic:read',
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
