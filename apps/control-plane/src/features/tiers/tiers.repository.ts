import { Injectable } from '@nestjs/common';
import { type Prisma, type Tier, type TierVersion, TierVersionStatus } from '@tollgate/database';
import type { Page } from '../../platform/graphql/paging.js';
import { newId } from '../../platform/ids/new-id.js';
import { Database, type Tx } from '../../platform/prisma/database.js';
import { type LimitRecord, toLimitRecord } from './limit-record.js';
import type { CheckedLimit } from './tier.rules.js';

export type TierRow = Tier;
export type TierVersionRow = TierVersion;

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

  findVersion(tierId: string, number: number): Promise<TierVersionRow | null> {
    return this.database.client.tierVersion.findUnique({ where: { tierId_number: { tierId, number } } });
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

  create(tx: Tx, data: Omit<Prisma.TierCreateInput, 'id'>): Promise<TierRow> {
    return tx.tier.create({ data: { id: newId('tier'), ...data } });
  }

  /** The tier, locked until the transaction ends. */
  async lockByKey(tx: Tx, key: string): Promise<TierRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "tier" WHERE "key" = ${key} FOR UPDATE`;
    return tx.tier.findUnique({ where: { key } });
  }

  raiseVersion(tx: Tx, id: string): Promise<TierRow> {
    return tx.tier.update({ where: { id }, data: { version: { increment: 1 } } });
  }

  findByStatus(tx: Tx, tierId: string, status: TierVersionStatus): Promise<TierVersionRow | null> {
    return tx.tierVersion.findFirst({ where: { tierId, status } });
  }

  async createDraft(tx: Tx, tierId: string): Promise<TierVersionRow> {
    const { _max } = await tx.tierVersion.aggregate({ where: { tierId }, _max: { number: true } });
    const number = (_max.number ?? 0) + 1;
    return tx.tierVersion.create({ data: { id: newId('tierVersion'), tierId, number } });
  }

  async replaceLimits(tx: Tx, versionId: string, limits: CheckedLimit[], note: string | null): Promise<void> {
    await tx.tierVersion.update({ where: { id: versionId }, data: { note } });
    await tx.limit.deleteMany({ where: { tierVersionId: versionId } });
    await tx.limit.createMany({ data: limits.map((limit, position) => toRow(versionId, limit, position)) });
  }

  async deleteDraft(tx: Tx, versionId: string): Promise<void> {
    await tx.tierVersion.delete({ where: { id: versionId } });
  }

  /** Archives what is published and publishes the draft. */
  async publishDraft(tx: Tx, draft: TierVersionRow, publishedBy: string): Promise<TierVersionRow> {
    const { PUBLISHED, ARCHIVED } = TierVersionStatus;
    await tx.tierVersion.updateMany({
      where: { tierId: draft.tierId, status: PUBLISHED },
      data: { status: ARCHIVED },
    });
    return tx.tierVersion.update({
      where: { id: draft.id },
      data: { status: PUBLISHED, publishedAt: new Date(), publishedBy },
    });
  }
}

function toRow(tierVersionId: string, { policy, apiId }: CheckedLimit, position: number) {
  return {
    id: newId('limit'),
    tierVersionId,
    position,
    apiId,
    name: policy.name,
    operations: policy.operations,
    per: policy.per,
    algorithm: policy.algorithm === 'gcra' ? 'GCRA' : 'FIXED_WINDOW',
    limitMax: policy.limit,
    windowMs: policy.windowMs,
    burst: policy.algorithm === 'gcra' ? policy.burst : null,
    alignment: policy.algorithm === 'gcra' ? null : policy.alignment === 'clock' ? 'CLOCK' : 'FIRST_REQUEST',
    onUnavailable: policy.onUnavailable.toUpperCase() as Uppercase<typeof policy.onUnavailable>,
  } satisfies Prisma.LimitCreateManyInput;
}
