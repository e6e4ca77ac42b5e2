import { Injectable } from '@nestjs/common';
import { EVERY_API, type LimitPolicy, reachOf } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import { Database } from '../../../platform/prisma/database.js';
import { IS_DENIED } from '../../usage/index.js';

/** Requests that a limit covers, per minute, hour or day. */
export interface CoveredUsage {
  at: Date;
  requests: number;
  units: number;
  /** Denied by the limit, and by something else. */
  denied: number;
  deniedElsewhere: number;
  /** Average cost of the operations with the lowest and the highest. */
  leastCost: number;
  mostCost: number;
}

const TABLES = {
  minute: Prisma.sql`"usage_minute"`,
  hour: Prisma.sql`"usage_hour"`,
  day: Prisma.sql`"usage_day"`,
};

@Injectable()
export class PastEffectsRepository {
  constructor(private readonly database: Database) {}

  /** Ascending. */
  list(
    tenantId: string,
    table: keyof typeof TABLES,
    { from, to }: { from: Date; to: Date },
    limit: LimitPolicy,
  ): Promise<CoveredUsage[]> {
    const isOwn = Prisma.sql`(s."outcome" = 'DENIED' AND s."limit_name" = ${limit.name})`;
    return this.database.client.$queryRaw<CoveredUsage[]>`
      SELECT u."at", sum(u."count")::float8 AS "requests", sum(u."units")::float8 AS "units",
        coalesce(sum(u."count") FILTER (WHERE ${isOwn}), 0)::float8 AS "denied",
        coalesce(sum(u."count") FILTER (WHERE ${IS_DENIED} AND NOT ${isOwn}), 0)::float8 AS "deniedElsewhere",
        min(u."units"::float8 / u."count") AS "leastCost", max(u."units"::float8 / u."count") AS "mostCost"
      FROM ${TABLES[table]} u JOIN "usage_series" s ON s."id" = u."series_id"
      WHERE u."tenant_id" = ${tenantId} AND u."at" >= ${from} AND u."at" < ${to} AND u."count" > 0 ${covered(limit)}
      GROUP BY 1 ORDER BY 1`;
  }
}

function covered(limit: LimitPolicy): Prisma.Sql {
  const { operations, alsoApis = [] } = limit;
  const ofApis = alsoApis.includes(EVERY_API)
    ? Prisma.empty
    : Prisma.sql`AND s."api" = ANY (${reachOf(limit)}::text[])`;
  if (operations.length === 0) return ofApis;
  return Prisma.sql`${ofApis} AND s."operation" = ANY (${[...operations]}::text[])`;
}
