import { Injectable } from '@nestjs/common';
import type { LimitPolicy, PoolRecord, PoolWarmUp } from '@tollgate/contracts';
import { type Api, type Operation, type Pool, type Prisma, TierVersionStatus } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { readPolicy } from '../limits/limit-record.js';

export type ApiRow = Api;
export type OperationRow = Operation;
export type ApiWithParts = Api & { operations: Operation[]; pools: Pool[] };

/** A limit of a tier version that tenants may use. */
export interface LiveLimit {
  tierKey: string;
  version: number;
  policy: LimitPolicy;
}

/** Operations by name, pools oldest first. */
const WITH_PARTS = {
  operations: { orderBy: { name: 'asc' } },
  pools: { orderBy: { id: 'asc' } },
} satisfies Prisma.ApiInclude;

/**
 * Limits whose home is the API, or that name one of `reaches` in `alsoApis`.
 * @param reaches default: the API itself
 */
export function limitsOn(
  { id, key }: Pick<ApiRow, 'id' | 'key'>,
  reaches: readonly string[] = [key],
): Prisma.LimitWhereInput {
  const named = reaches.map((name) => ({ terms: { path: ['alsoApis'], array_contains: [name] } }));
  return { OR: [{ apiId: id }, ...named] };
}

@Injectable()
export class ApisRepository {
  constructor(private readonly database: Database) {}

  /** Up to one row more than the page holds. */
  list(search: string | undefined, page: Page<string>): Promise<ApiRow[]> {
    return this.database.client.api.findMany({
      where: {
        AND: [matching(search), page.after === undefined ? {} : { key: { gt: page.after } }],
      },
      orderBy: { key: 'asc' },
      take: page.first + 1,
    });
  }

  count(search: string | undefined): Promise<number> {
    return this.database.client.api.count({ where: matching(search) });
  }

  findByKey(key: string, tx: Tx = this.database.client): Promise<ApiRow | null> {
    return tx.api.findUnique({ where: { key, deletedAt: null } });
  }

  findById(id: string): Promise<ApiRow | null> {
    return this.database.client.api.findUnique({ where: { id, deletedAt: null } });
  }

  findOperation(id: string): Promise<OperationRow | null> {
    return this.database.client.operation.findUnique({ where: { id } });
  }

  findOperationByName(tx: Tx, apiId: string, name: string): Promise<OperationRow | null> {
    return tx.operation.findUnique({ where: { apiId_name: { apiId, name } } });
  }

  async findPool(id: string): Promise<PoolOfApi | null> {
    const include = { api: { select: { key: true } } };
    const row = await this.database.client.pool.findUnique({ where: { id }, include });
    return row && poolOfApi(row, row.api.key);
  }

