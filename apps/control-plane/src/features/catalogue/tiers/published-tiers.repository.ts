import { Injectable } from '@nestjs/common';
import { type TierVersionRecord } from '@tollgate/contracts';
import { TierVersionStatus } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { type CarryOver } from '../../../platform/prisma/schema.js';
import { KEPT_VERSIONS } from '../apis/pools.repository.js';
import { type LimitRecord, toLimitRecord } from '../limits/limit-record.js';

/** The carry-over rule as nodes write it. */
export function toWireCarryOver(carryOver: CarryOver): Lowercase<CarryOver> {
  return carryOver.toLowerCase() as Lowercase<CarryOver>;
}

/** The fields of a version record. */
export interface PublishedVersion {
  number: number;
  carryOver: CarryOver;
  publishedAt: Date;
  limits: LimitRecord[];
}

/**
 * A published version as nodes read it. Published versions have consecutive numbers: each replaces the one before it.
 * @param numbers of the versions that nodes receive
 */
export function toVersionRecord(
  { number, limits, carryOver, publishedAt }: PublishedVersion,
  numbers: ReadonlySet<number>,
): TierVersionRecord {
  const defaults = limits.flatMap(({ origin }, index) => (origin === 'DEFAULT' ? [index] : []));
  return {
    number,
    limits: limits.map(({ policy }) => policy),
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(numbers.has(number - 1)
      ? {
          replaces: {
            number: number - 1,
            carryOver: toWireCarryOver(carryOver),
            atMs: publishedAt.getTime(),
          },
        }
      : {}),
  };
}

/** A tier with published versions, by number. */
export interface PublishedTier {
  id: string;
  key: string;
  weight: number;
  currentVersion: number;
  versions: PublishedVersion[];
}

/** Published tier versions, for effective limits. */
@Injectable()
export class PublishedTiersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Tiers with their published version, the versions that it recently replaced, and the requested ones. Tiers without a
   * published version are omitted.
   * @param requested version numbers by tier id
   */
  async list(
    requested: ReadonlyMap<string, ReadonlySet<number>>,
    tx: Tx = this.database.client,
  ): Promise<PublishedTier[]> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const published = await tx.tierVersion.findMany({
      where: { tierId: { in: [...requested.keys()] }, status: PUBLISHED },
      select: { number: true, tier: { select: { id: true, key: true, weight: true } } },
    });
    const rows = await tx.tierVersion.findMany({
      where: {
        status: { not: DRAFT },
        OR: published.map(({ number, tier }) => ({
          tierId: tier.id,
          OR: [
            { number: { gte: number - KEPT_VERSIONS } },
            { number: { in: [...(requested.get(tier.id) ?? [])] } },
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
