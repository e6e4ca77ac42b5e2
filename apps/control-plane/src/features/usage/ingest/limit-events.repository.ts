import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { LimitCrossing, LimitPeak, Offender } from '@tollgate/contracts';
import { periodAt } from '@tollgate/limiter/algorithms';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import type { KnownTenant } from './series-ids.js';

export interface CrossingNotice {
  kind: 'limit.near' | 'limit.reached';
  tenant: { id: string; key: string };
  data: { api: string; limit: string; percent: number; used: number; capacity: number; at: string };
  dedupeKey: string;
}

/** Matches counters of limits with dimensions (users, addresses, …): their values follow the stem. */
const HAS_VALUES = /[=~#^?]/;

/**
 * The notice to the tenant, for limits on the tenant as a whole, once per threshold and day. Limits by user have too
 * many counters and limits by minute too many windows for notices; their crossings are listed in usage.
 */
export function noticeOf(crossing: LimitCrossing, tenant: KnownTenant): CrossingNotice | undefined {
  const { api, limit, percent, used, capacity, atMs, counter } = crossing;
  // Also excludes limits shared by all tenants, whose hash tag starts with such a character.
  if (HAS_VALUES.test(counter)) return undefined;
  const day = periodAt('day', tenant.timeZone, 1, atMs).startMs;
  return {
    kind: percent >= 100 ? 'limit.reached' : 'limit.near',
    tenant: { id: tenant.id, key: tenant.key },
    data: { api, limit, percent, used, capacity, at: new Date(atMs).toISOString() },
    dedupeKey: `limit ${tenant.id} ${api} ${limit} ${percent} ${day}`,
  };
}

/** An event of a tenant whose key is resolved. */
export type OfTenant<T> = T & { tenantId: string };

/** Stores crossed thresholds, offenders and their notices. */
@Injectable()
export class LimitEventsRepository {
  /** Stores crossings. Returns the new ones. */
  async addCrossings(
    tx: Tx,
    crossings: readonly OfTenant<LimitCrossing>[],
  ): Promise<OfTenant<LimitCrossing>[]> {
    if (crossings.length === 0) return [];
    const byId = new Map(crossings.map((crossing) => [idOf(crossing), crossing]));
    const data = [...byId].map(([id, { tenantId, api, limit, counter, percent, used, capacity, atMs }]) => ({
      id,
      tenantId,
      api,
      limitName: limit,
      counter,
      percent,
      used,
      capacity,
      at: new Date(atMs),
    }));
    const added = await tx.limitCrossing.createManyAndReturn({
      data,
      skipDuplicates: true,
      select: { id: true },
    });
    return added.flatMap(({ id }) => byId.get(id) ?? []);
  }

  /** Adds denials by counter and hour. */
  async addOffenders(tx: Tx, offenders: readonly OfTenant<Offender>[], hour: Date): Promise<void> {
    if (offenders.length === 0) return;
    const sums = new Map<string, OfTenant<Offender>>();
    for (const offender of offenders) {
      const key = `${offender.tenantId} ${offender.counter}`;
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { ...offender });
      else {
        known.units += offender.units;
        known.error += offender.error;
      }
    }
    const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    await tx.$executeRaw`
      INSERT INTO "limit_offender" AS kept ("tenant_id", "at", "counter", "api", "limit_name", "units", "error")
      SELECT "tenant_id", ${hour}, "counter", "api", "limit_name", "units", "error"
      FROM unnest(
        ${rows.map(({ tenantId }) => tenantId)}::text[],
        ${rows.map(({ counter }) => counter)}::text[],
        ${rows.map(({ api }) => api)}::text[],
        ${rows.map(({ limit }) => limit)}::text[],
        ${rows.map(({ units }) => `${units}`)}::bigint[],
        ${rows.map(({ error }) => `${error}`)}::bigint[]
      ) AS added ("tenant_id", "counter", "api", "limit_name", "units", "error")
      ON CONFLICT ("tenant_id", "at", "counter")
      DO UPDATE SET "units" = kept."units" + excluded."units", "error" = kept."error" + excluded."error"`;
  }

  /** Creates notices, once per `dedupeKey`. */
  async addNotices(tx: Tx, notices: readonly CrossingNotice[]): Promise<void> {
    if (notices.length === 0) return;
    const data = notices.map(({ kind, tenant, data, dedupeKey }) => ({
      id: newId('notice'),
      kind,
      tenantId: tenant.id,
      tenantKey: tenant.key,
      data: { ...data },
      dedupeKey,
    }));
    await tx.notice.createMany({ data, skipDuplicates: true });
  }
}

/** Hashed, because ids contain counter keys that may be too long for an index. */
function idOf({ id }: LimitCrossing): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Length of a bucket of peaks. */
export const PEAK_MS = 300_000;

/** A computed row is not computed again before this time, so that busy tenants do not delay others. */
const PAUSE_MS = 3000;

/** Stores the highest usage of limits, and marks what has to be computed or checked because of it. */
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

  /** Makes auto top-ups due whose quota is low, by the limit that nodes applied. */
  async markLowQuotas(tx: Tx, peaks: readonly OfTenant<LimitPeak>[], now: Date): Promise<void> {
    const rows = mergePeaks(peaks.filter(({ periodEndMs }) => periodEndMs !== undefined));
    if (rows.length === 0) return;
    await tx.$executeRaw`
      WITH low AS (
        SELECT a."id" FROM unnest(
          ${rows.map(({ tenantId }) => tenantId)}::text[],
          ${rows.map(({ api }) => api)}::text[],
          ${rows.map(({ limit }) => limit)}::text[],
          ${rows.map(({ used }) => `${used}`)}::bigint[],
          ${rows.map(({ capacity }) => `${capacity}`)}::bigint[]
        ) AS p ("tenant_id", "api", "limit_name", "used", "capacity")
        JOIN "auto_top_up" a ON a."tenant_id" = p."tenant_id" AND a."api_key" = p."api" AND a."limit_name" = p."limit_name"
        WHERE a."status" = 'ON' AND a."due_at" > ${now} AND (p."capacity" - p."used" < a."threshold_units"
          OR (p."capacity" - p."used")::numeric * 100 < p."capacity"::numeric * a."threshold_percent")
        ORDER BY a."id" FOR UPDATE OF a
      )
      UPDATE "auto_top_up" a SET
        "due_at" = least(a."due_at", greatest(${now}, a."checked_at" + ${`${PAUSE_MS} ms`}::interval))
      FROM low WHERE a."id" = low."id"`;
  }

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
