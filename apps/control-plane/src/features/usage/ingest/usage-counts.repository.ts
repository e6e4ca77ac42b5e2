import { Injectable } from '@nestjs/common';
import { Prisma, type UsageSource } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { CountRow, MinuteRow, TrafficRow } from './usage-fold.rules.js';

/** Timeout of the transaction that stores a batch. */
const TRANSACTION_MS = 30_000;

/** A worker that stalls within a batch loses the stream to other workers after this time. */
const IDLE_MS = 10_000;

/** Characters kept of an unusable entry. */
const KEPT_CHARACTERS = 4000;

/** Position before the first entry of a stream. */
const START = '0-0';

@Injectable()
export class StreamPositionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Runs `work` in a transaction with the id of the last stored entry. Returns undefined, without running it, while
   * another worker reads the stream.
   */
  async exclusively<T>(stream: string, work: (tx: Tx, lastId: string) => Promise<T>): Promise<T | undefined> {
    return this.database.exclusive(
      async (tx) => {
        await tx.$executeRaw`SELECT set_config('idle_in_transaction_session_timeout', ${`${IDLE_MS}`}, true)`;
        await tx.$executeRaw`
          INSERT INTO "stream_position" ("stream", "last_id", "read_at") VALUES (${stream}, ${START}, now())
          ON CONFLICT DO NOTHING`;
        const [position] = await tx.$queryRaw<{ last_id: string }[]>`
          SELECT "last_id" FROM "stream_position" WHERE "stream" = ${stream} FOR UPDATE SKIP LOCKED`;
        return position === undefined ? undefined : work(tx, position.last_id);
      },
      { timeout: TRANSACTION_MS },
    );
  }

  /** Advances the position to `lastId` and stores unusable entries separately. */
  async advance(
    tx: Tx,
    stream: string,
    lastId: string,
    unusable: readonly { id: string; text: string }[],
    at: Date,
  ): Promise<void> {
    await tx.streamPosition.update({
      where: { stream },
      data: { lastId, readAt: at, setAside: { increment: unusable.length } },
    });
    if (unusable.length === 0) return;
    const data = unusable.map(({ id, text }) => ({
      stream,
      entryId: id,
      text: text.slice(0, KEPT_CHARACTERS).replaceAll('\0', '\uFFFD'),
      at,
    }));
    await tx.streamReject.createMany({ data, skipDuplicates: true });
  }

  /** The position of a reader; `0-0` before its first entry. */
  async find(stream: string): Promise<string> {
    const row = await this.database.client.streamPosition.findUnique({ where: { stream } });
    return row?.lastId ?? START;
  }

  /** Moves a position from `fromId` to `toId`. Returns false if another worker has moved it. */
  async move(stream: string, fromId: string, toId: string, at: Date): Promise<boolean> {
    const positions = this.database.client.streamPosition;
    await positions.createMany({ data: { stream, lastId: START, readAt: at }, skipDuplicates: true });
    const where = { stream, lastId: fromId };
    const { count } = await positions.updateMany({ where, data: { lastId: toId, readAt: at } });
    return count === 1;
  }
}

const TABLES = {
  minute: Prisma.sql`"usage_minute"`,
  hour: Prisma.sql`"usage_hour"`,
  day: Prisma.sql`"usage_day"`,
};

const CANDIDATE_COLUMNS = [
  Prisma.sql`"candidate_count"`,
  Prisma.sql`"candidate_denied"`,
  Prisma.sql`"candidate_denied_units"`,
];

const COUNT_COLUMNS = [Prisma.sql`"count"`, Prisma.sql`"units"`, ...CANDIDATE_COLUMNS];

/** Adds to a stored column, up to the largest exact number. */
const addition = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`${column} = least(kept.${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`;

export type Resolution = keyof typeof TABLES;
export type SourceRow = UsageSource;

/** Writes counts in the transaction that marks the frames as counted. */
@Injectable()
export class UsageCountsRepository {
  constructor(private readonly database: Database) {}

  /** When the newest counted frame was written; null before the first. */
  async findNewest(): Promise<Date | null> {
    const { _max } = await this.database.client.usageSource.aggregate({ _max: { lastAt: true } });
    return _max.lastAt;
  }

