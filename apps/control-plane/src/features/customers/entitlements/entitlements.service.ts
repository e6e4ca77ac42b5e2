import { Injectable } from '@nestjs/common';
import { type AdjustmentSource, type LimitPolicy, MAX_ADJUSTMENTS } from '@tollgate/contracts';
import { type Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { CarryOver, type EntitlementCause } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { ruleOfEnd } from '../tenants/adjustment-schedule.js';
import { SubscriptionsRepository } from '../tenants/subscriptions.repository.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  AdjustmentsRepository,
  type EntitlementRow,
  EntitlementsRepository,
  earliest,
} from './entitlements.repository.js';
import { type GrantEffect, splitTopUp } from './top-ups.rules.js';

/** Nodes store a limited number of current and scheduled adjustments per tenant. */
export class TooManyAdjustments extends Error {
  constructor(readonly tenantKey: string) {
    super(
      `A tenant can have at most ${MAX_ADJUSTMENTS} current and scheduled entitlements, overrides and boosts`,
    );
  }
}

/** A tenant whose schedule is rebuilt. */
interface Replan {
  tenant: TenantRow;
  /** How used quota carries over if a limit changes now. */
  carryOver: CarryOver;
}

/** Builds the schedule of adjustments that is published to nodes, from ledger, overrides and boosts. */
@Injectable()
export class AdjustmentsPlanner {
  constructor(
    private readonly adjustments: AdjustmentsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Rebuilds schedules after changes of ledgers, overrides or boosts, and publishes the tenants. Locks the tenants and
   * increments their versions.
   * @returns the tenants, in the same order
   * @throws TooManyAdjustments
   */
  async replan(change: Change, plans: readonly Replan[]): Promise<TenantRow[]> {
    const { tx } = change;
    const keys = plans.map(({ tenant }) => tenant.key);
    const locked = await this.tenants.lockByKeys(tx, keys);
    const timed = await this.adjustments.listTimedOf(
      tx,
      plans.map(({ tenant }) => tenant.id),
      this.clock.now(),
    );
    const readjustments = plans.map(({ tenant, carryOver }) => {
      const adjustments = timed.get(tenant.id) ?? [];
      if (adjustments.length > MAX_ADJUSTMENTS) throw new TooManyAdjustments(tenant.key);
      return { tenant: locked.get(tenant.key) ?? tenant, adjustments, carryOver };
    });
    await this.subscriptions.adjust(tx, readjustments);
    change.publish('TENANT', keys);
    return this.tenants.raiseVersions(
      tx,
      plans.map(({ tenant }) => tenant),
    );
  }
}

export interface Grant {
  source: Extract<AdjustmentSource, 'upgrade' | 'topup'>;
  cause: EntitlementCause;
  /** Null: granted by an operator. */
  purchaseId: string | null;
  label: string;
  effects: readonly GrantEffect[];
  /** Past times count as now. */
  startsAt: Date;
  /** Null: until it is ended. */
  endsAt: Date | null;
  /** The units that it adds to monthly quotas are used once, even if it ends in a later period. */
  usedOnce?: boolean;
  carryOver?: CarryOver;
  reason?: string | null;
}

export interface GrantEnd {
  which: { ids: string[] } | { purchaseId: string };
  /** Past times count as now. */
  at: Date;
  cause: EntitlementCause;
  reason?: string | null;
}

/**
 * The ledger of entitlements. Both methods run in the transaction of the given change: they write ledger and audit rows,
 * rebuild the schedule and publish the tenant, which they lock.
 */
@Injectable()
export class EntitlementsService {
  constructor(
    private readonly ledger: EntitlementsRepository,
    private readonly planner: AdjustmentsPlanner,
    private readonly views: TenantViews,
    private readonly clock: Clock,
  ) {}

