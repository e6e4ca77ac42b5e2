import { Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database } from '../../../platform/prisma/database.js';
import {
  BOARD_ROWS,
  BOARD_TABLES,
  type BoardFilter,
  boardConditions,
  boardCountConditions,
  findBySearch,
} from '../../customers/index.js';
import { PEAK_MS } from '../ingest/limit-events.repository.js';
import { IS_DENIED } from '../query/usage.repository.js';
import type { UtilizationOrder } from './utilization.graphql.js';
import { type ChargedUnits, type LimitState, type PeakReading, RATE_MS } from './utilization.rules.js';

const HOUR_MS = 3_600_000;

/** Hours of `requestsByHour`: the last 24, and the current one. */
export const HOURS = 25;

/** A tenant to compute, with the ids and settings that decide its limits. */
export interface StaleTenant {
  id: string;
  timeZone: string;
  billingAnchorDay: number;
  adjustments: unknown;
  versionId: string | null;
}

/** Usage of a tenant in the last 24 hours. */
export interface RecentUsage {
  requestsByHour: number[];
  deniedByHour: number[];
  charged: ChargedUnits[];
  /** Since the first usage, at least one. */
  hours: number;
}

/** A computed row. */
export interface UtilizationRow {
  tenantId: string;
  percent: number;
  requests: number;
  denied: number;
  exhaustsAt: Date | null;
  limits: LimitState[];
  requestsByHour: number[];
  deniedByHour: number[];
}

export type StoredUtilization = UtilizationRow & { place: string[]; computedAt: Date | null };

/** Columns of each order before the tenant id; `type` is the type of the cursor's text. */
const ORDERS: Record<UtilizationOrder, { column: Prisma.Sql; type: Prisma.Sql }[]> = {
  UTILIZATION: [
    { column: Prisma.sql`u."percent"`, type: Prisma.sql`int` },
    { column: Prisma.sql`u."denied"`, type: Prisma.sql`bigint` },
  ],
  DENIED: [{ column: Prisma.sql`u."denied"`, type: Prisma.sql`bigint` }],
  REQUESTS: [{ column: Prisma.sql`u."requests"`, type: Prisma.sql`bigint` }],
  EXHAUSTION: [{ column: Prisma.sql`u."exhausts_at"`, type: Prisma.sql`timestamptz` }],
  NAME: [{ column: Prisma.sql`t."name"`, type: Prisma.sql`text` }],
  TIER: [{ column: Prisma.sql`r."name"`, type: Prisma.sql`text` }],
  STATUS: [{ column: Prisma.sql`t."status"`, type: Prisma.sql`"TenantStatus"` }],
};

/** The id that each order is read by, from the table of its index. */
const ID: Record<UtilizationOrder, Prisma.Sql> = {
  UTILIZATION: Prisma.sql`u."tenant_id"`,
  DENIED: Prisma.sql`u."tenant_id"`,
  REQUESTS: Prisma.sql`u."tenant_id"`,
  EXHAUSTION: Prisma.sql`u."tenant_id"`,
  NAME: Prisma.sql`t."id"`,
  TIER: Prisma.sql`b."tenant_id"`,
  STATUS: Prisma.sql`t."id"`,
};

export const placeLength = (order: UtilizationOrder) => ORDERS[order].length + 1;

/** Reads and writes the utilization of tenants. */
@Injectable()
export class UtilizationRepository {
  constructor(private readonly database: Database) {}

  /** One page, with one row more if there is a next page. */
  async list(
    filter: BoardFilter,
    { order, descending }: { order: UtilizationOrder; descending: boolean },
    page: Page<string[]>,
  ): Promise<StoredUtilization[]> {
    const found = await findBySearch(this.database.client, filter.search);
    const columns = [...ORDERS[order], { column: ID[order], type: Prisma.sql`text` }];
    const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
    const after =
      page.after === undefined
        ? Prisma.empty
        : Prisma.sql`AND (${Prisma.join(columns.map(({ column }) => column))}) ${descending ? Prisma.sql`<` : Prisma.sql`>`} (${Prisma.join(
            columns.map(({ type }, i) => Prisma.sql`${page.after?.[i] ?? ''}::text::${type}`),
          )})`;
    const rowsOf = (tables: Prisma.Sql) => Prisma.sql`
      SELECT u."tenant_id" AS "tenantId", u."percent", u."requests"::float8 AS "requests", u."denied"::float8 AS "denied",
        nullif(u."exhausts_at", 'infinity') AS "exhaustsAt", u."limits",
        u."requests_by_hour"::float8[] AS "requestsByHour", u."denied_by_hour"::float8[] AS "deniedByHour",
        u."computed_at" AS "computedAt",
        ARRAY[${Prisma.join(columns.map(({ column }) => Prisma.sql`${column}::text`))}] AS "place"
      FROM ${tables} WHERE ${boardConditions(filter, found)} ${after}
      ORDER BY ${Prisma.join(columns.map(({ column }) => Prisma.sql`${column} ${direction}`))}
      LIMIT ${page.first + 1}`;
    if (order !== 'TIER') return this.database.client.$queryRaw<StoredUtilization[]>(rowsOf(BOARD_TABLES));
    // The first rows of each tier are read in the order of an index; all tenants would be sorted otherwise.
    const ofTier = rowsOf(Prisma.sql`${BOARD_ROWS} AND b."tier_id" = r."id"`);
    return this.database.client.$queryRaw<StoredUtilization[]>`
      SELECT p.* FROM "tier" r CROSS JOIN LATERAL (${ofTier}) p
      ORDER BY r."name" ${direction}, p."tenantId" ${direction} LIMIT ${page.first + 1}`;
  }

