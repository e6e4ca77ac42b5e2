import { Injectable } from '@nestjs/common';
import { type LimitCrossing, type LimitOffender, Prisma, type UsagePeak } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database } from '../../../platform/prisma/database.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';
import { type UsageCount, UsageGroup, UsageInterval } from './usage.graphql.js';

/** A time range that starts with an interval. */
export interface UsageRange {
  from: Date;
  to: Date;
}

export interface UsageFilter {
  apiKey?: string | null | undefined;
  operation?: string | null | undefined;
  limitName?: string | null | undefined;
}

export type CountRow = Record<keyof UsageCount, bigint>;

/** Numbers of a row; its sums are exact. */
export function countOf(row: Readonly<CountRow>): UsageCount {
  return {
    count: Number(row.count),
    denied: Number(row.denied),
    degraded: Number(row.degraded),
    units: Number(row.units),
    candidateCount: Number(row.candidateCount),
    candidateDenied: Number(row.candidateDenied),
    candidateDeniedUnits: Number(row.candidateDeniedUnits),
  };
}

/** One point of one series; dimensions that are not grouped by are null. */
export interface UsagePointRow extends CountRow {
  at: Date;
  apiKey: string | null;
  operation: string | null;
  limitName: string | null;
  outcome: UsageOutcome | null;
}

export interface TenantUsageRow extends CountRow {
  tenantId: string;
  tenantKey: string;
  tenantName: string;
}

/** Decisions of all tenants; `durations` counts requests per bucket of `LATENCY_BOUNDS_MS`, or is empty. */
export interface TrafficPointRow extends CountRow {
  at: Date;
  durations: bigint[];
}

export type LimitCrossingRow = LimitCrossing;
export type OffenderRow = LimitOffender & { tenantKey: string };

const DENIALS = [UsageOutcome.DENIED, UsageOutcome.POOL_DENIED, UsageOutcome.DEGRADED_DENIED];

const TABLES: Record<UsageInterval, Prisma.Sql> = {
  MINUTE: Prisma.sql`"usage_minute"`,
  HOUR: Prisma.sql`"usage_hour"`,
  DAY: Prisma.sql`"usage_day"`,
};

const MAX = Prisma.sql`9007199254740991`;

/** Whether the decisions of series `s` were denied. */
export const IS_DENIED = Prisma.sql`s."outcome" = ANY (${DENIALS}::"UsageOutcome"[])`;

