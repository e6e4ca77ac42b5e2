import { Injectable } from '@nestjs/common';
import {
  type CarryOver,
  Prisma,
  type PublishAudience,
  type Tier,
  type TierVersion,
  TierVersionStatus,
} from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { CheckedLimit } from '../limits/limit.rules.js';
import { type LimitRecord, toLimitRecord, toPolicyColumns } from '../limits/limit-record.js';
import { supersedeGuard } from './publication-guards.repository.js';
import type { StoredCohort } from './tiers.graphql.js';

export type TierRow = Tier;
export type TierVersionRow = TierVersion;
export type VersionWithLimits = TierVersion & { limits: LimitRecord[] };

/** How a version is published. */
export interface PublicationTerms {
  publishedBy: string;
  carryOver: CarryOver;
  audience: PublishAudience;
  /** Set for the audience COHORT only. */
  cohort: StoredCohort | null;
}

export interface TierPosition {
  rank: number;
  key: string;
}

const WITH_API_KEY = { api: { select: { key: true } } } as const;

/** Queries on tiers, their versions and limits. Tiers belong to the operator, not to a tenant. */
@Injectable()
export class TiersRepository {
  constructor(private readonly database: Database) {}

  /** By rank, then key; up to one row more than the page holds. */
  list(page: Page<TierPosition>): Promise<TierRow[]> {
    const { after } = page;
    return this.database.client.tier.findMany({
      where:
        after === undefined
          ? {}
          : { OR: [{ rank: { gt: after.rank } }, { rank: after.rank, key: { gt: after.key } }] },
      orderBy: [{ rank: 'asc' }, { key: 'asc' }],
      take: page.first + 1,
    });
  }

  /** By rank, then key. */
  listAll(tx: Tx = this.database.client): Promise<TierRow[]> {
    return tx.tier.findMany({ orderBy: [{ rank: 'asc' }, { key: 'asc' }] });
  }

  count(): Promise<number> {
    return this.database.client.tier.count();
  }

  findByKey(key: string, tx: Tx = this.database.client): Promise<TierRow | null> {
    return tx.tier.findUnique({ where: { key } });
  }

  findById(id: string): Promise<TierRow | null> {
    return this.database.client.tier.findUnique({ where: { id } });
  }

  findVersionById(id: string): Promise<TierVersionRow | null> {
    return this.database.client.tierVersion.findUnique({ where: { id } });
  }

  async findLimitById(id: string): Promise<LimitRecord | null> {
    const row = await this.database.client.limit.findUnique({ where: { id }, include: WITH_API_KEY });
    return row === null ? null : toLimitRecord(row);
  }

  /** Versions of these statuses, newest first, per tier id. */
  async listVersions(
    tierIds: string[],
    statuses: TierVersionStatus[],
  ): Promise<Map<string, TierVersionRow[]>> {
    const rows = await this.database.client.tierVersion.findMany({
      where: { tierId: { in: tierIds }, status: { in: statuses } },
      orderBy: { number: 'desc' },
    });
    return Map.groupBy(rows, (row) => row.tierId);
  }