  async count(filter: BoardFilter): Promise<number> {
    const { tierKey, minPercent, denied } = filter;
    const ranked =
      minPercent === undefined && !denied
        ? Prisma.empty
        : Prisma.sql`JOIN "tenant_utilization" u ON u."tenant_id" = t."id"`;
    const tiered =
      tierKey === undefined
        ? Prisma.empty
        : Prisma.sql`JOIN "subscription" b ON b."tenant_id" = t."id" JOIN "tier" r ON r."id" = b."tier_id"`;
    const [row] = await this.database.client.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS "count" FROM "tenant" t ${ranked} ${tiered} WHERE ${boardCountConditions(filter)}`;
    return row?.count ?? 0;
  }

  /** Takes tenants that are stale. A change from now on makes them stale again. */
  async claimStale(now: Date, until: Date, first: number): Promise<StaleTenant[]> {
    const claimed = await this.database.client.$queryRaw<{ id: string }[]>`
      UPDATE "tenant_utilization" SET "stale_at" = ${until} WHERE "tenant_id" IN (
        SELECT "tenant_id" FROM "tenant_utilization" WHERE "stale_at" <= ${now}
        ORDER BY "stale_at" LIMIT ${first} FOR UPDATE SKIP LOCKED
      ) RETURNING "tenant_id" AS "id"`;
    return this.listTenants(claimed.map(({ id }) => id));
  }

  private listTenants(ids: readonly string[]): Promise<StaleTenant[]> {
    return this.database.client.$queryRaw<StaleTenant[]>`
      SELECT t."id", t."time_zone" AS "timeZone", t."billing_anchor_day" AS "billingAnchorDay",
        coalesce(b."adjustments", '[]') AS "adjustments", v."id" AS "versionId"
      FROM "tenant" t
      LEFT JOIN "subscription" b ON b."tenant_id" = t."id"
      LEFT JOIN "tier_version" v ON v."tier_id" = b."tier_id"
        AND (v."number" = b."pinned_version_number" OR (b."pinned_version_number" IS NULL AND v."status" = 'PUBLISHED'))
      WHERE t."id" = ANY (${[...ids]}::text[])`;
  }

  /** Readings of the last hour and of open quota periods, per tenant id. */
  async listReadings(ids: readonly string[], nowMs: number): Promise<Map<string, PeakReading[]>> {
    const rows = await this.database.client.$queryRaw<(PeakReading & { tenantId: string })[]>`
      SELECT "tenant_id" AS "tenantId", "api", "limit_name" AS "limitName", "is_quota" AS "isQuota",
        (extract(epoch FROM "at") * 1000)::float8 AS "atMs", "used"::float8 AS "used", "capacity"::float8 AS "capacity",
        (extract(epoch FROM "peak_at") * 1000)::float8 AS "peakAtMs", "denied"::float8 AS "denied",
        (extract(epoch FROM "denied_at") * 1000)::float8 AS "deniedAtMs"
      FROM "limit_peak"
      WHERE "tenant_id" = ANY (${[...ids]}::text[]) AND "at" > ${new Date(nowMs - RATE_MS)}`;
    return Map.groupBy(rows, ({ tenantId }) => tenantId);
  }

  /** The highest usage of one limit per five minutes, ascending. */
  listPeaks(tenantId: string, apiKey: string, limitName: string, from: Date) {
    return this.database.client.$queryRaw<{ at: Date; used: number; capacity: number; denied: number }[]>`
      SELECT "at", "used"::float8 AS "used", "capacity"::float8 AS "capacity", "denied"::float8 AS "denied"
      FROM "limit_peak"
      WHERE "tenant_id" = ${tenantId} AND "api" = ${apiKey} AND "limit_name" = ${limitName} AND "at" >= ${from}
        AND NOT "is_quota"
      ORDER BY "at" LIMIT ${Math.ceil((HOURS * HOUR_MS) / PEAK_MS)}`;
  }

  /** Usage of the last 24 hours, per tenant id; tenants without usage are omitted. */
  async listUsage(ids: readonly string[], nowMs: number): Promise<Map<string, RecentUsage>> {
    const startMs = nowMs - (nowMs % HOUR_MS) - (HOURS - 1) * HOUR_MS;
    const rows = await this.database.client.$queryRaw<
      {
        tenantId: string;
        hour: number | null;
        api: string | null;
        operation: string | null;
        count: number;
        denied: number;
        charged: number;
      }[]
    >`
      WITH hours AS (
        SELECT u."tenant_id", floor(extract(epoch FROM u."at" - ${new Date(startMs)}) / 3600)::int AS "hour",
          s."api", s."operation", ${IS_DENIED} AS "is_denied", u."count", u."units"
        FROM "usage_hour" u JOIN "usage_series" s ON s."id" = u."series_id"
        WHERE u."tenant_id" = ANY (${[...ids]}::text[]) AND u."at" >= ${new Date(startMs)}
      )
      SELECT "tenant_id" AS "tenantId", "hour", "api", "operation", sum("count")::float8 AS "count",
        coalesce(sum("count") FILTER (WHERE "is_denied"), 0)::float8 AS "denied",
        coalesce(sum("units") FILTER (WHERE NOT "is_denied"), 0)::float8 AS "charged"
      FROM hours GROUP BY GROUPING SETS (("tenant_id", "hour"), ("tenant_id", "api", "operation"))`;
    const found = new Map<string, RecentUsage>();
    for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
      const usage = {
        requestsByHour: Array.from({ length: HOURS }, () => 0),
        deniedByHour: Array.from({ length: HOURS }, () => 0),
        charged: [] as ChargedUnits[],
        hours: 1,
      };
      for (const { hour, api, operation, count, denied, charged } of own) {
        if (api !== null && operation !== null) usage.charged.push({ api, operation, units: charged });
        if (hour === null) continue;
        const i = Math.min(Math.max(hour, 0), HOURS - 1);
        usage.requestsByHour[i] = (usage.requestsByHour[i] ?? 0) + count;
        usage.deniedByHour[i] = (usage.deniedByHour[i] ?? 0) + denied;
        usage.hours = Math.max(usage.hours, Math.min(24, HOURS - 1 - i + (nowMs % HOUR_MS) / HOUR_MS));
      }
      found.set(tenantId, usage);
    }
    return found;
  }

  /**
   * Stores rows that were claimed until `until`; a tenant that became stale since stays so. `staleAt` null: until the next
   * request or change.
   */
  async store(
    rows: readonly (UtilizationRow & { staleAt: Date | null })[],
    now: Date,
    until: Date,
  ): Promise<void> {
    if (rows.length === 0) return;
    const sorted = [...rows].sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
    const array = (numbers: readonly number[]) => `{${numbers.join(',')}}`;
    await this.database.client.$executeRaw`
      WITH computed AS (
        SELECT * FROM unnest(
          ${sorted.map(({ tenantId }) => tenantId)}::text[],
          ${sorted.map(({ percent }) => percent)}::int[],
          ${sorted.map(({ requests }) => `${requests}`)}::bigint[],
          ${sorted.map(({ denied }) => `${denied}`)}::bigint[],
          ${sorted.map(({ exhaustsAt }) => exhaustsAt?.toISOString() ?? 'infinity')}::timestamptz[],
          ${sorted.map(({ limits }) => JSON.stringify(limits))}::jsonb[],
          ${sorted.map(({ requestsByHour }) => array(requestsByHour))}::text[],
          ${sorted.map(({ deniedByHour }) => array(deniedByHour))}::text[],
          ${sorted.map(({ staleAt }) => staleAt?.toISOString() ?? null)}::timestamptz[]
        ) AS new ("tenant_id", "percent", "requests", "denied", "exhausts_at", "limits", "by_hour", "denied_by_hour", "next_at")
      ), locked AS (
        SELECT "tenant_id" FROM "tenant_utilization" WHERE "tenant_id" IN (SELECT "tenant_id" FROM computed)
        ORDER BY "tenant_id" FOR UPDATE
      )
      UPDATE "tenant_utilization" u SET
        "percent" = c."percent", "requests" = c."requests", "denied" = c."denied", "exhausts_at" = c."exhausts_at",
        "limits" = c."limits", "requests_by_hour" = c."by_hour"::bigint[], "denied_by_hour" = c."denied_by_hour"::bigint[],
        "computed_at" = ${now},
        "stale_at" = CASE WHEN u."stale_at" < ${until} THEN u."stale_at" ELSE c."next_at" END
      FROM computed c JOIN locked USING ("tenant_id")
      WHERE u."tenant_id" = c."tenant_id"`;
  }
}
