import { Injectable } from '@nestjs/common';
import { type Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import {
  AdjustmentsRepository,
  type EntitlementRow,
  EntitlementsRepository,
  earliest,
} from './entitlements.repository.js';
import { EntitlementsService } from './entitlements.service.js';
import { type BurnDown, burnDown, unitsOf } from './top-ups.rules.js';

/** A top-up whose period of the quota has ended. */
export interface EndedTopUp {
  id: string;
  tenantKey: string;
  /** Units of the quota used in the period. */
  used: number;
}

/** Top-ups of monthly quotas: remaining units, and the move of unused units to the next period. */
@Injectable()
export class TopUpsService {
  constructor(
    private readonly ledger: EntitlementsRepository,
    private readonly entitlements: EntitlementsService,
    private readonly adjustments: AdjustmentsRepository,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly redis: RedisConnections,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Unused units of a top-up in effect; null if the tenant no longer has the limit, or its counter cannot be read. */
  async remainingOf(row: EntitlementRow): Promise<number | null> {
    const tx = this.database.client;
    const { view } = await this.views.get(row.tenantId, tx);
    const readings = await view.peek(this.redis.counters);
    const index = view.limits.findIndex(({ policy }) => isOn(row, policy));
    const used = readings[index]?.used;
    if (used === undefined) return null;
    const burnt = await this.burn(tx, row, this.clock.now(), used);
    return burnt?.topUps.find(({ id }) => id === row.id)?.remaining ?? null;
  }

  /**
   * Ends a top-up whose period is over, and grants what was unused to the present period. Runs in the transaction of the change
   * and locks the tenant; a top-up that was moved, revoked or refunded stays unchanged.
   */
  async carry(change: Change, { id, tenantKey, used }: EndedTopUp): Promise<void> {
    const { tx } = change;
    const tenant = await this.tenants.lockByKey(tx, tenantKey);
    if (tenant === null) return;
    const [row] = await this.ledger.listGrants(tx, tenant.id, { ids: [id] });
    const now = this.clock.now();
    const expiresAt = row && earliest([{ endsAt: row.unitsExpireAt }, ...row.ends]);
    if (row?.endsAt == null || expiresAt == null || expiresAt <= now) return;
    const lastMoment = new Date(row.endsAt.getTime() - 1);
    const burnt = await this.burn(tx, row, lastMoment, used);
    if (burnt === undefined) return;
    const units = burnt.topUps.find((topUp) => topUp.id === id)?.unused ?? 0;
    await this.entitlements.end(change, tenant, { which: { ids: [id] }, at: row.endsAt, cause: 'CARRIED' });
    if (units === 0 || row.apiKey === null || row.limitName === null) return;
    await this.entitlements.grant(change, tenant, {
      source: 'topup',
      cause: 'CARRIED',
      purchaseId: row.purchaseId,
      label: row.label,
      effects: [{ api: row.apiKey, limit: row.limitName, effect: { kind: 'add', units } }],
      startsAt: now,
      endsAt: expiresAt,
      usedOnce: true,
      carryOver: row.carryOver,
    });
  }

  /** Undefined if the tenant no longer has the limit. */
  private async burn(tx: Tx, row: EntitlementRow, at: Date, used: number): Promise<BurnDown | undefined> {
    const { stored } = await this.views.get(row.tenantId, tx);
    const policy = stored.map((record) => record.policy).find((one) => isOn(row, one));
    if (policy === undefined) return undefined;
    const timed = await this.adjustments.listTimed(tx, row.tenantId, at);
    const inForce = timed.filter(({ startsAt }) => startsAt <= at).map(({ adjustment }) => adjustment);
    const ids = inForce.map(({ id }) => id);
    return burnDown(unitsOf(policy, inForce, await this.ledger.listUnits(tx, row.tenantId, ids)), used);
  }
}

function isOn(row: EntitlementRow, { api, name }: { api: string; name: string }): boolean {
  return row.apiKey === api && row.limitName === name;
}
