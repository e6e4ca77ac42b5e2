import { Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import { Database } from '../../../../platform/prisma/database.js';

export interface DiscoveredOperationRow {
  api: string;
  apiKnown: boolean;
  operation: string;
  known: boolean;
  count: bigint;
  refused: bigint;
  units: bigint;
  tenants: number;
  at: Date;
}

/** Finds what is asked for and not limited. */
@Injectable()
export class DiscoveredOperationsRepository {
  constructor(private readonly database: Database) {}

  /** Operations that their API does not have, and those that it has of which some requests met no limit; most asked for first. */
  list(apiKey: string | undefined, since: Date, first: number): Promise<DiscoveredOperationRow[]> {
    const ofApi = apiKey === undefined ? Prisma.empty : Prisma.sql`AND s."api" = ${apiKey}`;
    return this.database.client.$queryRaw<DiscoveredOperationRow[]>`
      SELECT s."api", a."id" IS NOT NULL AS "apiKnown", s."operation", o."id" IS NOT NULL AS "known",
        least(sum(u."count"), 9007199254740991)::bigint AS "count",
        least(sum(u."units"), 9007199254740991)::bigint AS "units",
        least(coalesce(sum(u."count") FILTER (WHERE s."outcome" IN ('REFUSED', 'POOL_REFUSED', 'DEGRADED_REFUSED')), 0),
          9007199254740991)::bigint AS "refused",
        count(DISTINCT u."tenant_id")::int AS "tenants", max(u."at") AS "at"
      FROM "usage_series" s
      LEFT JOIN "api" a ON a."key" = s."api"
      LEFT JOIN "operation" o ON o."api_id" = a."id" AND o."name" = s."operation"
      JOIN "usage_hour" u ON u."series_id" = s."id" AND u."at" >= ${since}
      WHERE (o."id" IS NULL OR s."outcome" = 'NO_LIMIT') AND s."operation" <> '*' ${ofApi}
      GROUP BY s."api", a."id", s."operation", o."id"
      ORDER BY "count" DESC, s."api", s."operation" LIMIT ${first}`;
  }
}
