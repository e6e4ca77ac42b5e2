import { MemberRole, OperatorRole } from '@tollgate/database';
import { describe, expect, it } from 'vitest';
import { abilityOf, mayEverywhere, mayIn, permissionsOf } from './ability.js';
import { PERMISSIONS } from './permissions.js';

const member = (role: MemberRole) =>
  abilityOf(null, [{ tenantId: 'ten_1', tenantKey: 'acme', tenantName: 'Acme', role }]);

describe('abilities', () => {
  it('an owner may do everything, in every tenant', () => {
    const ability = abilityOf(OperatorRole.OWNER, []);
    expect(permissionsOf(ability)).toEqual([...PERMISSIONS]);
    expect(mayIn(ability, 'api-keys:write', 'acme')).toBe(true);
  });

  it("a tenant's owner may act in that tenant only", () => {
    const ability = member(MemberRole.OWNER);
    expect(mayIn(ability, 'api-keys:write', 'acme')).toBe(true);
    expect(mayIn(ability, 'api-keys:write', 'other')).toBe(false);
    expect(mayEverywhere(ability, 'api-keys:write')).toBe(false);
  });

  it('a member who is not an operator may only read offers over all tenants', () => {
    for (const role of Object.values(MemberRole))
      expect(permissionsOf(member(role))).toEqual(['offers:read']);
  });

  it('support may lend a boost, and raise nothing for good', () => {
    const ability = abilityOf(OperatorRole.SUPPORT, []);
    expect(mayEverywhere(ability, 'boosts:write')).toBe(true);
    for (const permission of ['overrides:write', 'entitlements:write', 'tiers:write'] as const) {
      expect(mayEverywhere(ability, permission)).toBe(false);
    }
  });

  it('an auditor and a viewer change nothing', () => {
    for (const role of [OperatorRole.AUDITOR, OperatorRole.VIEWER]) {
      const all = permissionsOf(abilityOf(role, []));
      expect(all.filter((permission) => !permission.endsWith(':read'))).toEqual([]);
    }
  });
});
