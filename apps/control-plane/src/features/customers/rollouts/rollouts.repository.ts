import { Injectable } from '@nestjs/common';
import { type CarryOver, Prisma, type Tenant } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { type Cohort, isInCohort } from '../../catalogue/index.js';

/** Which tenants of a tier are to follow it. */
export interface RolloutFilter {
  tier: { id: string; key: string };
  /** Only versions below this one, which is in force. */
  published: number;
  fromVersion: number | null;
  cohort: Cohort | null;
  includePinned: boolean;
  /** Also those whom a configuration file pins; else it goes on saying where they are. */
  includeKept: boolean;
}

/** A tenant whose time has come to follow its tier, locked. */
export interface DueTenant extends Tenant {
  tierId: string;
  tierKey: string;
  fromVersion: number;
  carryOver: CarryOver;
}

/** Who follows its tier again, and when. */
@Injectable()
export class RolloutsRepository {
  constructor(private readonly database: Database) {}

  /** Lets tenants follow now, which is `at` for those in real time; one statement, however many there are. Returns how many. */
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
      SET "held_back" = true, "follow_carry_over" = ${carryOver}::"CarryOver",
        "follows_at" = coalesce((SELECT "now" FROM "test_clock" AS c WHERE c."tenant_id" = t."id"), ${at})
      FROM "tenant" AS t
      WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tier.id} AND s."pinned_version_number" < ${published}
        AND (s."held_back" OR (${includePinned} AND (t."managed_by" = 'CONSOLE' OR ${includeKept}))) AND ${isFrom} AND ${isChosen}`;
  }

  /** Whether some tenant is due: `tenantId`, or any. */
  async isAnyDue(realNow: Date, tenantId?: string): Promise<boolean> {
    const [row] = await this.database.client.$queryRaw<{ isDue: boolean }[]>`
      SELECT EXISTS (SELECT 1 ${dueFrom(realNow, tenantId)}) AS "isDue"`;
    return row?.isDue === true;
  }

  /** When a tenant that is held back follows again, by its billing time; null: not by itself. */
  async findFollowsAt(tenantId: string): Promise<Date | null> {
    const row = await this.database.client.subscription.findUnique({
      where: { tenantId },
      select: { followsAt: true },
    });
    return row?.followsAt ?? null;
  }

  /** Tenants that are due, longest first, locked: those that another change has at this moment come next time. */
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

/** Subscriptions whose time has come, each by its tenant's billing time. */
function dueFrom(realNow: Date, tenantId: string | undefined): Prisma.Sql {
  return Prisma.sql`
    FROM "subscription" AS s JOIN "tenant" AS t ON t."id" = s."tenant_id"
      LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id"
    WHERE s."follows_at" IS NOT NULL AND s."follows_at" <= coalesce(c."now", ${realNow}::timestamptz)
      AND (${tenantId ?? null}::text IS NULL OR t."id" = ${tenantId ?? null})`;
}
