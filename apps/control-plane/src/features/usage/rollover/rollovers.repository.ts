import { Injectable } from '@nestjs/common';
import type { QuotaPeriod } from '@tollgate/contracts';
import { Prisma, type QuotaRollover } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { EndedTopUp } from '../../customers/index.js';

/** Tenants with this calendar have quotas of this period that roll over. */
export interface RollingCalendar {
  timeZone: string;
  billingAnchorDay: number;
  period: QuotaPeriod;
}

/** A quota whose period has ended and is not settled. */
export interface UnsettledQuota {
  tenantId: string;
  tenantKey: string;
  api: string;
  limitName: string;
  /** The highest count that nodes have reported in the period. */
  used: number;
}

export interface Rollover extends Omit<UnsettledQuota, 'tenantKey'> {
  periodEnd: Date;
  unused: number;
  granted: number;
  /** The entitlement of the granted units; null: none are granted. */
  entitlementId: string | null;
}

/** The limits of the version that each tenant is on. */
const ROLLING = Prisma.sql`
  "limit" l
  JOIN "tier_version" v ON v."id" = l."tier_version_id"
  JOIN "subscription" s ON s."tier_id" = v."tier_id"
    AND (v."number" = s."pinned_version_number" OR (s."pinned_version_number" IS NULL AND v."status" = 'PUBLISHED'))
  JOIN "tenant" t ON t."id" = s."tenant_id"`;

const ROLLS_OVER = Prisma.sql`l."algorithm" = 'QUOTA' AND l."terms" -> 'rolloverPercent' IS NOT NULL`;

@Injectable()
export class RolloversRepository {
  constructor(private readonly database: Database) {}

  listCalendars(): Promise<RollingCalendar[]> {
    return this.database.client.$queryRaw<RollingCalendar[]>`
      SELECT DISTINCT t."time_zone" AS "timeZone", t."billing_anchor_day" AS "billingAnchorDay",
        l."terms" ->> 'period' AS "period"
      FROM ${ROLLING} WHERE ${ROLLS_OVER} AND t."status" <> 'ARCHIVED'`;
  }

  /** Quotas of tenants that were on their tier for the whole period, after `after` in the order of tenant, API and limit. */
  listUnsettled(
    { timeZone, billingAnchorDay, period }: RollingCalendar,
    { from, to }: { from: Date; to: Date },
    after: UnsettledQuota | undefined,
    first: number,
  ): Promise<UnsettledQuota[]> {
    const { tenantId = '', api = '', limitName = '' } = after ?? {};
    return this.database.client.$queryRaw<UnsettledQuota[]>`
      SELECT t."id" AS "tenantId", t."key" AS "tenantKey", a."key" AS "api", l."name" AS "limitName",
        coalesce((
          SELECT max(p."used") FROM "limit_peak" p
          WHERE p."tenant_id" = t."id" AND p."api" = a."key" AND p."limit_name" = l."name" AND p."is_quota"
            AND p."peak_at" >= ${from} AND p."peak_at" < ${to}
        ), 0)::float8 AS "used"
      FROM ${ROLLING} JOIN "api" a ON a."id" = l."api_id"
      WHERE ${ROLLS_OVER} AND t."status" <> 'ARCHIVED' AND s."since" <= ${from}
        AND t."time_zone" = ${timeZone} AND t."billing_anchor_day" = ${billingAnchorDay}
        AND l."terms" ->> 'period' = ${period}
        AND (t."id", a."key", l."name") > (${tenantId}, ${api}, ${limitName})
        AND NOT EXISTS (
          SELECT 1 FROM "quota_rollover" q
          WHERE q."tenant_id" = t."id" AND q."api" = a."key" AND q."limit_name" = l."name" AND q."period_end" = ${to}
        )
      ORDER BY t."id", a."key", l."name" LIMIT ${first}`;
  }

  /**
   * Top-ups whose period of the quota ended within that time and whose units have not expired, after the id `last`. After a
   * change of the calendar, a period that ends later can have the usage.
   */
  listEndedTopUps(
    { after, until, now }: { after: Date; until: Date; now: Date },
    last: string,
    first: number,
  ): Promise<EndedTopUp[]> {
    return this.database.client.$queryRaw<EndedTopUp[]>`
      SELECT e."id", t."key" AS "tenantKey", coalesce(r."used", 0)::float8 AS "used", r."at" AS "readingOf"
      FROM "entitlement" e JOIN "tenant" t ON t."id" = e."tenant_id" LEFT JOIN LATERAL (
          SELECT p."used", p."at" FROM "limit_peak" p
          WHERE p."tenant_id" = t."id" AND p."api" = e."api_key" AND p."limit_name" = e."limit_name" AND p."is_quota"
            AND p."at" >= e."ends_at"
          ORDER BY p."at" LIMIT 1
        ) r ON true
      WHERE e."kind" = 'GRANT' AND e."units_expire_at" > ${now} AND e."ends_at" < e."units_expire_at"
        AND e."ends_at" > ${after} AND e."ends_at" <= ${until} AND t."status" <> 'ARCHIVED' AND e."id" > ${last}
        AND NOT EXISTS (
          SELECT 1 FROM "entitlement" x WHERE x."grant_id" = e."id" AND x."ends_at" <= ${now}
        )
      ORDER BY e."id" LIMIT ${first}`;
  }

  /** The settled periods of a quota. */
  listSettled(tx: Tx, { tenantId, api, limitName }: UnsettledQuota): Promise<QuotaRollover[]> {
    return tx.quotaRollover.findMany({ where: { tenantId, api, limitName } });
  }

  async add(tx: Tx, rollover: Rollover, at: Date): Promise<void> {
    await tx.quotaRollover.create({ data: { ...rollover, at } });
  }

  async forget(before: Date): Promise<void> {
    await this.database.client.quotaRollover.deleteMany({ where: { periodEnd: { lt: before } } });
  }
}
