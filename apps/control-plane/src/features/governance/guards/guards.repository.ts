import { Injectable } from '@nestjs/common';
import { Prisma, type PublicationGuard } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { PublicationGuardState, UsageOutcome } from '../../../platform/prisma/schema.js';
import { countMissingFrames } from '../../catalogue/index.js';
import type { GuardFigures, GuardWindow, TenantCounts } from './guard.rules.js';

export type GuardRow = PublicationGuard & { tier: { key: string; name: string } };

export type GuardUpdate = Partial<
  Pick<
    PublicationGuard,
    'activeFrom' | 'state' | 'obstacle' | 'message' | 'checkedAt' | 'endedAt' | 'endedBy' | 'revertedBy'
  >
> & { figures?: GuardFigures | null };

const WITH_TIER = { tier: { select: { key: true, name: true } } } as const;

const DEGRADED = [UsageOutcome.DEGRADED_ALLOWED, UsageOutcome.DEGRADED_DENIED];

/** Queries on guards and on the usage that they compare. */
@Injectable()
export class GuardsRepository {
  constructor(private readonly database: Database) {}

  async listWatchingIds(): Promise<string[]> {
    const rows = await this.database.client.publicationGuard.findMany({
      where: { state: PublicationGuardState.WATCHING },
      orderBy: { publishedAt: 'asc' },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  findById(id: string): Promise<GuardRow | null> {
    return this.database.client.publicationGuard.findUnique({ where: { id }, include: WITH_TIER });
  }

  /** The guard of the newest guarded publication of a tier; null if none was guarded. */
  findNewest(tierKey: string): Promise<GuardRow | null> {
    return this.database.client.publicationGuard.findFirst({
      where: { tier: { key: tierKey } },
      orderBy: { publishedAt: 'desc' },
      include: WITH_TIER,
    });
  }

  /** Locks the tier, as publications do, then the guard, so that both never wait for each other. */
  async lockById(tx: Tx, id: string): Promise<GuardRow | null> {
    await tx.$queryRaw`
      SELECT 1 FROM "tier" WHERE "id" = (SELECT "tier_id" FROM "publication_guard" WHERE "id" = ${id}) FOR UPDATE`;
    await tx.$queryRaw`SELECT 1 FROM "publication_guard" WHERE "id" = ${id} FOR UPDATE`;
    return tx.publicationGuard.findUnique({ where: { id }, include: WITH_TIER });
  }

  update(tx: Tx, id: string, update: GuardUpdate): Promise<GuardRow> {
    return tx.publicationGuard.update({ where: { id }, data: toColumns(update), include: WITH_TIER });
  }

  /** Stores the result of a check, unless the guard has ended meanwhile. */
  async note(id: string, update: GuardUpdate): Promise<void> {
    await this.database.client.publicationGuard.updateMany({
      where: { id, state: PublicationGuardState.WATCHING },
      data: toColumns(update),
    });
  }

  /** Usage frames that went missing since the publication. */
  async countMissing({ missingBefore }: GuardRow): Promise<number> {
    return Math.max(0, Number((await countMissingFrames(this.database.client)) - missingBefore));
  }

  /** Decisions of each tenant on the guarded version, and of those that the rollout keeps on an earlier one. */
  async listCounts(guard: GuardRow, window: GuardWindow): Promise<TenantCounts[]> {
    const { tierId, versionNumber, apis } = guard;
    const { baselineFrom, baselineTo, from, to } = window;
    const isBefore = Prisma.sql`u."at" < ${baselineTo}`;
    const isDegraded = Prisma.sql`r."outcome" = ANY (${DEGRADED}::"UsageOutcome"[])`;
    const sumOf = (...conditions: Prisma.Sql[]) =>
      Prisma.sql`coalesce(sum(u."count") FILTER (WHERE ${Prisma.join(conditions, ' AND ')}), 0)::float8`;
    const isAfter = Prisma.sql`u."at" >= ${from}`;
    const isDenied = Prisma.sql`r."outcome" = 'DENIED'`;
    const rows = await this.database.client.$queryRaw<Row[]>`
      SELECT t."key" AS "tenantKey", coalesce(s."pinned_version_number", ${versionNumber}) < ${versionNumber} AS "isPinned",
        ${sumOf(isBefore, Prisma.sql`NOT ${isDegraded}`)} AS "decisionsBefore",
        ${sumOf(isBefore, isDenied)} AS "deniedBefore", ${sumOf(isBefore, isDegraded)} AS "degradedBefore",
        ${sumOf(isAfter, Prisma.sql`NOT ${isDegraded}`)} AS "decisionsAfter",
        ${sumOf(isAfter, isDenied)} AS "deniedAfter", ${sumOf(isAfter, isDegraded)} AS "degradedAfter"
      FROM "subscription" s
      JOIN "tenant" t ON t."id" = s."tenant_id"
      JOIN "usage_minute" u ON u."tenant_id" = s."tenant_id"
      JOIN "usage_series" r ON r."id" = u."series_id"
      WHERE s."tier_id" = ${tierId} AND s."since" <= ${baselineFrom}
        AND (coalesce(s."pinned_version_number", ${versionNumber}) = ${versionNumber}
          OR (s."pinned_by_rollout" AND s."pinned_version_number" < ${versionNumber}))
        AND r."api" = ANY (${apis}::text[]) AND u."at" >= ${baselineFrom} AND u."at" < ${to}
        AND (${isBefore} OR ${isAfter})
      GROUP BY 1, 2 ORDER BY 1`;
    return rows.map(({ tenantKey, isPinned, ...row }) => ({
      ...{ tenantKey, isPinned },
      before: { decisions: row.decisionsBefore, denied: row.deniedBefore, degraded: row.degradedBefore },
      after: { decisions: row.decisionsAfter, denied: row.deniedAfter, degraded: row.degradedAfter },
    }));
  }
}

function toColumns({ figures, ...columns }: GuardUpdate) {
  if (figures === undefined) return columns;
  return { ...columns, figures: figures === null ? Prisma.DbNull : (figures as object) };
}

type Side = 'Before' | 'After';

type Row = { tenantKey: string; isPinned: boolean } & Record<
  `${'decisions' | 'denied' | 'degraded'}${Side}`,
  number
>;
