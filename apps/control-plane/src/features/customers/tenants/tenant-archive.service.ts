import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { findManaged } from '../../../platform/changes/change.js';
import { type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { tenantStatusSchema } from './tenant.rules.js';
import { type ChangedTenant, TenantChanges } from './tenant-changes.js';
import { TenantHolds } from './tenant-holds.js';
import type { TenantStatusInput } from './tenants.graphql.js';
import { TenantsRepository } from './tenants.repository.js';

/** Ends tenants. */
@Injectable()
export class TenantArchiveService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly holds: TenantHolds,
    private readonly changes: TenantChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends a tenant for good: nodes forget it, its keys are dead, its key is never another one's. Refused: NOT_FOUND, CONFLICT,
   * IN_USE while something is open, unless it is forced.
   */
  async archive(caller: Caller, input: TenantStatusInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantStatusSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(caller, parsed.data, async (change, tenant) => {
      const managed = findManaged(caller, tenant, 'tenant', parsed.data.reason);
      if (managed !== undefined) return refuse([managed], tenant);
      const held = await this.holds.list(change.tx, tenant.id);
      if (held.length > 0 && caller.force !== true) {
        const message = `The tenant has ${held.join(' and ')}. End them first, or repeat this with force.`;
        return refuse([userError(UserErrorCode.IN_USE, ['tenantKey'], message)], tenant);
      }
      const archived = await this.tenants.archive(change.tx, tenant.id, this.clock.now());
      await change.audit({
        action: 'tenant.archive',
        entity: 'Tenant',
        entityId: tenant.id,
        tenantKey: tenant.key,
        before: { status: tenant.status },
        after: { status: archived.status, open: held },
      });
      return archived;
    });
  }
}
