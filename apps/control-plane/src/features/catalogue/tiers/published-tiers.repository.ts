import { Injectable } from '@nestjs/common';
import { TierVersionStatus } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { KEPT_VERSIONS } from '../apis/pools.repository.js';
import { toLimitRecord } from './limit-record.js';
import type { PublishedVersion } from './version-record.js';

/** A tier with versions that it has published, by number. */
export interface PublishedTier {
  id: string;
  key: string;
  weight: number;
  currentVersion: number;
  versions: PublishedVersion[];
}

/** What tiers have published, for whoever decides or shows what applies to tenants. */
@Injectable()
export class PublishedTiersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Tiers with the version in force, those that it lately took the place of, and those that are asked for, by tier id. A tier
   * that has published nothing is left out.
   */
  async list(
    asked: ReadonlyMap<string, ReadonlySet<number>>,
    tx: Tx = this.database.client,
  ): Promise<PublishedTier[]> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const published = await tx.tierVersion.findMany({
      where: { tierId: { in: [...asked.keys()] }, status: PUBLISHED },
      select: { number: true, tier: { select: { id: true, key: true, weight: true } } },
    });
    const rows = await tx.tierVersion.findMany({
      where: {
        status: { not: DRAFT },
        OR: published.map(({ number, tier }) => ({
          tierId: tier.id,
          OR: [
            { number: { gte: number - KEPT_VERSIONS } },
            { number: { in: [...(asked.get(tier.id) ?? [])] } },
          ],
        })),
      },
      orderBy: { number: 'asc' },
      include: {
        limits: { orderBy: { position: 'asc' }, include: { api: { select: { key: true } } } },
      },
    });
    return published.map(({ number: currentVersion, tier }) => ({
      ...tier,
      currentVersion,
      versions: rows.flatMap(({ tierId, number, carryOver, publishedAt, limits }) =>
        tierId === tier.id && publishedAt !== null
          ? [{ number, carryOver, publishedAt, limits: limits.map(toLimitRecord) }]
          : [],
      ),
    }));
  }
}