  /** Adds to the buckets. `rows` must contain each bucket at most once. */
  async add(tx: Tx, resolution: Resolution, rows: readonly CountRow[]): Promise<void> {
    if (rows.length === 0) return;
    // Sorted, so that concurrent writers do not deadlock.
    const sorted = [...rows].sort(
      (a, b) => compare(a.tenantId, b.tenantId) || a.atMs - b.atMs || a.seriesId - b.seriesId,
    );
    const table = TABLES[resolution];
    const numbers = (of: (row: CountRow) => number) => sorted.map((row) => `${of(row)}`);
    await tx.$executeRaw`
      INSERT INTO ${table} AS kept ("tenant_id", "at", "series_id", ${Prisma.join(COUNT_COLUMNS)})
      SELECT "tenant_id", to_timestamp("at_s"), "series_id", ${Prisma.join(COUNT_COLUMNS)}
      FROM unnest(
        ${sorted.map(({ tenantId }) => tenantId)}::text[],
        ${sorted.map(({ atMs }) => atMs / 1000)}::float8[],
        ${sorted.map(({ seriesId }) => seriesId)}::int[],
        ${numbers(({ count }) => count)}::bigint[],
        ${numbers(({ units }) => units)}::bigint[],
        ${numbers(({ candidateCount }) => candidateCount)}::bigint[],
        ${numbers(({ candidateDenied }) => candidateDenied)}::bigint[],
        ${numbers(({ candidateDeniedUnits }) => candidateDeniedUnits)}::bigint[]
      ) AS added ("tenant_id", "at_s", "series_id", ${Prisma.join(COUNT_COLUMNS)})
      ON CONFLICT ("tenant_id", "at", "series_id")
      DO UPDATE SET ${Prisma.join(COUNT_COLUMNS.map(addition))}`;
  }

  /** Adds to the minutes of all tenants. `rows` must contain each minute at most once. */
  async addTraffic(tx: Tx, rows: readonly TrafficRow[]): Promise<void> {
    if (rows.length === 0) return;
    const sorted = [...rows].sort((a, b) => a.atMs - b.atMs);
    const numbers = (of: (row: TrafficRow) => number) =>
      sorted.map((row) => `${Math.min(of(row), Number.MAX_SAFE_INTEGER)}`);
    await tx.$executeRaw`
      INSERT INTO "traffic_minute" AS kept
        ("at", "count", "denied", "degraded", "units", ${Prisma.join(CANDIDATE_COLUMNS)}, "durations")
      SELECT to_timestamp("at_s"), "count", "denied", "degraded", "units", ${Prisma.join(CANDIDATE_COLUMNS)},
        "durations"::bigint[]
      FROM unnest(
        ${sorted.map(({ atMs }) => atMs / 1000)}::float8[],
        ${numbers(({ count }) => count)}::bigint[],
        ${numbers(({ denied }) => denied)}::bigint[],
        ${numbers(({ degraded }) => degraded)}::bigint[],
        ${numbers(({ units }) => units)}::bigint[],
        ${numbers(({ candidateCount }) => candidateCount)}::bigint[],
        ${numbers(({ candidateDenied }) => candidateDenied)}::bigint[],
        ${numbers(({ candidateDeniedUnits }) => candidateDeniedUnits)}::bigint[],
        ${sorted.map(({ durations }) => `{${durations}}`)}::text[]
      ) AS added ("at_s", "count", "denied", "degraded", "units", ${Prisma.join(CANDIDATE_COLUMNS)}, "durations")
      ON CONFLICT ("at") DO UPDATE SET
        "count" = kept."count" + excluded."count",
        "denied" = kept."denied" + excluded."denied",
        "degraded" = kept."degraded" + excluded."degraded",
        ${Prisma.join([Prisma.sql`"units"`, ...CANDIDATE_COLUMNS].map(addition))},
        "durations" = ARRAY(
          SELECT coalesce("old", 0) + coalesce("new", 0)
          FROM unnest(kept."durations", excluded."durations") WITH ORDINALITY AS bucket ("old", "new", "position")
          ORDER BY "position"
        )`;
  }

