import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/prisma/database.js';
import type { SentDimensions } from './lint.rules.js';

/** The most sampled decisions to read, and their maximum age, ms. */
const MAX_SAMPLES = 20_000;
const RECENT_MS = 7 * 86_400_000;

interface Row {
  api: string;
  operation: string;
  /** Null: all requests. */
  dimension: string | null;
  count: number;
}

/** Dimensions in the sampled decisions of all tenants. */
@Injectable()
export class SentDimensionsRepository {
  constructor(private readonly database: Database) {}

  async listRecent(): Promise<SentDimensions[]> {
    const since = new Date(Date.now() - RECENT_MS);
    const rows = await this.database.client.$queryRaw<Row[]>`
      WITH "recent" AS MATERIALIZED (
        SELECT "api", "operation", "subject" FROM "decision_sample"
        WHERE "at" >= ${since} ORDER BY "at" DESC LIMIT ${MAX_SAMPLES})
      SELECT "api", "operation", NULL AS "dimension", count(*)::int AS "count" FROM "recent" GROUP BY 1, 2
      UNION ALL
      SELECT "api", "operation", d."dimension", count(*)::int FROM "recent"
      CROSS JOIN LATERAL jsonb_object_keys("subject") AS d("dimension") GROUP BY 1, 2, 3`;
    return rows
      .filter(({ dimension }) => dimension === null)
      .map(({ api, operation, count }) => {
        const own = rows.filter((row) => row.api === api && row.operation === operation);
        const withValue = new Map(own.flatMap((row) => (row.dimension ? [[row.dimension, row.count]] : [])));
        return { api, operation, requests: count, withValue };
      });
  }
}
