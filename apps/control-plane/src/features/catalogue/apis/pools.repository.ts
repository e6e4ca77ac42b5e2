import { Injectable } from '@nestjs/common';
import { type Pool, type Prisma, TierVersionStatus } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type PoolRow = Pool;
export type PoolFacts = Pick<Pool, 'operations' | 'capacity' | 'reclaimPercent'>;

/** How many replaced versions nodes keep, to carry counters over from them. */
export const KEPT_VERSIONS = 3;

/** Queries on pools. Pools belong to the operator's APIs, not to a tenant. */
@Injectable()
export class PoolsRepository {
  constructor(private readonly database: Database) {}

  /** Pools, oldest first, per API id; APIs without pools are omitted. */
  async list(apiIds: string[], tx: Tx = this.database.client): Promise<Map<string, PoolRow[]>> {
    const rows = await tx.pool.findMany({ where: { apiId: { in: apiIds } }, orderBy: { id: 'asc' } });
    return Map.groupBy(rows, (row) => row.apiId);
  }

  create(tx: Tx, data: Omit<Prisma.PoolUncheckedCreateInput, 'id'>): Promise<PoolRow> {
    return tx.pool.create({ data: { id: newId('pool'), ...data } });
  }

  update(tx: Tx, id: string, data: PoolFacts): Promise<PoolRow> {
    return tx.pool.update({ where: { id }, data });
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.pool.delete({ where: { id } });
  }

  /** Keys of the tiers with a limit that borrows from the pool, in a draft or in a version that nodes keep. */
  async listBorrowers(tx: Tx, { apiId, name }: PoolRow): Promise<string[]> {
    const limits = await tx.limit.findMany({
      where: { apiId, terms: { path: ['throttle', 'pool'], equals: name } },
      select: {
        tierVersion: {
          select: {
            number: true,
            status: true,
            tier: {
              select: {
                key: true,
                versions: { where: { status: TierVersionStatus.PUBLISHED }, select: { number: true } },
              },
            },
            _count: { select: { subscriptions: true, moves: true } },
          },
        },
      },
    });
    const keys = limits.flatMap(({ tierVersion: { number, status, tier, _count } }) => {
      const isRecent = number >= (tier.versions[0]?.number ?? 0) - KEPT_VERSIONS;
      const isUsed =
        status !== TierVersionStatus.ARCHIVED || isRecent || _count.subscriptions + _count.moves > 0;
      return isUsed ? [tier.key] : [];
    });
    return [...new Set(keys)].sort();
  }
}
