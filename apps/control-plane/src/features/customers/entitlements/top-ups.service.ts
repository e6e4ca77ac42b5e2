import { Injectable } from '@nestjs/common';
import { type Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { type TenantSituation, TenantViews } from '../tenants/tenant-record.repository.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { AdjustmentsRepository, EntitlementsRepository, earliest } from './entitlements.repository.js';
import { EntitlementsService } from './entitlements.service.js';
import { beganSince, burnDown, isMonthly, unitsOf } from './top-ups.rules.js';

/** A top-up whose period of the quota has ended. */
export interface EndedTopUp {
  id: string;
  tenantKey: string;
  /** Units of the quota used in its period that ends at `readingOf`. */
  used: number;
  /** The first end of a period for which there is a reading, not before that of the top-up; null: there is none. */
  readingOf: Date | null;
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

  /** Unused units of the tenants' top-ups in effect, by tenant and id; none of limits that are gone or whose counter cannot be read. */
  async listRemaining(tenantIds: string[]): Promise<Map<string, ReadonlyMap<string, number>>> {
    const tx = this.database.client;
    const situations = await this.views.list(tenantIds, tx);
    const all = [...situations].map(
      async ([tenantId, situation]) => [tenantId, await this.remainingIn(tx, tenantId, situation)] as const,
    );
    return new Map(await Promise.all(all));
  }

  private async remainingIn(
    tx: Tx,
    tenantId: string,
    { view, stored, inForce }: TenantSituation,
  ): Promise<ReadonlyMap<string, number>> {
    const ids = inForce.map(({ id }) => id);
    const [units, readings] = await Promise.all([
      this.ledger.listUnits(tx, tenantId, ids),
      view.peek(this.redis.counters),
    ]);
    const remaining = stored.flatMap(({ policy }, i) => {
      const used = readings[i]?.used;
      return used === undefined ? [] : burnDown(unitsOf(policy, inForce, units), used).topUps;
    });
    return new Map(remaining.map((topUp) => [topUp.id, topUp.remaining]));
  }

  /**
   * Ends a top-up whose period is over, and grants what was unused to the present period. Runs in the transaction of the change
   * and locks the tenant. Unchanged: a top-up that was moved, revoked or refunded, or whose limit is no monthly quota any more.
   */
  async carry(change: Change, { id, tenantKey, used, readingOf }: EndedTopUp): Promise<void> {
    const { tx } = change;
    const tenant = await this.tenants.lockByKey(tx, tenantKey);
    if (tenant === null) return;
    const [row] = await this.ledger.listGrants(tx, tenant.id, { ids: [id] });
    const now = this.clock.now();
    const expiresAt = row && earliest([{ endsAt: row.unitsExpireAt }, ...row.ends]);
    if (row?.endsAt == null || expiresAt == null || expiresAt <= now) return;
    const { stored } = await this.views.get(tenant.id, tx);
    const policy = stored
      .map((record) => record.policy)
      .find(({ api, name }) => api === row.apiKey && name === row.limitName);
    if (policy === undefined || !isMonthly(policy)) return;
    const isLater = readingOf !== null && beganSince(policy, tenant, readingOf, row.endsAt);
    const lastMoment = new Date(row.endsAt.getTime() - 1);
    const timed = await this.adjustments.listTimed(tx, tenant.id, lastMoment);
    const inForce = timed
      .filter(({ startsAt }) => startsAt <= lastMoment)
      .map(({ adjustment }) => adjustment);
    const ids = inForce.map((one) => one.id);
    const quota = unitsOf(policy, inForce, await this.ledger.listUnits(tx, tenant.id, ids));
    const { topUps } = burnDown(quota, isLater ? 0 : used);
    const units = topUps.find((topUp) => topUp.id === id)?.unused ?? 0;
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
}
