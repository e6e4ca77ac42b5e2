import { OperatorRole } from '@tollgate/database';

/** Everything that can be permitted. Handlers name one of these; roles are sets of them. */
export const PERMISSIONS = [
  'apis:read',
  'apis:write',
  'tiers:read',
  'tiers:write',
  'tenants:read',
  'tenants:write',
  'subscriptions:write',
  'service-tokens:read',
  'service-tokens:write',
  'nodes:read',
  'live:read',
  'audit:read',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const POLICY_READ: Permission[] = ['apis:read', 'tiers:read', 'tenants:read', 'nodes:read', 'live:read'];

/** The one map from roles to permissions; console and guards both go by it. */
const ROLE_PERMISSIONS: Record<OperatorRole, readonly Permission[]> = {
  OWNER: PERMISSIONS,
  LIMITS_ADMIN: [...POLICY_READ, 'audit:read', 'apis:write', 'tiers:write'],
  SUPPORT: [...POLICY_READ, 'audit:read', 'tenants:write'],
  BILLING: [...POLICY_READ, 'audit:read', 'subscriptions:write'],
  AUDITOR: [...POLICY_READ, 'audit:read', 'service-tokens:read'],
  VIEWER: POLICY_READ,
};

/** What an operator of `role` may do. */
export function permissionsOf(role: OperatorRole): ReadonlySet<Permission> {
  return new Set(ROLE_PERMISSIONS[role]);
}
