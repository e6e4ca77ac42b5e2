/** The permissions that the console's actions need, with the roles that have each, to say who can. */
const ROLES_BY_PERMISSION = {
  'apis:write': ['Owner', 'Limits admin'],
  'tiers:write': ['Owner', 'Limits admin'],
  'tenants:write': ['Owner', 'Support'],
  'subscriptions:write': ['Owner', 'Billing'],
  'service-tokens:write': ['Owner'],
} as const;

export type Permission = keyof typeof ROLES_BY_PERMISSION;

/** `An Owner or a Limits admin`, to be followed by “can”. */
export function rolesWith(permission: Permission): string {
  const named = ROLES_BY_PERMISSION[permission].map((role) =>
    /^[AEIOU]/.test(role) ? `an ${role}` : `a ${role}`,
  );
  const text = named.join(' or ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
