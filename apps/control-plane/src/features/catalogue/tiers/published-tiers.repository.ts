import { Injectable } from '@nestjs/common';
import { type TierVersionRecord } from '@tollgate/contracts';
import { TierVersionStatus } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { type CarryOver } from '../../../platform/prisma/schema.js';
import { KEPT_VERSIONS } from '../apis/pools.repository.js';
import { type LimitRecord, policyOf, toLimitRecord } from '../limits/limit-record.js';

/** The rule by the name that nodes know it by. */
export function toRule(carryOver: CarryOver): Lowercase<CarryOver> {
  return carryOver.toLowerCase() as Lowercase<CarryOver>;
}

/** What a version's record is made of. */
export interface PublishedVersion {
  number: number;
  carryOver: CarryOver;
  publishedAt: Date;
  limits: LimitRecord[];
}

/**
 * A published version as nodes know it. Numbers of published versions have no gaps: each took the place of the one before it.
 * @param numbers of the versions that nodes are told of
 */
export function toVersionRecord(
  { number, limits, carryOver, publishedAt }: PublishedVersion,
  numbers: ReadonlySet<number>,
): TierVersionRecord {
  const defaults = limits.flatMap(({ origin }, index) => (origin === 'DEFAULT' ? [index] : []));
  return {
    number,
    limits: limits.map(policyOf),
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(numbers.has(number - 1)
      ? { replaces: { number: number - 1, carryOver: toRule(carryOver), atMs: publishedAt.getTime() } }
      : {}),
  };
}

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