/** Sums of a group of rows, 0 if empty, capped at the largest exact number. `least` ignores NULL. */
const SUMS = Prisma.sql`
  least(coalesce(sum(u."count"), 0), ${MAX})::bigint AS "count",
  least(coalesce(sum(u."count") FILTER (WHERE ${IS_DENIED}), 0), ${MAX})::bigint AS "denied",
  least(coalesce(sum(u."count") FILTER (WHERE s."outcome" = 'DEGRADED_ALLOWED'), 0), ${MAX})::bigint AS "degraded",
  least(coalesce(sum(u."units"), 0), ${MAX})::bigint AS "units",
  least(coalesce(sum(u."candidate_count"), 0), ${MAX})::bigint AS "candidateCount",
  least(coalesce(sum(u."candidate_denied"), 0), ${MAX})::bigint AS "candidateDenied",
  least(coalesce(sum(u."candidate_denied_units"), 0), ${MAX})::bigint AS "candidateDeniedUnits"`;

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Points of a tenant in ascending order, grouped by `groups`. */
  async list(
    tenantId: string,
    interval: UsageInterval,
    range: UsageRange,
    filter: UsageFilter,
    groups: readonly UsageGroup[],
  ): Promise<UsagePointRow[]> {
    const has = (...any: UsageGroup[]) => any.some((group) => groups.includes(group));
    const named = (isGroup: boolean, column: Prisma.Sql) => (isGroup ? column : Prisma.sql`NULL`);
    return this.database.client.$queryRaw<UsagePointRow[]>`
      SELECT u."at",
        ${named(has(UsageGroup.API, UsageGroup.OPERATION, UsageGroup.LIMIT), Prisma.sql`s."api"`)} AS "apiKey",
        ${named(has(UsageGroup.OPERATION), Prisma.sql`s."operation"`)} AS "operation",
        ${named(has(UsageGroup.LIMIT), Prisma.sql`s."limit_name"`)} AS "limitName",
        ${named(has(UsageGroup.OUTCOME), Prisma.sql`s."outcome"::text`)} AS "outcome",
        ${SUMS}
      FROM ${TABLES[interval]} u JOIN "usage_series" s ON s."id" = u."series_id"
      WHERE u."tenant_id" = ${tenantId} AND u."at" >= ${range.from} AND u."at" < ${range.to} ${matching(filter)}
      GROUP BY 1, 2, 3, 4, 5
      ORDER BY 1`;
  }

  /** The busiest minute of each day per operation, and with an empty operation for each API. */
  listPeaks(tenantId: string, since: Date): Promise<UsagePeak[]> {
    return this.database.client.usagePeak.findMany({ where: { tenantId, at: { gte: since } } });
  }

  /** Tenants ranked by a metric in a range; deleted tenants are omitted. */
  async listTop(
    interval: UsageInterval,
    range: UsageRange,
    filter: UsageFilter,
    order: 'count' | 'denied' | 'units',
    first: number,
  ): Promise<TenantUsageRow[]> {
    const inRange = Prisma.sql`u."at" >= ${range.from} AND u."at" < ${range.to}`;
    const ranked = order === 'denied' ? Prisma.sql`AND ${IS_DENIED}` : Prisma.empty;
    const { client } = this.database;
    // With their ids, Postgres knows how few rows denials have.
    const series = await client.$queryRaw<{ id: number }[]>`
      SELECT s."id" FROM "usage_series" s WHERE true ${ranked} ${matching(filter)}`;
    // All sums are computed for the listed tenants only.
    return client.$queryRaw<TenantUsageRow[]>`
      WITH top AS (
        SELECT t."id", t."key", t."name", ranked."sum" FROM (
          SELECT u."tenant_id", sum(u.${order === 'units' ? Prisma.sql`"units"` : Prisma.sql`"count"`}) AS "sum"
          FROM ${TABLES[interval]} u
          WHERE ${inRange} AND u."series_id" = ANY (${series.map(({ id }) => id)}::int[])
          GROUP BY u."tenant_id"
        ) ranked JOIN "tenant" t ON t."id" = ranked."tenant_id"
        WHERE ranked."sum" > 0
        ORDER BY ranked."sum" DESC, t."key"
        LIMIT ${first}
      )
      SELECT top."id" AS "tenantId", top."key" AS "tenantKey", top."name" AS "tenantName", sums.*
      FROM top, LATERAL (
        SELECT ${SUMS} FROM ${TABLES[interval]} u JOIN "usage_series" s ON s."id" = u."series_id"
        WHERE u."tenant_id" = top."id" AND ${inRange} ${matching(filter)}
      ) sums
      ORDER BY top."sum" DESC, top."key"`;
  }

  /** Decisions of all tenants per step of the range, in ascending order; steps without decisions are omitted. */
  async listTraffic({ from, to }: UsageRange, stepMs: number): Promise<TrafficPointRow[]> {
    const step = Prisma.sql`date_bin(make_interval(secs => ${stepMs / 1000}::float8), "at", ${from})`;
    const inRange = Prisma.sql`"at" >= ${from} AND "at" < ${to}`;
    return this.database.client.$queryRaw<TrafficPointRow[]>`
      SELECT point.*, coalesce(bucket."durations", '{}') AS "durations" FROM (
        SELECT ${step} AS "at", sum("count")::bigint AS "count", sum("denied")::bigint AS "denied",
          sum("degraded")::bigint AS "degraded", least(sum("units"), ${MAX})::bigint AS "units",
          least(sum("candidate_count"), ${MAX})::bigint AS "candidateCount",
          least(sum("candidate_denied"), ${MAX})::bigint AS "candidateDenied",
          least(sum("candidate_denied_units"), ${MAX})::bigint AS "candidateDeniedUnits"
        FROM "traffic_minute" WHERE ${inRange} GROUP BY 1
      ) point LEFT JOIN (
        SELECT "at", array_agg("requests" ORDER BY "position") AS "durations" FROM (
          SELECT ${step} AS "at", "position", sum("requests")::bigint AS "requests"
          FROM "traffic_minute", unnest("durations") WITH ORDINALITY AS one ("requests", "position")
          WHERE ${inRange} GROUP BY 1, 2
        ) summed GROUP BY "at"
      ) bucket USING ("at")
      ORDER BY "at"`;
  }

  /** The busiest point of a tenant in a range; null if there is none. */
  async findPeak(
    tenantId: string,
    interval: UsageInterval,
    range: UsageRange,
  ): Promise<(CountRow & { at: Date }) | null> {
    const [peak] = await this.database.client.$queryRaw<(CountRow & { at: Date })[]>`
      SELECT u."at", ${SUMS}
      FROM ${TABLES[interval]} u JOIN "usage_series" s ON s."id" = u."series_id"
      WHERE u."tenant_id" = ${tenantId} AND u."at" >= ${range.from} AND u."at" < ${range.to}
      GROUP BY u."at" ORDER BY "count" DESC, u."at" LIMIT 1`;
    return peak ?? null;
  }

  /** Usage of a tenant in a range; `charged` is the cost of allowed decisions. */
  async sum(
    tenantId: string,
    interval: UsageInterval,
    range: UsageRange,
    filter: UsageFilter = {},
  ): Promise<UsageCount & { charged: number }> {
    const [row] = await this.database.client.$queryRaw<(CountRow & { charged: bigint })[]>`
      SELECT ${SUMS},
        least(coalesce(sum(u."units") FILTER (WHERE NOT ${IS_DENIED}), 0), ${MAX})::bigint AS "charged"
      FROM ${TABLES[interval]} u JOIN "usage_series" s ON s."id" = u."series_id"
      WHERE u."tenant_id" = ${tenantId} AND u."at" >= ${range.from} AND u."at" < ${range.to} ${matching(filter)}`;
    // A sum without GROUP BY always has one row.
    const sums = row as CountRow & { charged: bigint };
    return { ...countOf(sums), charged: Number(sums.charged) };
  }

  /** Crossed thresholds of a tenant, newest first, with one row more than the page size if there is a next page. */
  listCrossings(
    tenantId: string,
    apiKey: string | undefined,
    page: Page<[at: number, id: string]>,
  ): Promise<LimitCrossingRow[]> {
    const [atMs, id] = page.after ?? [];
    const before =
      atMs === undefined || id === undefined
        ? {}
        : { OR: [{ at: { lt: new Date(atMs) } }, { at: new Date(atMs), id: { lt: id } }] };
    return this.database.client.limitCrossing.findMany({
      where: { tenantId, ...(apiKey === undefined ? {} : { api: apiKey }), ...before },
      orderBy: [{ at: 'desc' }, { id: 'desc' }],
      take: page.first + 1,
    });
  }

  countCrossings(tenantId: string, apiKey: string | undefined): Promise<number> {
    return this.database.client.limitCrossing.count({
      where: { tenantId, ...(apiKey === undefined ? {} : { api: apiKey }) },
    });
  }

  /** Counters with the most denials, of one tenant or of all. */
  listOffenders(tenantId: string | undefined, range: UsageRange, first: number): Promise<OffenderRow[]> {
    const ofTenant = tenantId === undefined ? Prisma.empty : Prisma.sql`AND o."tenant_id" = ${tenantId}`;
    return this.database.client.$queryRaw<OffenderRow[]>`
      SELECT t."key" AS "tenantKey", o."tenant_id" AS "tenantId", o."counter", o."api", o."limit_name" AS "limitName",
        max(o."at") AS "at", least(sum(o."units"), ${MAX})::bigint AS "units", least(sum(o."error"), ${MAX})::bigint AS "error"
      FROM "limit_offender" o JOIN "tenant" t ON t."id" = o."tenant_id"
      WHERE o."at" >= ${range.from} AND o."at" < ${range.to} ${ofTenant}
      GROUP BY 1, 2, 3, 4, 5
      ORDER BY "units" DESC, "counter" LIMIT ${first}`;
  }
}

