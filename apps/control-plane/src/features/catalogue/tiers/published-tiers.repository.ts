import { Injectable } from '@nestjs/common';
import type { TierVersionRecord } from '@tollgate/contracts';
import { type CarryOver, Prisma, TierVersionStatus } from '@tollgate/database';
import { periodAt } from '@tollgate/limiter/algorithms';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { KEPT_VERSIONS } from '../apis/apis.repository.js';
import { type LimitRecord, toLimitRecord } from '../limits/limit-record.js';
import type { StoredCohort } from './tiers.graphql.js';

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
  async pin(
    tx: Tx,
    tier: { id: string; key: string },
    version: number,
    except?: StoredCohort,
  ): Promise<string[]> {
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
export function isInCohort({ tags, tenantKeys, percent }: StoredCohort, tierKey: string): Prisma.Sql {
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

/** The carry-over rule as nodes write it. */
export function toWireCarryOver(carryOver: CarryOver): Lowercase<CarryOver> {
  return carryOver.toLowerCase() as Lowercase<CarryOver>;
}

/** The fields of a version record. */
export interface PublishedVersion {
  number: number;
  carryOver: CarryOver;
  publishedAt: Date;
  limits: LimitRecord[];
}

/**
 * A published version as nodes read it. Published versions have consecutive numbers: each replaces the one before it.
 * @param numbers of the versions that nodes receive
 */
export function toVersionRecord(
  { number, limits, carryOver, publishedAt }: PublishedVersion,
  numbers: ReadonlySet<number>,
): TierVersionRecord {
  const defaults = limits.flatMap(({ origin }, index) => (origin === 'DEFAULT' ? [index] : []));
  return {
    number,
    limits: limits.map(({ policy }) => policy),
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(numbers.has(number - 1)
      ? {
          replaces: {
            number: number - 1,
            carryOver: toWireCarryOver(carryOver),
            atMs: publishedAt.getTime(),
          },
        }
      : {}),
  };
}

/** A tier with published versions, by number. */
export interface PublishedTier {
  id: string;
  key: string;
  weight: number;
  currentVersion: number;
  versions: PublishedVersion[];
}

/** Published tier versions, for effective limits. */
@Injectable()
export class PublishedTiersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Tiers with their published version, the versions that it recently replaced, and the requested ones. Tiers without a
   * published version are omitted.
   * @param requested version numbers by tier id
   */
  async list(
    requested: ReadonlyMap<string, ReadonlySet<number>>,
    tx: Tx = this.database.client,
  ): Promise<PublishedTier[]> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const published = await tx.tierVersion.findMany({
      where: { tierId: { in: [...requested.keys()] }, status: PUBLISHED },
      select: { number: true, tier: { select: { id: true, key: true, weight: true } } },
    });
    const rows = await tx.tierVersion.findMany({
      where: {
        status: { not: DRAFT },
        OR: published.map(({ number, tier }) => ({
          tierId: tier.id,
          OR: [
            { number: { gte: number - KEPT_VERSIONS } },
            { number: { in: [...(requested.get(tier.id) ?? [])] } },
          ],
        })),
      },
      orderBy: { number: 'asc' },
      include: {
        limits: { orderBy: { position: 'asc' }, include: { api: { select: { key: true } } } },
      },
    });
    return published.map(({ number: currentVersion, tier }) => ({
      ...tier,
      currentVersion,
      versions: rows.flatMap(({ tierId, number, carryOver, publishedAt, limits }) =>
        tierId === tier.id && publishedAt !== null
          ? [{ number, carryOver, publishedAt, limits: limits.map(toLimitRecord) }]
          : [],
      ),
    }));
  }
}
