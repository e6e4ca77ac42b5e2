import { describe, expect, it } from 'vitest';
import { abilityOfToken, mayEverywhere, mayIn } from './ability.js';
import { PERMISSIONS, permissionsOfScopes } from './permissions.js';

describe('token scopes', () => {
  it('is everything for admin, and nothing of this API for decide and reset', () => {
    expect(permissionsOfScopes(['admin'])).toEqual([...PERMISSIONS]);
    expect(permissionsOfScopes(['decide', 'reset'])).toEqual([]);
  });

  it('is the sum of the scopes, single permissions among them', () => {
    expect(permissionsOfScopes(['tiers:write', 'decide', 'tiers:write'])).toEqual(['tiers:write']);
    expect(permissionsOfScopes(['read', 'tiers:write'])).toContain('audit:read');
  });

  it('is nothing for a name that is no scope', () => {
    expect(permissionsOfScopes(['toString', '__proto__', 'tiers', '*', ''])).toEqual([]);
  });

  it('changes nothing with read alone, and never mints tokens but with admin', () => {
    expect(permissionsOfScopes(['read']).every((one) => one.endsWith(':read'))).toBe(true);
    const all = permissionsOfScopes(['read', 'policy', 'tenants', 'billing']);
    for (const one of ['service-tokens:write', 'operators:write', 'change-sets:approve'] as const) {
      expect(all).not.toContain(one);
    }
  });

  it('holds in the tenants that the token is restricted to, and nowhere else', () => {
    const ability = abilityOfToken(['tenants:read'], ['acme']);
    expect(mayIn(ability, 'tenants:read', 'acme')).toBe(true);
    expect(mayIn(ability, 'tenants:read', 'other')).toBe(false);
    expect(mayEverywhere(ability, 'tenants:read')).toBe(false);
    expect(mayEverywhere(abilityOfToken(['tenants:read'], []), 'tenants:read')).toBe(true);
  });
});
