import { Injectable } from '@nestjs/common';
import { Prisma, type TrafficGap } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { FULL_ROWS, HOUR_US, MERGE_AT, type PackedBlock, SEALED } from './traffic-blocks.rules.js';

/** Blocks per read. */
const PAGE = 32;

/** Held by merges, so that no merge is in progress when a reader begins. */
const MERGE_LOCK = Prisma.sql`pg_advisory_xact_lock(hashtextextended('tollgate traffic merge', 0))`;

/** Time range of a recording, µs since the Unix epoch, `toUs` excluded. */
export interface RecordingRange {
  readonly fromUs: number;
  readonly toUs: number;
  /** Default: all tenants. */
  readonly tenantIds?: readonly string[] | undefined;
  /** Only blocks with decisions of this API; they may contain others. */
  readonly api?: string | undefined;
}

/** A stored block; `unpackBlock` decodes `packed`. The values of its subjects are keyed hashes. */
export interface RecordedBlock {
  readonly id: bigint;
  readonly tenantId: string;
  /** Times of its first and last decision, µs since the Unix epoch. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly rows: number;
  readonly packed: Uint8Array;
}

/** Stored blocks of a range, without their decisions. */
export interface RecordingExtent {
  readonly tenants: number;
  readonly decisions: number;
  readonly bytes: number;
  /** Null: there are no blocks. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
}

export interface NewBlock extends PackedBlock {
  readonly tenantId: string;
  readonly level: number;
}

/** Blocks of a tenant, level and hour that should be merged. */
export interface MergeGroup {
  readonly level: number;
  /** No block will be added to the hour: what is left is merged, whatever its number and level. */
  readonly isComplete: boolean;
  /** In the order of their ingestion. */
  readonly ids: readonly bigint[];
}

/** Largest stored size, bytes. */
export interface TrafficBudget {
  readonly tenantBytes: number;
  readonly totalBytes: number;
}

interface BlockRow extends Omit<RecordedBlock, 'fromUs' | 'toUs'> {
  fromUs: bigint;
  toUs: bigint;
}

@Injectable()
export class TrafficBlocksRepository {
  constructor(private readonly database: Database) {}

  /**
   * The blocks that overlap the range, in the order of their first decision; the first and last may contain decisions outside
   * of it. Each decision once, although blocks are merged meanwhile. An iteration must end
   * within an hour.
   */
  async *recordings(range: RecordingRange): AsyncGenerator<RecordedBlock> {
    const newestId = await this.snapshot();
    let after = { fromUs: BigInt(range.fromUs - HOUR_US), id: 0n };
    for (;;) {
      const rows = await this.database.client.$queryRaw<BlockRow[]>`
        SELECT "id", "tenant_id" AS "tenantId", "from_us" AS "fromUs", "to_us" AS "toUs", "rows", "packed"
        FROM "traffic_block"
        WHERE "id" <= ${newestId} AND ("replaced_by" IS NULL OR "replaced_by" > ${newestId})
          AND ("from_us", "id") > (${after.fromUs}, ${after.id}) AND ${within(range)}
        ORDER BY "from_us", "id" LIMIT ${PAGE}`;
      for (const row of rows) yield { ...row, fromUs: Number(row.fromUs), toUs: Number(row.toUs) };
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = last;
    }
  }

  /** The size of a recording. */
  async extent(range: RecordingRange): Promise<RecordingExtent> {
    const [row] = await this.database.client.$queryRaw<
      { tenants: number; decisions: number; bytes: number; fromUs: number | null; toUs: number | null }[]
    >`
      SELECT count(DISTINCT "tenant_id")::int AS "tenants", coalesce(sum("rows"), 0)::float8 AS "decisions",
        coalesce(sum("bytes"), 0)::float8 AS "bytes", min("from_us")::float8 AS "fromUs", max("to_us")::float8 AS "toUs"
      FROM "traffic_block"
      WHERE "replaced_by" IS NULL AND "from_us" > ${BigInt(range.fromUs - HOUR_US)} AND ${within(range)}`;
    return row ?? { tenants: 0, decisions: 0, bytes: 0, fromUs: null, toUs: null };
  }

  /** Decisions of nodes that are in no block, by time. They may have been of any tenant. */
  listGaps({ fromUs, toUs }: Pick<RecordingRange, 'fromUs' | 'toUs'>): Promise<TrafficGap[]> {
    return this.database.client.trafficGap.findMany({
      where: { toUs: { gte: BigInt(fromUs) }, fromUs: { lt: BigInt(toUs) } },
      orderBy: [{ fromUs: 'asc' }, { id: 'asc' }],
    });
  }