  /** Operations by name, per API id; APIs without operations are omitted. */
  async listOperations(
    apiIds: string[],
    tx: Tx = this.database.client,
  ): Promise<Map<string, OperationRow[]>> {
    const rows = await tx.operation.findMany({
      where: { apiId: { in: apiIds } },
      orderBy: { name: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.apiId);
  }

  /** The existing APIs of these keys with operations and pools, share-locked until the transaction ends. */
  async listWithParts(tx: Tx, keys: string[]): Promise<ApiWithParts[]> {
    await tx.$queryRaw`SELECT 1 FROM "api" WHERE "key" = ANY(${keys}) ORDER BY "key" FOR SHARE`;
    return tx.api.findMany({
      where: { key: { in: keys }, deletedAt: null },
      include: WITH_PARTS,
    });
  }

  /** All APIs by key, with operations and pools. */
  listAllWithParts(tx: Tx = this.database.client): Promise<ApiWithParts[]> {
    return tx.api.findMany({ where: { deletedAt: null }, include: WITH_PARTS, orderBy: { key: 'asc' } });
  }

  /**
   * The API's limits in published tier versions and in archived ones that subscriptions are pinned to.
   * @param reaches as in `limitsOn`
   */
  async listLiveLimits(
    tx: Tx,
    api: Pick<ApiRow, 'id' | 'key'>,
    reaches?: readonly string[],
  ): Promise<LiveLimit[]> {
    const { PUBLISHED, ARCHIVED } = TierVersionStatus;
    const rows = await tx.limit.findMany({
      where: {
        ...limitsOn(api, reaches),
        tierVersion: { OR: [{ status: PUBLISHED }, { status: ARCHIVED, subscriptions: { some: {} } }] },
      },
      orderBy: { id: 'asc' },
      include: {
        api: { select: { key: true } },
        tierVersion: { select: { number: true, tier: { select: { key: true } } } },
      },
    });
    return rows.map(({ tierVersion, ...row }) => ({
      tierKey: tierVersion.tier.key,
      version: tierVersion.number,
      policy: readPolicy(row),
    }));
  }

  /** Reuses a deleted row of this key: archived tier versions still refer to it. */
  async create(tx: Tx, data: Omit<Prisma.ApiUncheckedCreateInput, 'id'>): Promise<ApiRow> {
    const [revived] = await tx.api.updateManyAndReturn({
      where: { key: data.key, deletedAt: { not: null } },
      data: { ...data, createdAt: new Date(), version: { increment: 1 }, deletedAt: null },
    });
    return revived ?? tx.api.create({ data: { id: newId('api'), ...data } });
  }

  update(
    tx: Tx,
    id: string,
    data: Pick<Api, 'name' | 'description' | 'unknownOperations' | 'headerStyles' | 'tags'>,
  ): Promise<ApiRow> {
    return tx.api.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
  }

  async delete(tx: Tx, id: string, at: Date): Promise<void> {
    await tx.operation.deleteMany({ where: { apiId: id } });
    await tx.pool.deleteMany({ where: { apiId: id } });
    await tx.defaultLimit.deleteMany({ where: { apiId: id } });
    await tx.api.update({
      where: { id },
      data: { deletedAt: at, managedBy: 'CONSOLE', version: { increment: 1 } },
    });
  }

  async deleteOperation(tx: Tx, id: string): Promise<void> {
    await tx.operation.delete({ where: { id } });
  }

  createOperation(tx: Tx, data: Omit<Prisma.OperationUncheckedCreateInput, 'id'>): Promise<OperationRow> {
    return tx.operation.create({ data: { id: newId('operation'), ...data } });
  }

  updateOperation(
    tx: Tx,
    id: string,
    data: Pick<Prisma.OperationUncheckedUpdateInput, 'description' | 'cost' | 'priority'>,
  ): Promise<OperationRow> {
    return tx.operation.update({ where: { id }, data });
  }

  async lockByKey(tx: Tx, key: string): Promise<ApiRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "api" WHERE "key" = ${key} FOR UPDATE`;
    return tx.api.findUnique({ where: { key, deletedAt: null } });
  }

  raiseVersion(tx: Tx, id: string): Promise<ApiRow> {
    return tx.api.update({ where: { id }, data: { version: { increment: 1 } } });
  }

  /** Keys of the tiers with a matching limit in their draft, the published version or a version with pinned tenants. */
  async listTiersWithLimit(tx: Tx, limit: Prisma.LimitWhereInput): Promise<string[]> {
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

  async listPoolsWithOperation(tx: Tx, apiId: string, operation: string): Promise<string[]> {
    const pools = await tx.pool.findMany({
      where: { apiId, operations: { has: operation } },
      select: { name: true },
      orderBy: { name: 'asc' },
    });
    return pools.map(({ name }) => name);
  }

  async listDefaultLimitsWithOperation(tx: Tx, apiId: string, operation: string): Promise<string[]> {
    const limits = await tx.defaultLimit.findMany({
      where: { apiId, operations: { has: operation } },
      select: { name: true },
      orderBy: { position: 'asc' },
    });
    return limits.map(({ name }) => name);
  }
}

function matching(search: string | undefined): Prisma.ApiWhereInput {
  if (search === undefined) return { deletedAt: null };
  const part = { contains: escapeLike(search), mode: 'insensitive' as const };
  return { deletedAt: null, OR: [{ key: part }, { name: part }] };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

export type PoolRow = Pool;
export type PoolFacts = Pick<Pool, 'operations' | 'capacity' | 'reclaimPercent'> & {
  warmUp: PoolWarmUp | null;
};

export function poolFacts(row: PoolRow): PoolFacts {
  const { operations, capacity, reclaimPercent, warmUpMs: ms, warmUpStartPercent: startPercent } = row;
  const warmUp = ms === null || startPercent === null ? null : { ms, startPercent };
  return { operations, capacity, reclaimPercent, warmUp };
}

/** A pool with the key of its API, which is part of its counter key. */
export type PoolOfApi = PoolRow & PoolFacts & { apiKey: string };

export function poolOfApi(row: PoolRow, apiKey: string): PoolOfApi {
  return { ...row, ...poolFacts(row), apiKey };
}

/** Inverse of {@link poolFacts}. */
export function poolColumns({ warmUp, ...facts }: Omit<PoolRecord, 'name'> | PoolFacts) {
  return {
    ...facts,
    warmUpMs: warmUp?.ms ?? null,
    warmUpStartPercent: warmUp?.startPercent ?? null,
  };
}

/** A pool as nodes know it. */
export function toPoolRecord(row: PoolRow): PoolRecord {
  const { warmUp, ...facts } = poolFacts(row);
  return { name: row.name, ...facts, ...(warmUp === null ? {} : { warmUp }) };
}

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

  create(tx: Tx, apiId: string, name: string, facts: PoolFacts): Promise<PoolRow> {
    return tx.pool.create({ data: { id: newId('pool'), apiId, name, ...poolColumns(facts) } });
  }

  update(tx: Tx, id: string, facts: PoolFacts): Promise<PoolRow> {
    return tx.pool.update({ where: { id }, data: poolColumns(facts) });
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
