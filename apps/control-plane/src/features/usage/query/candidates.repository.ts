import { Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import { Database } from '../../../platform/prisma/database.js';
import type { UsageRange } from './usage.repository.js';

/** A limit beside its candidate, over all tenants. */
export interface CandidateRow {
  apiKey: string;
  limitName: string;
  tenants: number;
  count: bigint;
  liveDenied: bigint;
  candidateDenied: bigint;
  newlyDenied: bigint;
}

const MINUTES = Prisma.sql`"usage_minute"`;
const HOURS = Prisma.sql`"usage_hour"`;

/** Reads denials of limits and of their candidates. */
@Injectable()
export class CandidatesRepository {
  constructor(private readonly database: Database) {}

  /** Decisions of the tenants on a version of a tier that checked a candidate, by limit. */
  list(
    { tierId, number }: { tierId: string; number: number },
    interval: 'MINUTE' | 'HOUR',
    { from, to }: UsageRange,
  ): Promise<CandidateRow[]> {
    const denied = Prisma.sql`s."outcome" <> 'ALLOWED'`;
    return this.database.client.$queryRaw<CandidateRow[]>`
      SELECT s."api" AS "apiKey", s."limit_name" AS "limitName", count(DISTINCT u."tenant_id")::int AS "tenants",
        sum(u."candidate_count")::bigint AS "count",
        coalesce(sum(u."candidate_count") FILTER (WHERE ${denied}), 0)::bigint AS "liveDenied",
        sum(u."candidate_denied")::bigint AS "candidateDenied",
        coalesce(sum(u."candidate_denied") FILTER (WHERE NOT ${denied}), 0)::bigint AS "newlyDenied"
      FROM "subscription" t
      JOIN ${interval === 'MINUTE' ? MINUTES : HOURS} u ON u."tenant_id" = t."tenant_id"
      JOIN "usage_series" s ON s."id" = u."series_id"
      WHERE t."tier_id" = ${tierId} AND coalesce(t."pinned_version_number", ${number}) = ${number}
        AND u."at" >= ${from} AND u."at" < ${to} AND u."candidate_count" > 0
      GROUP BY 1, 2 ORDER BY 1, 2`;
  }
}
