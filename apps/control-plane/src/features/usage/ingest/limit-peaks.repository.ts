import { Injectable } from '@nestjs/common';
import type { LimitPeak } from '@tollgate/contracts';
import type { Tx } from '../../../platform/prisma/database.js';
import type { OfTenant } from './limit-events.repository.js';

/** Length of a bucket of peaks. */
export const PEAK_MS = 300_000;

/** A computed row is not computed again before this time, so that busy tenants do not delay others. */
const PAUSE_MS = 3000;

/** Stores the highest usage of limits, and marks the utilization of their tenants as stale. */
@Injectable()
export class LimitPeaksRepository {
  /** Keeps the highest usage per limit and five minutes, and the newest usage per quota and period. */
  async add(tx: Tx, peaks: readonly OfTenant<LimitPeak>[]): Promise<void> {
    const rows = mergePeaks(peaks);
    if (rows.length === 0) return;
    await tx.$executeRaw`
      INSERT INTO "limit_peak" AS kept
        ("tenant_id", "api", "limit_name", "at", "is_quota", "used", "capacity", "peak_at", "denied", "denied_at")
      SELECT "tenant_id", "api", "limit_name", to_timestamp("at_s"), "is_quota", "used", "capacity",
        to_timestamp("peak_s"), "denied", CASE WHEN "denied" > 0 THEN to_timestamp("peak_s") END
      FROM unnest(
        ${rows.map(({ tenantId }) => tenantId)}::text[],
        ${rows.map(({ api }) => api)}::text[],
        ${rows.map(({ limit }) => limit)}::text[],
        ${rows.map((row) => bucketOf(row) / 1000)}::float8[],
        ${rows.map(({ periodEndMs }) => periodEndMs !== undefined)}::boolean[],
        ${rows.map(({ used }) => `${used}`)}::bigint[],
        ${rows.map(({ capacity }) => `${capacity}`)}::bigint[],
        ${rows.map(({ atMs }) => atMs / 1000)}::float8[],
        ${rows.map(({ denied }) => `${denied}`)}::bigint[]
      ) AS added ("tenant_id", "api", "limit_name", "at_s", "is_quota", "used", "capacity", "peak_s", "denied")
      ON CONFLICT ("tenant_id", "api", "limit_name", "at") DO UPDATE SET
        ("used", "capacity", "peak_at") = (
          SELECT newer."used", newer."capacity", newer."peak_at" FROM (VALUES
            (excluded."used", excluded."capacity", excluded."peak_at"),
            (kept."used", kept."capacity", kept."peak_at")
          ) AS newer ("used", "capacity", "peak_at")
          ORDER BY CASE WHEN NOT kept."is_quota" THEN newer."used"::float8 / newer."capacity" END DESC,
            newer."peak_at" DESC
          LIMIT 1
        ),
        "denied" = least(kept."denied" + excluded."denied", ${Number.MAX_SAFE_INTEGER}),
        "denied_at" = greatest(kept."denied_at", excluded."denied_at")`;
  }

  /** Marks the utilization of tenants as stale. */
  async markStale(tx: Tx, tenantIds: readonly string[], now: Date): Promise<void> {
    if (tenantIds.length === 0) return;
    // Locked in one order, so that concurrent writers do not deadlock.
    await tx.$executeRaw`
      WITH locked AS (
        SELECT "tenant_id" FROM "tenant_utilization" WHERE "tenant_id" = ANY (${[...tenantIds]}::text[])
        ORDER BY "tenant_id" FOR UPDATE
      )
      UPDATE "tenant_utilization" u SET "stale_at" =
        least(u."stale_at", greatest(${now}, u."computed_at" + ${`${PAUSE_MS} ms`}::interval))
      FROM locked WHERE u."tenant_id" = locked."tenant_id"`;
  }
}

/** The row of a peak: the start of its five minutes, or the end of a quota's period. */
function bucketOf({ atMs, periodEndMs }: LimitPeak): number {
  return periodEndMs ?? atMs - (atMs % PEAK_MS);
}

/** One peak per row of the table. */
export function mergePeaks(peaks: readonly OfTenant<LimitPeak>[]): OfTenant<LimitPeak>[] {
  const merged = new Map<string, OfTenant<LimitPeak>>();
  for (const peak of peaks) {
    const key = JSON.stringify([peak.tenantId, peak.api, peak.limit, bucketOf(peak)]);
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, peak);
      continue;
    }
    const replaces =
      peak.periodEndMs === undefined
        ? peak.used / peak.capacity > known.used / known.capacity
        : peak.atMs >= known.atMs;
    merged.set(key, { ...(replaces ? peak : known), denied: known.denied + peak.denied });
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, peak]) => peak);
}
