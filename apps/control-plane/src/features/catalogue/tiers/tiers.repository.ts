import { Injectable } from '@nestjs/common';
import {
  type CarryOver,
  Prisma,
  type PublishAudience,
  type Tier,
  type TierVersion,
  TierVersionStatus,
} from '@tollgate/database';
import type { Page } from '../../../platform/graphql/paging.js';
import { newId } from '../../../platform/ids/new-id.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { CheckedLimit } from '../limits/limit.rules.js';
import { type LimitRecord, toLimitRecord, toPolicyColumns } from '../limits/limit-record.js';
import type { Cohort } from './tier.inputs.js';

export type TierRow = Tier;
export type TierVersionRow = TierVersion;

/** How a version comes into force. */
export interface PublicationTerms {
  publishedBy: string;
  carryOver: CarryOver;
  audience: PublishAudience;
  /** Only, and always, for the audience COHORT. */
  cohort: Cohort | null;
}

/** Where a tier stands in the list. */
export interface TierPlace {
  rank: number;
  key: string;
}

const WITH_API_KEY = { api: { select: { key: true } } } as const;

/** All queries on tiers, their versions and limits. Tiers belong to the operator, not to a tenant. */
@Injectable()
export class TiersRepository {
  constructor(private readonly database: Database) {}

  /** By rank, then key; one row more than the page holds, when there is one. */
  list(page: Page<TierPlace>): Promise<TierRow[]> {
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

  /** The draft, else the published version. */
  findNewest(tierId: string): Promise<TierVersionRow | null> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    return this.database.client.tierVersion.findFirst({
      where: { tierId, status: { in: [DRAFT, PUBLISHED] } },
      orderBy: { number: 'desc' },
    });
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

  /** How many tenants are on each tier; tiers without any are left out. */
  async countTenants(tierIds: string[]): Promise<Map<string, number>> {
    const groups = await this.database.client.subscription.groupBy({
      by: ['tierId'],
      where: { tierId: { in: tierIds } },
      _count: { _all: true },
    });
    return new Map(groups.map((group) => [group.tierId, group._count._all]));
  }

  /** How many tenants are on each of these versions, whether they follow their tier or are pinned. */
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

  /** The tier, locked until the transaction ends. */
  async lockByKey(tx: Tx, key: string): Promise<TierRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "key" = ${key} FOR UPDATE`;
    return tx.tier.findUnique({ where: { key } });
  }

  /** Every tier with a published version, by key, locked until the transaction ends. */
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

  /** From now on sign-ups begin on no tier. */
  async clearSignUp(tx: Tx): Promise<void> {
    await tx.tier.updateMany({
      where: { signUp: true },
      data: { signUp: false, version: { increment: 1 } },
    });
  }

  setArchived(tx: Tx, id: string, archivedAt: Date | null): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data: { archivedAt, version: { increment: 1 } } });
  }

  /** With its draft. */
  async delete(tx: Tx, id: string): Promise<void> {
    await tx.tier.delete({ where: { id } });
  }

  /** Whether any version of it was ever published. */
  async wasPublished(tx: Tx, tierId: string): Promise<boolean> {
    return (await tx.tierVersion.count({ where: { tierId, status: { not: TierVersionStatus.DRAFT } } })) > 0;
  }

  raiseVersion(tx: Tx, id: string): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data: { version: { increment: 1 } } });
  }

  findByStatus(tx: Tx, tierId: string, status: TierVersionStatus): Promise<TierVersionRow | null> {
    return tx.tierVersion.findFirst({ where: { tierId, status } });
  }

  /** Locked: it stays the published one until the transaction ends. */
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

  /** A version that is made by itself, to be filled and published at once. Somebody's draft becomes the one after it. */
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

  async replaceLimits(tx: Tx, versionId: string, limits: CheckedLimit[], note: string | null): Promise<void> {
    await tx.tierVersion.update({ where: { id: versionId }, data: { note } });
    await tx.limit.deleteMany({ where: { tierVersionId: versionId } });
    await this.addLimits(tx, versionId, limits, 0);
  }

  /** Adds limits to a draft, behind the first `from`. */
  async addLimits(tx: Tx, versionId: string, limits: readonly CheckedLimit[], from: number): Promise<void> {
    await tx.limit.createMany({
      data: limits.map((limit, position) => toRow(versionId, limit, from + position)),
    });
  }

  async deleteDraft(tx: Tx, versionId: string): Promise<void> {
    await tx.tierVersion.delete({ where: { id: versionId } });
  }

  /** Archives what is published and publishes the draft. */
  async publishDraft(
    tx: Tx,
    draft: TierVersionRow,
    { cohort, ...facts }: PublicationTerms & { publishedAt: Date },
  ): Promise<TierVersionRow> {
    const { PUBLISHED, ARCHIVED } = TierVersionStatus;
    await tx.tierVersion.updateMany({
      where: { tierId: draft.tierId, status: PUBLISHED },
      data: { status: ARCHIVED },
    });
    return tx.tierVersion.update({
      where: { id: draft.id },
      data: { status: PUBLISHED, ...facts, cohort: cohort ?? Prisma.DbNull },
    });
  }
}

/** Numbers of published versions have no gaps. */
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
