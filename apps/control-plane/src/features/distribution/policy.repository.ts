import { Injectable } from '@nestjs/common';
import type { TenantRecord } from '@tollgate/contracts';
import {
  type Api,
  type Operation,
  type ServiceToken,
  type Tier,
  TierVersionStatus,
} from '@tollgate/database';
import type { Tx } from '../../platform/prisma/database.js';
import { type LimitRecord, toLimitRecord } from '../tiers/index.js';

/** A tier with its published version and those that subscriptions are pinned to. */
export type DistributedTier = Tier & { versions: DistributedVersion[] };

export interface DistributedVersion {
  number: number;
  published: boolean;
  limits: LimitRecord[];
}

export type DistributedApi = Api & { operations: Operation[] };
export type DistributedToken = ServiceToken;

/** Tenant rows are read this many at a time when all of them are published. */
const TENANT_CHUNK = 5000;

/** Reads what nodes have to know. Every method works inside the snapshot that it is given. */
@Injectable()
export class PolicyRepository {
  listApis(tx: Tx): Promise<DistributedApi[]> {
    return tx.api.findMany({
      include: { operations: { orderBy: { name: 'asc' } } },
      orderBy: { key: 'asc' },
    });
  }

  async listTiers(tx: Tx): Promise<DistributedTier[]> {
    const tiers = await tx.tier.findMany({
      orderBy: { key: 'asc' },
      include: {
        versions: {
          where: { OR: [{ status: TierVersionStatus.PUBLISHED }, { subscriptions: { some: {} } }] },
          orderBy: { number: 'asc' },
          include: { limits: { orderBy: { position: 'asc' }, include: { api: { select: { key: true } } } } },
        },
      },
    });
    return tiers.map((tier) => ({
      ...tier,
      versions: tier.versions.map(({ number, status, limits }) => ({
        number,
        published: status === TierVersionStatus.PUBLISHED,
        limits: limits.map(toLimitRecord),
      })),
    }));
  }

  /** Tokens that may be used now or may still be used later. */
  listServiceTokens(tx: Tx, pepperVersion: number): Promise<DistributedToken[]> {
    return tx.serviceToken.findMany({
      where: { revokedAt: null, pepperVersion, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
      orderBy: { publicId: 'asc' },
    });
  }

  /** Records of these tenants that exist, or of all tenants. */
  async listTenants(tx: Tx, keys: string[] | 'all', revision: number): Promise<TenantRecord[]> {
    const records: TenantRecord[] = [];
    let last = '';
    for (;;) {
      const rows = await tx.tenant.findMany({
        where: { key: keys === 'all' ? { gt: last } : { gt: last, in: keys }, subscription: { isNot: null } },
        select: {
          key: true,
          status: true,
          subscription: { select: { pinnedVersionNumber: true, tier: { select: { key: true } } } },
        },
        orderBy: { key: 'asc' },
        take: TENANT_CHUNK,
      });
      for (const { key, status, subscription } of rows) {
        if (subscription === null) continue;
        records.push({
          kind: 'tenant',
          revision,
          tenant: key,
          status: status === 'ACTIVE' ? 'active' : 'suspended',
          tier: subscription.tier.key,
          pinnedVersion: subscription.pinnedVersionNumber,
        });
      }
      if (rows.length < TENANT_CHUNK) return records;
      last = rows.at(-1)?.key ?? last;
    }
  }
}
