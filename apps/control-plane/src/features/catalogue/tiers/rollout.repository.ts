import { Injectable } from '@nestjs/common';
import { type CarryOver, Prisma } from '@tollgate/database';
import { periodAt } from '@tollgate/decision-plane/internals';
import { type Tx } from '../../../platform/prisma/database.js';
import { type Cohort } from './tier.inputs.js';

/** What a tenant's billing periods go by. */
export interface BillingCalendar {
  timeZone: string;
  billingAnchorDay: number;
  /** Where the tenant's test clock stands; null: it lives in real time. */
  testNow: Date | null;
}

/** Tenants of a tier that a publication is not for, or not yet, stay on the version that they are on. */
@Injectable()
export class HoldsRepository {
  /**
   * Pins every tenant that follows the tier, but those of `except`, to a version. One statement, however many there are.
   * Nothing that they counted is touched: they go on as they were.
   * @returns the tenants' keys
   */
  async hold(tx: Tx, tier: { id: string; key: string }, version: number, except?: Cohort): Promise<string[]> {
    const others = except === undefined ? Prisma.sql`true` : Prisma.sql`NOT ${isInCohort(except, tier.key)}`;
    return keysOf(
      await tx.$queryRaw`
        WITH held AS (
          UPDATE "subscription" AS s SET "pinned_version_number" = ${version}, "held_back" = true
          FROM "tenant" AS t
          WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tier.id} AND s."pinned_version_number" IS NULL AND ${others}
          RETURNING s."tenant_id")
        UPDATE "tenant" SET "version" = "version" + 1 FROM held WHERE "id" = held."tenant_id" RETURNING "key"`,
    );
  }

  /** The calendars of the tenants that follow the tier, each once. */
  listCalendars(tx: Tx, tierId: string): Promise<BillingCalendar[]> {
    return tx.$queryRaw<BillingCalendar[]>`
      SELECT DISTINCT t."time_zone" AS "timeZone", t."billing_anchor_day" AS "billingAnchorDay", c."now" AS "testNow"
      FROM "subscription" AS s JOIN "tenant" AS t ON t."id" = s."tenant_id"
        LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id"
      WHERE s."tier_id" = ${tierId} AND s."pinned_version_number" IS NULL`;
  }

  /**
   * As `hold`, for the tenants with these calendars, each until the time given beside its calendar: then it follows again
   * by itself. Times are billing time.
   */
  async holdUntil(
    tx: Tx,
    tierId: string,
    version: number,
    carryOver: CarryOver,
    ends: readonly (BillingCalendar & { at: Date })[],
  ): Promise<string[]> {
    return keysOf(
      await tx.$queryRaw`
        WITH held AS (
          UPDATE "subscription" AS s
          SET "pinned_version_number" = ${version}, "held_back" = true, "follows_at" = e."at",
            "follow_carry_over" = ${carryOver}::"CarryOver"
          FROM "tenant" AS t LEFT JOIN "test_clock" AS c ON c."tenant_id" = t."id" JOIN unnest(
            ${ends.map(({ timeZone }) => timeZone)}::text[], ${ends.map((end) => end.billingAnchorDay)}::int[],
            ${ends.map(({ testNow }) => testNow?.toISOString() ?? null)}::timestamptz[],
            ${ends.map(({ at }) => at.toISOString())}::timestamptz[]
          ) AS e("zone", "day", "test_now", "at") ON e."zone" = t."time_zone" AND e."day" = t."billing_anchor_day"
            AND e."test_now" IS NOT DISTINCT FROM c."now"
          WHERE t."id" = s."tenant_id" AND s."tier_id" = ${tierId} AND s."pinned_version_number" IS NULL
          RETURNING s."tenant_id")
        UPDATE "tenant" SET "version" = "version" + 1 FROM held WHERE "id" = held."tenant_id" RETURNING "key"`,
    );
  }
}

/**
 * Whether the tenant `t` is in the cohort. A part of all is always the same one: who is in ten percent of a tier's tenants is
 * in twenty, too.
 */
export function isInCohort({ tags, tenantKeys, percent }: Cohort, tierKey: string): Prisma.Sql {
  return Prisma.sql`(
    t."tags" && ${tags}::text[] OR t."key" = ANY(${tenantKeys}::text[])
    OR ('x' || substr(md5(${tierKey} || '/' || t."key"), 1, 8))::bit(32)::bigint % 100 < ${percent})`;
}

function keysOf(rows: unknown): string[] {
  return (rows as { key: string }[]).map(({ key }) => key);
}

/** When the billing period ends that runs by each of the calendars, at its own time or at the real one, `realNow`. */
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
