import type { LimitRequest, TenantRecord } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { TestPolicies } from '../testing/test-plane.js';
import { TenantOperations } from './tenant-operations.js';
import { TenantPolicies } from './tenant-policies.js';

const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

class VersionedPolicies extends TestPolicies {
  version: number | undefined = 1;
  finds = 0;

  constructor() {
    super({ limits: [fixedWindowPolicy({ operations: ['createURL'] })] });
  }

  override findTenant(key: string): TenantRecord | null {
    this.finds++;
    return super.findTenant(key);
  }
}

function operationsOver(view: VersionedPolicies, nowMs = Date.now): TenantOperations {
  return new TenantOperations(new TenantPolicies(view, nowMs), nowMs);
}

describe('TenantOperations', () => {
  it('looks up the tenant of repeated requests once per version of the policies', () => {
    const view = new VersionedPolicies();
    const operations = operationsOver(view);
    const first = operations.find(create);
    expect(operations.find({ ...create })).toBe(first);
    expect(view.finds).toBe(1);
    view.version = 2;
    expect(operations.find(create)).not.toBe(first);
    expect(view.finds).toBe(2);
  });

  it('looks up the tenant of each request while the policies have no version', () => {
    const view = new VersionedPolicies();
    const operations = operationsOver(view);
    const first = operations.find(create);
    view.version = undefined;
    expect(operations.find(create)).not.toBe(first);
    expect(operations.find(create)?.limits[0]?.isKept).toBe(false);
  });

  it('distinguishes tenants, APIs and operations', () => {
    const operations = operationsOver(new VersionedPolicies());
    const names = ['acme', 'acne'].map((tenant) => operations.find({ ...create, tenant })?.at.tenant.tenant);
    expect(names).toEqual(['acme', 'acne']);
    expect(operations.find({ ...create, operation: 'creatzURL' })?.isRegistered).toBe(false);
    expect(operations.find({ ...create, api: 'url-shortenen' })?.policy).toBeUndefined();
  });

  it('does not keep unregistered operations, of which callers may invent any number', () => {
    const operations = operationsOver(new VersionedPolicies());
    const invented = { ...create, operation: 'invented' };
    const first = operations.find(invented);
    expect(first?.limits[0]?.isKept).not.toBe(true);
    expect(operations.find(invented)).not.toBe(first);
  });

  it('keeps operations in use, and forgets others', () => {
    const view = new VersionedPolicies();
    const operations = new TenantOperations(new TenantPolicies(view, Date.now), Date.now, 10);
    const used = operations.find(create);
    const unused = operations.find({ ...create, tenant: 'unused' });
    for (let n = 0; n < 100; n++) {
      operations.find({ ...create, tenant: `tenant-${n}` });
      expect(operations.find(create)).toBe(used);
    }
    expect(view.finds).toBe(102);
    expect(operations.find({ ...create, tenant: 'unused' })).not.toBe(unused);
  });

  it('looks up a tenant again when its scheduled change is due', () => {
    let nowMs = 1000;
    const view = new VersionedPolicies();
    const operations = operationsOver(view, () => nowMs);
    const { catalogue } = view;
    catalogue.policyUntilMs = () => 2000;
    const first = operations.find(create);
    nowMs = 1999;
    expect(operations.find(create)).toBe(first);
    nowMs = 2000;
    expect(operations.find(create)).not.toBe(first);
  });
});