  /** The draft, or the published version if there is no draft. */
  findNewest(tierId: string): Promise<TierVersionRow | null> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    return this.database.client.tierVersion.findFirst({
      where: { tierId, status: { in: [DRAFT, PUBLISHED] } },
      orderBy: { number: 'desc' },
    });
  }

  /** Versions published in a time range, oldest first. */
  async listPublished(
    { from, to }: { from: Date; to: Date },
    first: number,
  ): Promise<{ tierKey: string; tierName: string; number: number; at: Date }[]> {
    const rows = await this.database.client.tierVersion.findMany({
      where: { publishedAt: { gte: from, lt: to } },
      include: { tier: true },
      orderBy: { publishedAt: 'asc' },
      take: first,
    });
    return rows.flatMap(({ tier, number, publishedAt }) =>
      publishedAt === null ? [] : [{ tierKey: tier.key, tierName: tier.name, number, at: publishedAt }],
    );
  }

  findVersion(tierId: string, number: number, tx: Tx = this.database.client): Promise<TierVersionRow | null> {
    return tx.tierVersion.findUnique({ where: { tierId_number: { tierId, number } } });
  }

  /** Limits in their order, per version id. */
  async listLimits(versionIds: string[], tx: Tx = this.database.client): Promise<Map<string, LimitRecord[]>> {
    const rows = await tx.limit.findMany({
      where: { tierVersionId: { in: versionIds } },
      orderBy: { position: 'asc' },
      include: WITH_API_KEY,
    });
    return Map.groupBy(rows.map(toLimitRecord), (limit) => limit.tierVersionId);
  }

  /** Number of tenants per tier id; tiers without tenants are omitted. */
  async countTenants(tierIds: string[]): Promise<Map<string, number>> {
    const groups = await this.database.client.subscription.groupBy({
      by: ['tierId'],
      where: { tierId: { in: tierIds } },
      _count: { _all: true },
    });
    return new Map(groups.map((group) => [group.tierId, group._count._all]));
  }

  /** Number of tenants per version id, following and pinned. */
  async countTenantsOn(versionIds: string[]): Promise<Map<string, number>> {
    const versions = await this.database.client.tierVersion.findMany({ where: { id: { in: versionIds } } });
    const groups = await this.database.client.subscription.groupBy({
      by: ['tierId', 'pinnedVersionNumber'],
      where: { tierId: { in: [...new Set(versions.map(({ tierId }) => tierId))] } },
      _count: { _all: true },
    });
    return new Map(
      versions.map(({ id, tierId, number, status }) => {
        const here = groups.filter(
          (group) =>
            group.tierId === tierId &&
            (group.pinnedVersionNumber ?? (status === 'PUBLISHED' ? number : null)) === number,
        );
        return [id, here.reduce((sum, { _count }) => sum + _count._all, 0)];
      }),
    );
  }

  create(tx: Tx, data: Omit<Prisma.TierCreateInput, 'id'>): Promise<TierRow> {
    return tx.tier.create({ data: { id: newId('tier'), ...data } });
  }

  async lockByKey(tx: Tx, key: string): Promise<TierRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "key" = ${key} FOR UPDATE`;
    return tx.tier.findUnique({ where: { key } });
  }

  /** Locks all tiers until the transaction ends. @returns those with a published version, by key */
  async lockPublished(tx: Tx): Promise<(TierRow & { published: TierVersionRow })[]> {
    await tx.$queryRaw`SELECT 1 FROM "tier" ORDER BY "key" FOR UPDATE`;
    const tiers = await tx.tier.findMany({
      orderBy: { key: 'asc' },
      include: { versions: { where: { status: TierVersionStatus.PUBLISHED } } },
    });
    return tiers.flatMap(({ versions: [published], ...tier }) =>
      published === undefined ? [] : [{ ...tier, published }],
    );
  }

  update(
    tx: Tx,
    id: string,
    data: Pick<Tier, 'name' | 'description' | 'rank' | 'weight' | 'tags' | 'signUp'>,
  ): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data });
  }

  async clearSignUp(tx: Tx): Promise<void> {
    await tx.tier.updateMany({
      where: { signUp: true },
      data: { signUp: false, version: { increment: 1 } },
    });
  }

  setArchived(tx: Tx, id: string, archivedAt: Date | null): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data: { archivedAt, version: { increment: 1 } } });
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.tier.delete({ where: { id } });
  }

  async wasPublished(tx: Tx, tierId: string): Promise<boolean> {
    return (await tx.tierVersion.count({ where: { tierId, status: { not: TierVersionStatus.DRAFT } } })) > 0;
  }

  raiseVersion(tx: Tx, id: string): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data: { version: { increment: 1 } } });
  }

  /** The draft and the published version of a tier with their limits. */
  async findCurrent(
    tx: Tx,
    tierId: string,
  ): Promise<{ draft: VersionWithLimits | null; published: VersionWithLimits | null }> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const rows = await tx.tierVersion.findMany({
      where: { tierId, status: { in: [DRAFT, PUBLISHED] } },
      include: { limits: { orderBy: { position: 'asc' }, include: WITH_API_KEY } },
    });
    const withStatus = (status: TierVersionStatus) => {
      const row = rows.find((version) => version.status === status);
      return row === undefined ? null : { ...row, limits: row.limits.map(toLimitRecord) };
    };
    return { draft: withStatus(DRAFT), published: withStatus(PUBLISHED) };
  }

  findByStatus(tx: Tx, tierId: string, status: TierVersionStatus): Promise<TierVersionRow | null> {
    return tx.tierVersion.findFirst({ where: { tierId, status } });
  }

  /** Number of the published version; share-locks the tier until the transaction ends. */
  async getPublishedNumber(tx: Tx, tierId: string): Promise<number> {
    await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "id" = ${tierId} FOR SHARE`;
    const { number } = await tx.tierVersion.findFirstOrThrow({
      where: { tierId, status: TierVersionStatus.PUBLISHED },
    });
    return number;
  }

  async createDraft(tx: Tx, tierId: string): Promise<TierVersionRow> {
    const number = await nextNumber(tx, tierId);
    return tx.tierVersion.create({ data: { id: newId('tierVersion'), tierId, number } });
  }

  /** Creates an automatic version to fill and publish at once. The number of an existing draft increases by one. */
  async createAutomatic(tx: Tx, tierId: string, note: string): Promise<TierVersionRow> {
    const number = await nextNumber(tx, tierId);
    await tx.tierVersion.updateMany({
      where: { tierId, status: TierVersionStatus.DRAFT },
      data: { number: number + 1 },
    });
    return tx.tierVersion.create({
      data: { id: newId('tierVersion'), tierId, number, note, automatic: true },
    });
  }

  async replaceLimits(
    tx: Tx,
    versionId: string,
    limits: readonly CheckedLimit[],
    note: string | null,
  ): Promise<void> {
    await tx.tierVersion.update({ where: { id: versionId }, data: { note } });
    await tx.limit.deleteMany({ where: { tierVersionId: versionId } });
    await this.addLimits(tx, versionId, limits, 0);
  }

  /** Adds limits to a draft after the first `from`. */
  async addLimits(tx: Tx, versionId: string, limits: readonly CheckedLimit[], from: number): Promise<void> {
    await tx.limit.createMany({
      data: limits.map((limit, position) => toRow(versionId, limit, from + position)),
    });
  }

  async deleteDraft(tx: Tx, versionId: string): Promise<void> {
    await tx.tierVersion.delete({ where: { id: versionId } });
  }

  /** Also ends the guard of the version that is replaced. */
  async publishDraft(
    tx: Tx,
    draft: TierVersionRow,
    { cohort, ...facts }: PublicationTerms & { publishedAt: Date },
  ): Promise<TierVersionRow> {
    const { PUBLISHED, ARCHIVED } = TierVersionStatus;
    const { tierId } = draft;
    await tx.tierVersion.updateMany({ where: { tierId, status: PUBLISHED }, data: { status: ARCHIVED } });
    await supersedeGuard(tx, tierId, facts.publishedAt);
    return tx.tierVersion.update({
      where: { id: draft.id },
      data: { status: PUBLISHED, ...facts, cohort: cohort ?? Prisma.DbNull },
    });
  }
}

/** The next version number; published versions have no gaps. */
async function nextNumber(tx: Tx, tierId: string): Promise<number> {
  const { _max } = await tx.tierVersion.aggregate({
    where: { tierId, status: { not: TierVersionStatus.DRAFT } },
    _max: { number: true },
  });
  return (_max.number ?? 0) + 1;
}

function toRow(tierVersionId: string, { policy, apiId, origin }: CheckedLimit, position: number) {
  return {
    id: newId('limit'),
    tierVersionId,
    position,
    apiId,
    origin,
    ...toPolicyColumns(policy),
  } satisfies Prisma.LimitCreateManyInput;
}
