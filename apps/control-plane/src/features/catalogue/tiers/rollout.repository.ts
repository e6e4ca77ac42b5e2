import { Injectable } from '@nestjs/common';
import { type CarryOver, Prisma } from '@tollgate/database';
import { periodAt } from '@tollgate/decision-plane/internals';
import type { Tx } from '../../../platform/prisma/database.js';
import type { Cohort } from './tier.inputs.js';

/** The fields that determine a tenant's billing periods. */
export interface BillingCalendar {
  timeZone: string;
  billingAnchorDay: number;
  /** Time of the tenant's test clock; null without one. */
  testNow: Date | null;
}

/** Pins tenants that a publication does not reach, or not yet, to their current version. Their counters do not change. */
@Injectable()
export class RolloutRepository {
  /**
   * Pins all tenants that follow the tier, except the cohort, in one statement.
   * @returns the tenants' keys
   */
  async pin(tx: Tx, tier: { id: string; key: string }, version: number, except?: Cohort): Promise<string[]> {
    const others = except === undefined ? Prisma.sql`true` : Prisma.sql`NOT ${isInCohort(except, tier.key)}`;
    return keysOf(
      await tx.$queryRaw`
        WITH pinned AS (
          UPDATE "subscription" AS s SET "pinned_version_number" = ${version}, "pinned_by_rollout" = true
          FROM "tenant" AS t
          WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tier.id} AND s."pinned_version_number" IS NULL AND ${others}
          RETURNING s."tenant_id")
        UPDATE "tenant" SET "version" = "version" + 1 FROM pinned WHERE "id" = pinned."tenant_id" RETURNING "key"`,
    );
  }

  /** The distinct calendars of the tenants that follow the tier. */
  listCalendars(tx: Tx, tierId: string): Promise<BillingCalendar[]> {
    return tx.$queryRaw<BillingCalendar[]>`
      SELECT DISTINCT t."time_zone" AS "timeZone", t."billing_anchor_day" AS "billingAnchorDay", c."now" AS "testNow"
      FROM "subscription" AS s JOIN "tenant" AS t ON t."id" = s."tenant_id"
        LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id"
      WHERE s."tier_id" = ${tierId} AND s."pinned_version_number" IS NULL`;
  }

  /**
   * Pins the tenants that follow the tier and have one of these calendars, each until `at` of its calendar, billing time.
   * @returns the tenants' keys
   */
  async pinUntil(
    tx: Tx,
    tierId: string,
    version: number,
    carryOver: CarryOver,
    ends: readonly (BillingCalendar & { at: Date })[],
  ): Promise<string[]> {
    return keysOf(
      await tx.$queryRaw`
        WITH pinned AS (
          UPDATE "subscription" AS s
          SET "pinned_version_number" = ${version}, "pinned_by_rollout" = true, "follows_at" = e."at",
            "follow_carry_over" = ${carryOver}::"CarryOver"
          FROM "tenant" AS t LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id" JOIN unnest(
            ${ends.map(({ timeZone }) => timeZone)}::text[], ${ends.map((end) => end.billingAnchorDay)}::int[],
            ${ends.map(({ testNow }) => testNow?.toISOString() ?? null)}::timestamptz[],
            ${ends.map(({ at }) => at.toISOString())}::timestamptz[]
          ) AS e("zone", "day", "test_now", "at") ON e."zone" = t."time_zone" AND e."day" = t."billing_anchor_day"
            AND e."test_now" IS NOT DISTINCT FROM c."now"
          WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tierId} AND s."pinned_version_number" IS NULL
          RETURNING s."tenant_id")
        UPDATE "tenant" SET "version" = "version" + 1 FROM pinned WHERE "id" = pinned."tenant_id" RETURNING "key"`,
    );
  }
}

/** SQL: whether tenant `t` is in the cohort. The percentage is stable: a tenant in 10 percent is also in 20. */
export function isInCohort({ tags, tenantKeys, percent }: Cohort, tierKey: string): Prisma.Sql {
  return Prisma.sql`(
    t."tags" && ${tags}::text[] OR t."key" = ANY(${tenantKeys}::text[])
    OR ('x' || substr(md5(${tierKey} || '/' || t."key"), 1, 8))::bit(32)::bigint % 100 < ${percent})`;
}

/** When the current billing period of each calendar ends. @param realNow the time for calendars without a test clock */
export function periodEnds(
  calendars: readonly BillingCalendar[],
  realNow: Date,
): (BillingCalendar & { at: Date })[] {
  return calendars.map((calendar) => {
    const { timeZone, billingAnchorDay, testNow } = calendar;
    const { endMs } = periodAt('billing', timeZone, billingAnchorDay, (testNow ?? realNow).getTime());
    return { ...calendar, at: new Date(endMs) };
  });
}

function keysOf(rows: unknown): string[] {
  return (rows as { key: string }[]).map(({ key }) => key);
}