  /** Ids of the tenants whose traffic is stored, by key. */
  async listTenants(tx: Tx, keys: Iterable<string>): Promise<Map<string, string>> {
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...new Set(keys)] }, status: { not: 'ARCHIVED' } },
      select: { id: true, key: true },
    });
    return new Map(rows.map(({ id, key }) => [key, id]));
  }

  async add(tx: Tx, blocks: readonly NewBlock[]): Promise<void> {
    if (blocks.length > 0) await tx.trafficBlock.createMany({ data: blocks.map(rowOf) });
  }

  /** @param completeBefore hours that end before it are complete */
  listMergeable(completeBefore: Date, max: number): Promise<MergeGroup[]> {
    const isComplete = Prisma.sql`"from_us" / ${HOUR_US}::bigint < ${Math.floor((completeBefore.getTime() * 1000) / HOUR_US)}::bigint`;
    return this.database.client.$queryRaw<MergeGroup[]>`
      SELECT max("level")::int AS "level", bool_and(${isComplete}) AS "isComplete", array_agg("id" ORDER BY "id") AS "ids"
      FROM "traffic_block" WHERE "replaced_by" IS NULL AND "level" < 3
      GROUP BY "tenant_id", "from_us" / ${HOUR_US}::bigint, CASE WHEN ${isComplete} THEN ${SEALED} ELSE "level" END
      HAVING bool_and(${isComplete}) OR count(*) >= ${MERGE_AT} OR sum("rows") >= ${FULL_ROWS}
      LIMIT ${max}`;
  }

  /** Blocks in the order of their ingestion, without those that were replaced or deleted meanwhile. */
  async load(ids: readonly bigint[]): Promise<(RecordedBlock & { level: number })[]> {
    const rows = await this.database.client.trafficBlock.findMany({
      where: { id: { in: [...ids] }, replacedBy: null },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ fromUs, toUs, ...row }) => ({ ...row, fromUs: Number(fromUs), toUs: Number(toUs) }));
  }

  async setLevel(id: bigint, level: number): Promise<void> {
    await this.database.client.trafficBlock.updateMany({ where: { id }, data: { level } });
  }

  /** Stores a block in place of others. Returns false, without effect, if one of these was replaced or deleted meanwhile. */
  replace(ids: readonly bigint[], block: NewBlock, at: Date): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.$executeRaw`SELECT ${MERGE_LOCK}`;
      const present = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM "traffic_block" WHERE "id" = ANY (${[...ids]}::bigint[]) AND "replaced_by" IS NULL FOR UPDATE`;
      if (present.length < ids.length) return false;
      const { id } = await tx.trafficBlock.create({ data: rowOf(block), select: { id: true } });
      await tx.trafficBlock.updateMany({
        where: { id: { in: [...ids] } },
        data: { replacedBy: id, replacedAt: at },
      });
      return true;
    });
  }

  /** Deletes what has expired, and replaced blocks. Returns the number of deleted blocks. */
  async removeExpired(before: Date, replacedBefore: Date): Promise<number> {
    const beforeUs = BigInt(before.getTime()) * 1000n;
    const { client } = this.database;
    const { count } = await client.trafficBlock.deleteMany({
      where: {
        OR: [
          { fromUs: { lt: beforeUs }, toUs: { lt: beforeUs } },
          { replacedAt: { lt: replacedBefore } },
          { tenant: { status: 'ARCHIVED' } },
        ],
      },
    });
    await client.trafficGap.deleteMany({ where: { toUs: { lt: beforeUs } } });
    await client.trafficSource.deleteMany({ where: { lastAt: { lt: before } } });
    return count;
  }

  /** Deletes the oldest blocks beyond a size per tenant and a total size. Returns the bytes that are left. */
  async removeBeyond({ tenantBytes, totalBytes }: TrafficBudget): Promise<number> {
    await this.database.client.$executeRaw`
      DELETE FROM "traffic_block" WHERE "id" IN (
        SELECT "id" FROM (
          SELECT "id", sum("bytes") OVER (PARTITION BY "tenant_id" ORDER BY "from_us" DESC, "id" DESC) AS "kept"
          FROM "traffic_block" WHERE "tenant_id" IN (
            SELECT "tenant_id" FROM "traffic_block" GROUP BY "tenant_id" HAVING sum("bytes") > ${tenantBytes}
          )
        ) AS "ranked" WHERE "kept" > ${tenantBytes}
      )`;
    const bytes = await this.sumBytes();
    if (bytes <= totalBytes) return bytes;
    await this.database.client.$executeRaw`
      DELETE FROM "traffic_block" WHERE "id" IN (
        SELECT "id" FROM (
          SELECT "id", sum("bytes") OVER (ORDER BY "from_us" DESC, "id" DESC) AS "kept" FROM "traffic_block"
        ) AS "ranked" WHERE "kept" > ${totalBytes}
      )`;
    return this.sumBytes();
  }

  private async sumBytes(): Promise<number> {
    const { _sum } = await this.database.client.trafficBlock.aggregate({ _sum: { bytes: true } });
    return _sum.bytes ?? 0;
  }

  /** The newest block id while no merge is in progress: later merges replace blocks by higher ones. */
  private snapshot(): Promise<bigint> {
    return this.database.exclusive(async (tx) => {
      await tx.$executeRaw`SELECT ${MERGE_LOCK}`;
      const [row] = await tx.$queryRaw<{ id: bigint }[]>`
        SELECT coalesce(max("id"), 0)::bigint AS "id" FROM "traffic_block"`;
      return row?.id ?? 0n;
    });
  }
}

function rowOf({ fromUs, toUs, apis, packed, ...block }: NewBlock) {
  return {
    ...block,
    apis: [...apis],
    fromUs: BigInt(fromUs),
    toUs: BigInt(toUs),
    bytes: packed.length,
    packed: new Uint8Array(packed),
  };
}

function within({ fromUs, toUs, tenantIds, api }: RecordingRange): Prisma.Sql {
  const conditions = [
    Prisma.sql`"from_us" < ${BigInt(toUs)} AND "to_us" >= ${BigInt(fromUs)}`,
    ...(tenantIds === undefined ? [] : [Prisma.sql`"tenant_id" = ANY (${[...tenantIds]}::text[])`]),
    ...(api === undefined ? [] : [Prisma.sql`${api} = ANY ("apis")`]),
  ];
  return Prisma.join(conditions, ' AND ');
}
