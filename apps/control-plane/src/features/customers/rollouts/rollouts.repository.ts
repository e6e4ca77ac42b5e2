import { Injectable } from '@nestjs/common';
import { type CarryOver, Prisma, type Tenant } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { isInCohort, type StoredCohort } from '../../catalogue/index.js';

export interface RolloutFilter {
  tier: { id: string; key: string };
  /** The published version; only tenants on earlier ones. */
  published: number;
  fromVersion: number | null;
  cohort: StoredCohort | null;
  includePinned: boolean;
  /** Whether to include tenants pinned by a configuration file. */
  includeKept: boolean;
}

/** A locked tenant that is due to move to the published version. */
export interface DueTenant extends Tenant {
  tierId: string;
  tierKey: string;
  fromVersion: number;
  carryOver: CarryOver;
}

/** Schedules and finds tenants that move to the published version. */
@Injectable()
export class RolloutsRepository {
  constructor(private readonly database: Database) {}

  /** Schedules tenants to move now (`at`, or their test clock) in one statement. Returns their number. */
  async schedule(
    tx: Tx,
    { tier, published, fromVersion, cohort, includePinned, includeKept }: RolloutFilter,
    at: Date,
    carryOver: CarryOver,
  ): Promise<number> {
    const isFrom =
      fromVersion === null ? Prisma.sql`true` : Prisma.sql`s."pinned_version_number" = ${fromVersion}`;
    const isChosen = cohort === null ? Prisma.sql`true` : isInCohort(cohort, tier.key);
    return tx.$executeRaw`
      UPDATE "subscription" AS s
      SET "pinned_by_rollout" = true, "follow_carry_over" = ${carryOver}::"CarryOver",
        "follows_at" = coalesce((SELECT "now" FROM "test_clock" AS c WHERE c."tenant_id" = t."id"), ${at})
      FROM "tenant" AS t
      WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tier.id} AND s."pinned_version_number" < ${published}
        AND (s."pinned_by_rollout" OR (${includePinned} AND (t."managed_by" = 'CONSOLE' OR ${includeKept}))) AND ${isFrom} AND ${isChosen}`;
  }

  /** Whether some tenant is due: `tenantId`, or any. */
  async isAnyDue(realNow: Date, tenantId?: string): Promise<boolean> {
    const [row] = await this.database.client.$queryRaw<{ isDue: boolean }[]>`
      SELECT EXISTS (SELECT 1 ${dueFrom(realNow, tenantId)}) AS "isDue"`;
    return row?.isDue === true;
  }

  /** When a tenant pinned by a rollout moves to the published version, in billing time; null: not scheduled. */
  async findFollowsAt(tenantId: string): Promise<Date | null> {
    const row = await this.database.client.subscription.findUnique({
      where: { tenantId },
      select: { followsAt: true },
    });
    return row?.followsAt ?? null;
  }

  /** Locks due tenants, longest due first; skips those locked by another change. */
  async lockDue(tx: Tx, realNow: Date, most: number, tenantId?: string): Promise<DueTenant[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT t."id" ${dueFrom(realNow, tenantId)}
      ORDER BY s."follows_at", t."id" LIMIT ${most} FOR UPDATE OF s, t SKIP LOCKED`;
    const tenants = await tx.tenant.findMany({
      where: { id: { in: rows.map(({ id }) => id) } },
      include: { subscription: { include: { tier: { select: { key: true } } } } },
      orderBy: { id: 'asc' },
    });
    return tenants.flatMap(({ subscription, ...tenant }) => {
      if (subscription === null || subscription.followCarryOver === null) return [];
      const { tierId, tier, pinnedVersionNumber, followCarryOver } = subscription;
      const fromVersion = pinnedVersionNumber ?? 0;
      return [{ ...tenant, tierId, tierKey: tier.key, fromVersion, carryOver: followCarryOver }];
    });
  }

  async raiseVersions(tx: Tx, tenantIds: string[]): Promise<void> {
    await tx.tenant.updateMany({ where: { id: { in: tenantIds } }, data: { version: { increment: 1 } } });
  }
}

/** Due subscriptions, in the billing time of their tenants. */
function dueFrom(realNow: Date, tenantId: string | undefined): Prisma.Sql {
  return Prisma.sql`
    FROM "subscription" AS s JOIN "tenant" AS t ON t."id" = s."tenant_id"
      LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id"
    WHERE s."follows_at" IS NOT NULL AND s."follows_at" <= coalesce(c."now", ${realNow}::timestamptz)
      AND (${tenantId ?? null}::text IS NULL OR t."id" = ${tenantId ?? null})`;
}
