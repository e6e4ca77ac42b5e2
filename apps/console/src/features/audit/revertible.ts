import type { Permission } from '../../lib/permissions.js';

/** What taking an action back asks for; an action that is not here is taken back by nothing. */
const REVERTIBLE: Readonly<Record<string, Permission>> = {
  'api.update': 'apis:write',
  'boost.end': 'boosts:write',
  'boost.start': 'boosts:write',
  'operation.create': 'apis:write',
  'operation.delete': 'apis:write',
  'operation.update': 'apis:write',
  'override.remove': 'overrides:write',
  'override.set': 'overrides:write',
  'pool.create': 'apis:write',
  'pool.delete': 'apis:write',
  'pool.update': 'apis:write',
  'tenant.resume': 'tenants:write',
  'tenant.suspend': 'tenants:write',
  'tenant.tierChange': 'subscriptions:write',
  'tenant.update': 'tenants:write',
  'tier.publish': 'tiers:write',
  'tier.update': 'tiers:write',
};

/** The permission to take a change back; undefined where nothing does. Whether it can be now, the server says. */
export function permissionToRevert({
  action,
  before,
}: {
  action: string;
  before?: unknown;
}): Permission | undefined {
  // The first publication has nothing before it.
  if (action === 'tier.publish' && before == null) return undefined;
  return REVERTIBLE[action];
}