function matching({ apiKey, operation, limitName }: UsageFilter): Prisma.Sql {
  const conditions = [
    ...(apiKey == null ? [] : [Prisma.sql`AND s."api" = ${apiKey}`]),
    ...(operation == null ? [] : [Prisma.sql`AND s."operation" = ${operation}`]),
    ...(limitName == null ? [] : [Prisma.sql`AND s."limit_name" = ${limitName}`]),
  ];
  return conditions.length === 0 ? Prisma.empty : Prisma.join(conditions, ' ');
}

export interface DiscoveredOperationRow extends CountRow {
  api: string;
  apiKnown: boolean;
  operation: string;
  known: boolean;
  tenants: number;
  at: Date;
}

/** Queries on requested operations without limits. */
@Injectable()
export class DiscoveredOperationsRepository {
  constructor(private readonly database: Database) {}

  /** Unknown operations, and known ones with requests that met no limit; most requested first. */
  list(apiKey: string | undefined, since: Date, first: number): Promise<DiscoveredOperationRow[]> {
    const ofApi = apiKey === undefined ? Prisma.empty : Prisma.sql`AND s."api" = ${apiKey}`;
    return this.database.client.$queryRaw<DiscoveredOperationRow[]>`
      SELECT s."api", a."id" IS NOT NULL AS "apiKnown", s."operation", o."id" IS NOT NULL AS "known",
        ${SUMS}, count(DISTINCT u."tenant_id")::int AS "tenants", max(u."at") AS "at"
      FROM "usage_series" s
      LEFT JOIN "api" a ON a."key" = s."api"
      LEFT JOIN "operation" o ON o."api_id" = a."id" AND o."name" = s."operation"
      JOIN "usage_hour" u ON u."series_id" = s."id" AND u."at" >= ${since}
      WHERE (o."id" IS NULL OR s."outcome" = 'NO_LIMIT') AND s."operation" <> '*' ${ofApi}
      GROUP BY s."api", a."id", s."operation", o."id"
      ORDER BY "count" DESC, s."api", s."operation" LIMIT ${first}`;
  }
}
