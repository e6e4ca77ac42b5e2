import { Injectable } from '@nestjs/common';
import { Prisma, type TrafficGap } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** Decisions of a stored block are within one clock hour. */
export const BLOCK_US = 3_600_000_000;

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

export interface NewBlock extends Omit<RecordedBlock, 'id'> {
  readonly apis: readonly string[];
  /** Rounds of merges that its decisions went through. */
  readonly level: number;
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
    let after = { fromUs: BigInt(range.fromUs - BLOCK_US), id: 0n };
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
      WHERE "replaced_by" IS NULL AND "from_us" > ${BigInt(range.fromUs - BLOCK_US)} AND ${within(range)}`;
    return row ?? { tenants: 0, decisions: 0, bytes: 0, fromUs: null, toUs: null };
  }

  /** Decisions of nodes that are in no block, by time. They may have been of any tenant. */
  listGaps({ fromUs, toUs }: Pick<RecordingRange, 'fromUs' | 'toUs'>): Promise<TrafficGap[]> {
    return this.database.client.trafficGap.findMany({
      where: { toUs: { gte: BigInt(fromUs) }, fromUs: { lt: BigInt(toUs) } },
      orderBy: [{ fromUs: 'asc' }, { id: 'asc' }],
    });
  }

  async add(tx: Tx, blocks: readonly NewBlock[]): Promise<void> {
    if (blocks.length > 0) await tx.trafficBlock.createMany({ data: blocks.map(rowOf) });
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
