import { Injectable } from '@nestjs/common';
import type { QuotaCheckpoint } from '@tollgate/decision-plane/internals';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { KnownTenant } from '../ingest/series-ids.js';

/**
 * Merges readings by counter and period: the highest usage, except that a refund replaces all earlier readings.
 * Equivalent to the decision plane's `scripts/quota-checkpoint.lua`.
 */
export function mergeCheckpoints(seen: readonly QuotaCheckpoint[]): QuotaCheckpoint[] {
  const merged = new Map<string, QuotaCheckpoint>();
  for (const one of seen) {
    const name = `${one.periodEndMs} ${one.tenant} ${one.key}`;
    const kept = merged.get(name);
    if (kept === undefined) {
      merged.set(name, one);
      continue;
    }
    const lowers = one.loweredAtUs > kept.atUs;
    if (!lowers && (one.used <= kept.used || one.atUs <= kept.loweredAtUs)) continue;
    merged.set(name, { ...one, loweredAtUs: lowers ? one.loweredAtUs : kept.loweredAtUs });
  }
  return [...merged.values()];
}

/** Cursor of a page of checkpoints. */
interface Cursor {
  tenantId: string;
  counter: string;
  periodEnd: Date;
}

/** Stores quota usage, so that it survives the loss of Redis. */
@Injectable()
export class CheckpointsRepository {
  constructor(private readonly database: Database) {}

  /** Raises stored usage to the readings, or lowers it after a refund. Commutative and idempotent. */
  async raise(
    tx: Tx,
    seen: readonly QuotaCheckpoint[],
    tenants: ReadonlyMap<string, KnownTenant>,
  ): Promise<void> {
    const rows = mergeCheckpoints(seen.filter(({ tenant }) => tenants.has(tenant)));
    if (rows.length === 0) return;
    await tx.$executeRaw`
      INSERT INTO "quota_checkpoint" AS kept
        ("tenant_id", "counter", "period_end", "used", "at_us", "lowered_at_us")
      SELECT "tenant_id", "counter", to_timestamp("period_end_s"), "used", "at_us", "lowered_at_us"
      FROM unnest(
        ${rows.map(({ tenant }) => tenants.get(tenant)?.id ?? '')}::text[],
        ${rows.map(({ key }) => key)}::text[],
        ${rows.map(({ periodEndMs }) => periodEndMs / 1000)}::float8[],
        ${rows.map(({ used }) => `${used}`)}::bigint[],
        ${rows.map(({ atUs }) => `${atUs}`)}::bigint[],
        ${rows.map(({ loweredAtUs }) => `${loweredAtUs}`)}::bigint[]
      ) AS seen ("tenant_id", "counter", "period_end_s", "used", "at_us", "lowered_at_us")
      ON CONFLICT ("tenant_id", "counter", "period_end") DO UPDATE SET
        "used" = excluded."used",
        "at_us" = excluded."at_us",
        "lowered_at_us" = CASE WHEN excluded."lowered_at_us" > kept."at_us"
          THEN excluded."lowered_at_us" ELSE kept."lowered_at_us" END
      WHERE excluded."lowered_at_us" > kept."at_us"
        OR (excluded."used" > kept."used" AND excluded."at_us" > kept."lowered_at_us")`;
  }

  /** Checkpoints of open periods, in pages. */
  async *listOpen(now: Date, pageSize: number): AsyncGenerator<QuotaCheckpoint[]> {
    let after: Cursor = { tenantId: '', counter: '', periodEnd: new Date(0) };
    for (;;) {
      const rows = await this.listPage(now, after, pageSize);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last;
      yield rows.map(({ tenantKey, counter, periodEnd, used, atUs, loweredAtUs }) => ({
        tenant: tenantKey,
        key: counter,
        periodEndMs: periodEnd.getTime(),
        used: Number(used),
        atUs: Number(atUs),
        loweredAtUs: Number(loweredAtUs),
      }));
      if (rows.length < pageSize) return;
    }
  }

  private listPage(now: Date, { tenantId, counter, periodEnd }: Cursor, first: number) {
    return this.database.client.$queryRaw<
      (Cursor & { tenantKey: string; used: bigint; atUs: bigint; loweredAtUs: bigint })[]
    >`
      SELECT c."tenant_id" AS "tenantId", t."key" AS "tenantKey", c."counter", c."period_end" AS "periodEnd",
        c."used", c."at_us" AS "atUs", c."lowered_at_us" AS "loweredAtUs"
      FROM "quota_checkpoint" c JOIN "tenant" t ON t."id" = c."tenant_id"
      WHERE c."period_end" > ${now}
        AND (c."tenant_id", c."counter", c."period_end") > (${tenantId}, ${counter}, ${periodEnd})
      ORDER BY c."tenant_id", c."counter", c."period_end" LIMIT ${first}`;
  }
}