  /** Grants, a row for each effect, or for each quota that it concerns. @throws TooManyAdjustments */
  async grant(change: Change, tenant: TenantRow, grant: Grant): Promise<EntitlementRow[]> {
    const { effects, source, startsAt, endsAt: end, usedOnce = false, ...rest } = grant;
    const { reason = null, carryOver = CarryOver.KEEP, ...facts } = rest;
    const now = this.clock.now();
    const start = new Date(Math.max(startsAt.getTime(), now.getTime()));
    const parts =
      usedOnce && end !== null
        ? splitTopUp(effects, await this.limitsOf(change, tenant), tenant, start, end)
        : effects.map((part) => ({ ...part, endsAt: end, unitsExpireAt: null }));
    const rows = parts.map(({ api, limit, appliesTo, effect, endsAt, unitsExpireAt }) => ({
      ...facts,
      id: newId('entitlement'),
      tenantId: tenant.id,
      kind: 'GRANT' as const,
      grantId: null,
      source: upper(source),
      apiKey: api ?? null,
      limitName: limit ?? null,
      appliesTo: appliesTo === undefined ? null : upper(appliesTo),
      effect,
      startsAt,
      endsAt,
      unitsExpireAt,
      carryOver,
      reason,
      actor: change.caller.actor.label,
      changeId: change.id,
      createdAt: now,
    }));
    await this.ledger.add(change.tx, rows);
    for (const { id, effect, startsAt: from, endsAt, unitsExpireAt, ...row } of rows) {
      await change.audit({
        action: 'entitlement.grant',
        entityId: id,
        entityName: row.label,
        tenantKey: tenant.key,
        before: null,
        after: {
          source: row.source,
          cause: row.cause,
          label: row.label,
          purchaseId: row.purchaseId,
          apiKey: row.apiKey,
          limitName: row.limitName,
          appliesTo: row.appliesTo,
          effect,
          startsAt: from.toISOString(),
          endsAt: endsAt?.toISOString() ?? null,
          ...(unitsExpireAt === null ? {} : { unitsExpireAt: unitsExpireAt.toISOString() }),
          carryOver,
        },
      });
    }
    await this.planner.replan(change, [{ tenant, carryOver: startsAt <= now ? carryOver : CarryOver.KEEP }]);
    return rows.map((row) => ({ ...row, ends: [] }));
  }

  /**
   * Ends grants by id, or all of a purchase. Grants that have ended by then stay unchanged, except top-ups whose unused units
   * are still to move to the next period.
   * @returns the grants that were ended
   */
  async end(
    change: Change,
    tenant: TenantRow,
    { which, at, cause, reason = null }: GrantEnd,
  ): Promise<EntitlementRow[]> {
    const grants = await this.ledger.listGrants(change.tx, tenant.id, which);
    const live = grants.filter((grant) => {
      const endsAt = earliest([{ endsAt: grant.unitsExpireAt ?? grant.endsAt }, ...grant.ends]);
      return endsAt === null || endsAt > at;
    });
    if (live.length === 0) return [];
    const now = this.clock.now();
    const rows = live.map(({ ends: _, ...grant }) => ({
      ...grant,
      id: newId('entitlement'),
      kind: 'END' as const,
      grantId: grant.id,
      effect: grant.effect as object,
      cause,
      endsAt: at,
      reason,
      actor: change.caller.actor.label,
      changeId: change.id,
      createdAt: now,
    }));
    await this.ledger.add(change.tx, rows);
    for (const { grantId, label } of rows) {
      await change.audit({
        action: 'entitlement.end',
        entityId: grantId,
        entityName: label,
        tenantKey: tenant.key,
        before: { label },
        after: { label, endsAt: at.toISOString(), cause },
      });
    }
    const [rule, ...others] = new Set(live.map(({ carryOver }) => ruleOfEnd(carryOver)));
    const common = others.length === 0 ? (rule ?? CarryOver.KEEP) : CarryOver.KEEP;
    await this.planner.replan(change, [{ tenant, carryOver: common }]);
    return live.map((grant) => ({
      ...grant,
      ends: [...grant.ends, ...rows.filter((row) => row.grantId === grant.id)],
    }));
  }

  private async limitsOf(change: Change, tenant: TenantRow): Promise<LimitPolicy[]> {
    const { stored } = await this.views.get(tenant.id, change.tx);
    return stored.map(({ policy }) => policy);
  }
}
