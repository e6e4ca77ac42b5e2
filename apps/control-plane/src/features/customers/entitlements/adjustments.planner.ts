import { Injectable } from '@nestjs/common';
import { MAX_ADJUSTMENTS } from '@tollgate/contracts';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import type { CarryOver } from '../../../platform/prisma/schema.js';
import { SubscriptionsRepository } from '../tenants/subscriptions.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import { AdjustmentsRepository } from './adjustments.repository.js';

/** A tenant has as many adjustments, now and later, as nodes hold of one. */
export class TooManyAdjustments extends Error {
  constructor() {
    super(`A tenant has ${MAX_ADJUSTMENTS} entitlements, overrides and boosts at most, past ones left out`);
  }
}

/** Puts what the ledger, overrides and boosts say of a tenant into what nodes are told. */
@Injectable()
export class AdjustmentsPlanner {
  constructor(
    private readonly adjustments: AdjustmentsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans anew what is in force when, after a row of them was written, and publishes the tenant. Its row is locked and its
   * version raised.
   * @param carryOver what becomes of what is used, if something changes now
   * @throws TooManyAdjustments
   */
  async replan(change: Change, tenant: TenantRow, carryOver: CarryOver): Promise<TenantRow> {
    const { tx } = change;
    const locked = (await this.tenants.lockByKey(tx, tenant.key)) ?? tenant;
    const timed = await this.adjustments.listTimed(tx, tenant.id, this.clock.now());
    if (timed.length > MAX_ADJUSTMENTS) throw new TooManyAdjustments();
    await this.subscriptions.adjust(tx, locked, timed, carryOver);
    await change.publish('TENANT', tenant.key);
    return this.tenants.raiseVersion(tx, tenant.id);
  }
}