  /**
   * Updates the busiest minute of days with counts that were added, per operation and for each API as a whole. A stored
   * minute counts as a whole; one that is no longer stored counts with `rows` only.
   */
  async addPeaks(tx: Tx, rows: readonly MinuteRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.$executeRaw`
      WITH added AS (
        SELECT "tenant_id", to_timestamp("at_s") AS "at", to_timestamp("day_s") AS "day", "series_id", "units"
        FROM unnest(
          ${rows.map(({ tenantId }) => tenantId)}::text[],
          ${rows.map(({ atMs }) => atMs / 1000)}::float8[],
          ${rows.map(({ dayMs }) => dayMs / 1000)}::float8[],
          ${rows.map(({ seriesId }) => seriesId)}::int[],
          ${rows.map(({ units }) => `${units}`)}::bigint[]
        ) AS row ("tenant_id", "at_s", "day_s", "series_id", "units")
      ), counted AS (
        SELECT 'added' AS "source", * FROM added
        UNION ALL
        SELECT 'stored', u."tenant_id", u."at", changed."day", u."series_id", u."units"
        FROM (SELECT DISTINCT "tenant_id", "at", "day" FROM added) changed
        JOIN "usage_minute" u USING ("tenant_id", "at")
      )
      INSERT INTO "usage_peak" AS kept ("tenant_id", "at", "api", "operation", "units")
      SELECT "tenant_id", "day", "api", coalesce("operation", ''), max("units") FROM (
        SELECT c."tenant_id", c."day", s."api", s."operation",
          least(sum(c."units"), ${Number.MAX_SAFE_INTEGER})::bigint AS "units"
        FROM counted c JOIN "usage_series" s ON s."id" = c."series_id"
        GROUP BY c."source", c."tenant_id", c."day", c."at", s."api", GROUPING SETS ((s."operation"), ())
      ) sums
      GROUP BY 1, 2, 3, 4 HAVING max("units") > 0 ORDER BY 1, 2, 3, 4
      ON CONFLICT ("tenant_id", "at", "api", "operation")
      DO UPDATE SET "units" = excluded."units" WHERE kept."units" < excluded."units"`;
  }

  /** The counting state of node processes, locked until the transaction ends. */
  async listSources(tx: Tx, sources: readonly { nodeId: string; epoch: string }[]): Promise<SourceRow[]> {
    return tx.$queryRaw<SourceRow[]>`
      SELECT "node_id" AS "nodeId", "epoch", "sequence", "frames", "missed", "repeated",
        "crossings_dropped" AS "crossingsDropped", "last_at" AS "lastAt"
      FROM "usage_source"
      WHERE ("node_id", "epoch") IN (
        SELECT * FROM unnest(${sources.map(({ nodeId }) => nodeId)}::text[], ${sources.map(({ epoch }) => epoch)}::text[])
      )
      ORDER BY "node_id", "epoch" FOR UPDATE`;
  }

  /** Writes the counting state, one row per node process. */
  async putSources(tx: Tx, rows: readonly SourceRow[]): Promise<void> {
    const numbers = (of: (row: SourceRow) => bigint) => rows.map((row) => `${of(row)}`);
    await tx.$executeRaw`
      INSERT INTO "usage_source"
        ("node_id", "epoch", "sequence", "frames", "missed", "repeated", "crossings_dropped", "last_at")
      SELECT * FROM unnest(
        ${rows.map(({ nodeId }) => nodeId)}::text[],
        ${rows.map(({ epoch }) => epoch)}::text[],
        ${numbers(({ sequence }) => sequence)}::bigint[],
        ${numbers(({ frames }) => frames)}::bigint[],
        ${numbers(({ missed }) => missed)}::bigint[],
        ${numbers(({ repeated }) => repeated)}::bigint[],
        ${numbers(({ crossingsDropped }) => crossingsDropped)}::bigint[],
        ${rows.map(({ lastAt }) => lastAt.toISOString())}::timestamptz[]
      )
      ON CONFLICT ("node_id", "epoch") DO UPDATE SET
        "sequence" = excluded."sequence", "frames" = excluded."frames", "missed" = excluded."missed",
        "repeated" = excluded."repeated", "crossings_dropped" = excluded."crossings_dropped",
        "last_at" = excluded."last_at"`;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
