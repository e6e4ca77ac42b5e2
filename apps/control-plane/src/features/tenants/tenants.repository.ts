import { Injectable } from '@nestjs/common';
import type {
  Member,
  Prisma,
  Subscription,
  Tenant,
  TenantStatus,
  Tier,
  TierVersion,
} from '@tollgate/database';
import type { Page } from '../../platform/graphql/paging.js';
import { newId } from '../../platform/ids/new-id.js';
import { Database, type Tx } from '../../platform/prisma/database.js';

export type TenantRow = Tenant;
export type MemberRow = Member;
export type SubscriptionRow = Subscription & { tier: Tier; pinnedVersion: TierVersion | null };

export interface TenantFilter {
  search: string | undefined;
  tierKey: string | undefined;
  status: TenantStatus | undefined;
}

/** All queries on tenants and what belongs to them. */
@Injectable()
export class TenantsRepository {
  constructor(private readonly database: Database) {}

  /** By key; one row more than the page holds, when there is one. */
  list(filter: TenantFilter, page: Page<string>): Promise<TenantRow[]> {
    return this.database.client.tenant.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { key: { gt: page.after } }] },
      orderBy: { key: 'asc' },
      take: page.first + 1,
    });
  }

  count(filter: TenantFilter): Promise<number> {
    return this.database.client.tenant.count({ where: matching(filter) });
  }

  findByKey(key: string): Promise<TenantRow | null> {
    return this.database.client.tenant.findUnique({ where: { key } });
  }

  findById(tenantId: string): Promise<TenantRow | null> {
    return this.database.client.tenant.findUnique({ where: { id: tenantId } });
  }

  /** Subscriptions with their tiers, per tenant id. */
  async listSubscriptions(tenantIds: string[]): Promise<Map<string, SubscriptionRow>> {
    const rows = await this.database.client.subscription.findMany({
      where: { tenantId: { in: tenantIds } },
      include: { tier: true, pinnedVersion: true },
    });
    return new Map(rows.map((row) => [row.tenantId, row]));
  }

  /** Members by address, per tenant id; tenants without any are left out. */
  async listMembers(tenantIds: string[]): Promise<Map<string, Member[]>> {
    const rows = await this.database.client.member.findMany({
      where: { tenantId: { in: tenantIds } },
      orderBy: { email: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.tenantId);
  }

  /** Creates a tenant on a tier, following its published version. */
  create(tx: Tx, data: Omit<Prisma.TenantCreateInput, 'id'>, tierId: string): Promise<TenantRow> {
    const subscription = { create: { id: newId('subscription'), tierId } };
    return tx.tenant.create({ data: { id: newId('tenant'), ...data, subscription } });
  }

  /** The tenant, locked until the transaction ends. */
  async lockByKey(tx: Tx, key: string): Promise<TenantRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "tenant" WHERE "key" = ${key} FOR UPDATE`;
    return tx.tenant.findUnique({ where: { key } });
  }

  findSubscription(tx: Tx, tenantId: string): Promise<SubscriptionRow> {
    return tx.subscription.findUniqueOrThrow({
      where: { tenantId },
      include: { tier: true, pinnedVersion: true },
    });
  }

  /** Moves the tenant to the published version of a tier, from now on. */
  async changeTier(tx: Tx, tenantId: string, tierId: string): Promise<TenantRow> {
    await tx.subscription.update({
      where: { tenantId },
      data: { tierId, pinnedVersionNumber: null, since: new Date() },
    });
    return tx.tenant.update({ where: { id: tenantId }, data: { version: { increment: 1 } } });
  }

  setStatus(tx: Tx, tenantId: string, status: TenantStatus): Promise<TenantRow> {
    return tx.tenant.update({ where: { id: tenantId }, data: { status, version: { increment: 1 } } });
  }

  addMember(tx: Tx, tenantId: string, data: Pick<Member, 'email' | 'name' | 'role'>): Promise<Member> {
    return tx.member.create({ data: { id: newId('member'), tenantId, ...data } });
  }
}

function matching({ search, tierKey, status }: TenantFilter): Prisma.TenantWhereInput {
  const part = { contains: (search ?? '').replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
  return {
    ...(search === undefined ? {} : { OR: [{ key: part }, { name: part }] }),
    ...(tierKey === undefined ? {} : { subscription: { tier: { key: tierKey } } }),
    ...(status === undefined ? {} : { status }),
  };
}
