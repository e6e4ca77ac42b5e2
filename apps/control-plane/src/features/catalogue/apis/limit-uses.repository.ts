import { Injectable } from '@nestjs/common';
import { type Prisma, TierVersionStatus } from '@tollgate/database';
import type { Tx } from '../../../platform/prisma/database.js';

/** Who needs what an API consists of. */
@Injectable()
export class LimitUsesRepository {
  /**
   * Keys of the tiers with such a limit in their draft, their published version, or one that a tenant is pinned to. Versions
   * that are history name what may be gone.
   */
  async listTiers(tx: Tx, limit: Prisma.LimitWhereInput): Promise<string[]> {
    const { DRAFT, PUBLISHED, ARCHIVED } = TierVersionStatus;
    const tiers = await tx.tier.findMany({
      where: {
        versions: {
          some: {
            limits: { some: limit },
            OR: [{ status: { in: [DRAFT, PUBLISHED] } }, { status: ARCHIVED, subscriptions: { some: {} } }],
          },
        },
      },
      select: { key: true },
      orderBy: { key: 'asc' },
    });
    return tiers.map(({ key }) => key);
  }

  /** Names of the API's pools that draw on the operation by name. */
  async listPools(tx: Tx, apiId: string, operation: string): Promise<string[]> {
    const pools = await tx.pool.findMany({
      where: { apiId, operations: { has: operation } },
      select: { name: true },
      orderBy: { name: 'asc' },
    });
    return pools.map(({ name }) => name);
  }

  /** Names of the API's default limits that cover the operation by name. */
  async listDefaultLimits(tx: Tx, apiId: string, operation: string): Promise<string[]> {
    const limits = await tx.defaultLimit.findMany({
      where: { apiId, operations: { has: operation } },
      select: { name: true },
      orderBy: { position: 'asc' },
    });
    return limits.map(({ name }) => name);
  }
}
