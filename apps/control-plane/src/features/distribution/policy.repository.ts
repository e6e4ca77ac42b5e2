import { Injectable } from '@nestjs/common';
import { MAX_SUBJECT_RULES, type PlatformRule, type TenantRecord } from '@tollgate/contracts';
import {
  type Api,
  type CarryOver,
  type Operation,
  type Pool,
  type Prisma,
  type ServiceToken,
  TenantStatus,
  type Tier,
  TierVersionStatus,
} from '@tollgate/database';
import type { TenantChange } from '@tollgate/decision-plane/operate';
import { compileLimit } from '@tollgate/limiter/rules';
import { Clock } from '../../platform/clock.js';
import type { Tx } from '../../platform/prisma/database.js';
import { KEPT_VERSIONS, type LimitRecord, toLimitRecord } from '../catalogue/index.js';
import { isLiveRule, TENANT_FIELDS, toPlatformRule, toTenantRecord } from '../customers/index.js';

export type DistributedTier = Tier & { versions: DistributedVersion[] };

export interface DistributedVersion {
  number: number;
  published: boolean;
  carryOver: CarryOver;
  publishedAt: Date;
  limits: LimitRecord[];
}

export type DistributedApi = Api & { operations: Operation[]; pools: Pool[] };
export type DistributedToken = ServiceToken;

/** Tenants per query; bounds memory and latency. */
export const TENANT_PAGE = 500;

/** All methods read from the snapshot of the transaction. */
@Injectable()
export class PolicyRepository {
  constructor(private readonly clock: Clock) {}

  listApis(tx: Tx): Promise<DistributedApi[]> {
    return tx.api.findMany({
      where: { deletedAt: null },
      include: { operations: { orderBy: { name: 'asc' } }, pools: { orderBy: { id: 'asc' } } },
      orderBy: { key: 'asc' },
    });
  }

  /**
   * Tiers with the versions that nodes need: published, with pinned subscriptions, and recent ones whose counters are
   * carried over.
   */
  async listTiers(tx: Tx): Promise<DistributedTier[]> {
    const recent = await this.listRecentVersions(tx);
    const tiers = await tx.tier.findMany({
      orderBy: { key: 'asc' },
      include: {
        versions: {
          where: {
            status: { not: TierVersionStatus.DRAFT },
            OR: [
              { status: TierVersionStatus.PUBLISHED },
              { id: { in: [...recent] } },
              { subscriptions: { some: {} } },
              { moves: { some: {} } },
            ],
          },
          orderBy: { number: 'asc' },
          include: {
            limits: { orderBy: { position: 'asc' }, include: { api: { select: { key: true } } } },
            moves: { orderBy: { at: 'desc' }, take: 1, select: { at: true } },
            _count: { select: { subscriptions: true } },
          },
        },
      },
    });
    const now = this.clock.now();
    return tiers.map((tier) => ({
      ...tier,
      versions: tier.versions.flatMap(
        ({ id, number, status, carryOver, publishedAt, moves, _count, ...rest }) => {
          const published = status === TierVersionStatus.PUBLISHED;
          const limits = rest.limits.map(toLimitRecord);
          const isUsed = published || recent.has(id) || _count.subscriptions > 0;
          if (publishedAt === null || !(isUsed || canMatter(limits, moves[0]?.at, now))) return [];
          return [{ number, published, carryOver, publishedAt, limits }];
        },
      ),
    }));
  }

  private async listRecentVersions(tx: Tx): Promise<ReadonlySet<string>> {
    const tiers = await tx.tier.findMany({
      select: {
        versions: {
          where: { status: TierVersionStatus.ARCHIVED },
          orderBy: { number: 'desc' },
          take: KEPT_VERSIONS,
          select: { id: true },
        },
      },
    });
    return new Set(tiers.flatMap(({ versions }) => versions.map(({ id }) => id)));
  }

  /** Without tokens of single tenants, which nodes would accept for every tenant. */
  listServiceTokens(tx: Tx): Promise<DistributedToken[]> {
    return tx.serviceToken.findMany({
      where: {
        revokedAt: null,
        tenantKeys: { isEmpty: true },
        OR: [{ expiresAt: null }, { expiresAt: { gt: this.clock.now() } }],
      },
      orderBy: { publicId: 'asc' },
    });
  }

  /**
   * Rules for subjects of all tenants that have not ended, oldest first.
   * @param since also those that ended after it, as many as fit
   */
  async listPlatformRules(tx: Tx, since = this.clock.now()): Promise<PlatformRule[]> {
    const rows = await tx.subjectRule.findMany({
      where: { tenantId: null, removedAt: null },
      orderBy: { id: 'asc' },
    });
    return rows
      .filter((row) => isLiveRule(row, since))
      .slice(-MAX_SUBJECT_RULES)
      .map(toPlatformRule);
  }

  /** Pages of records of these tenants or all; null for a missing tenant. */
  async *listTenantPages(
    tx: Tx,
    keys: readonly string[] | 'all',
    revision: number,
  ): AsyncGenerator<TenantChange[], void> {
    if (keys === 'all') {
      yield* this.listAllTenants(tx, revision);
      return;
    }
    for (let i = 0; i < keys.length; i += TENANT_PAGE) {
      const page = keys.slice(i, i + TENANT_PAGE);
      const records = new Map(
        (await this.listTenants(tx, page, revision)).map((record) => [record.tenant, record]),
      );
      yield page.map((tenant) => ({ tenant, record: records.get(tenant) ?? null }));
    }
  }

  /** At most one page. */
  listTenants(tx: Tx, keys: readonly string[], revision: number): Promise<TenantRecord[]> {
    return this.readTenants(tx, { in: [...keys] }, revision);
  }

  private async *listAllTenants(tx: Tx, revision: number): AsyncGenerator<TenantChange[], void> {
    for (let last = ''; ; ) {
      const records = await this.readTenants(tx, { gt: last }, revision);
      if (records.length > 0) yield records.map((record) => ({ tenant: record.tenant, record }));
      if (records.length < TENANT_PAGE) return;
      last = records.at(-1)?.tenant ?? last;
    }
  }

  private async readTenants(tx: Tx, key: Prisma.StringFilter, revision: number): Promise<TenantRecord[]> {
    const rows = await tx.tenant.findMany({
      where: { key, status: { not: TenantStatus.ARCHIVED }, subscription: { isNot: null } },
      select: TENANT_FIELDS,
      orderBy: { key: 'asc' },
      take: TENANT_PAGE,
    });
    const now = this.clock.now();
    return rows.flatMap((row) => toTenantRecord(row, revision, now) ?? []);
  }
}

/** Whether counters last written at `leftAt` can still affect decisions. */
function canMatter(limits: LimitRecord[], leftAt: Date | undefined, now: Date): boolean {
  if (leftAt === undefined) return false;
  const agoMs = now.getTime() - leftAt.getTime();
  return limits.some((limit) => {
    const compiled = compileLimit(limit.policy);
    return compiled.ok && agoMs <= compiled.limit.policy.horizonMs;
  });
}
