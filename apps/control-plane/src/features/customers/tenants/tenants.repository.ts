import { Injectable } from '@nestjs/common';
import { type ChildFloor, canonicalTimeZone, childFloorsSchema, tenantKeySchema } from '@tollgate/contracts';
import {
  type Member,
  Prisma,
  type Subscription,
  type Tenant,
  TenantStatus,
  type Tier,
  type TierVersion,
} from '@tollgate/database';
import { badInput } from '../../../platform/api-error.js';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { inOrderOf } from '../../../platform/prisma/in-order-of.js';

export type TenantRow = Tenant;
export type MemberRow = Member;
export type SubscriptionRow = Subscription & { tier: Tier; pinnedVersion: TierVersion | null };

/** What an operator changes of a tenant. */
export type TenantFacts = Pick<Tenant, 'name' | 'timeZone' | 'billingAnchorDay' | 'tags'>;

export interface TenantFilter {
  search: string | undefined;
  tierKey: string | undefined;
  status: TenantStatus | undefined;
  parentKey: string | undefined;
  visible: 'all' | readonly string[];
}

/** Filter of the board and of bulk actions. Without a status: all tenants that are not archived. */
export interface BoardFilter extends Omit<TenantFilter, 'visible' | 'parentKey'> {
  minPercent: number | undefined;
  denied: boolean;
  /** Only these tenants. */
  keys: readonly string[] | undefined;
}

/** Tables of `boardConditions`, except the tier `r` of the subscription `b`. */
export const BOARD_ROWS = Prisma.sql`
  "tenant_utilization" u
  JOIN "tenant" t ON t."id" = u."tenant_id"
  JOIN "subscription" b ON b."tenant_id" = u."tenant_id"`;

/** Tables of `boardConditions`. */
export const BOARD_TABLES = Prisma.sql`${BOARD_ROWS} JOIN "tier" r ON r."id" = b."tier_id"`;

/** @param found as `findBySearch` returns it */
export function boardConditions(filter: BoardFilter, found: readonly string[] | null): Prisma.Sql {
  const matches =
    found === null
      ? // Not ILIKE: Postgres would expect few matches, and sort all of them instead of reading a page in order.
        Prisma.sql`strpos(lower(t."key" || chr(10) || t."name"), lower(${filter.search ?? ''})) > 0`
      : Prisma.sql`t."id" = ANY (${[...found]}::text[])`;
  return Prisma.join([...statusConditions(filter.status), ...otherConditions(filter, matches)], ' AND ');
}

/** The same conditions for a count in a scope that sees all tenants: indexes answer them. */
export function boardCountConditions(filter: BoardFilter): Prisma.Sql {
  const { search, status } = filter;
  const isUnarchived = Prisma.sql`t."status" <> 'ARCHIVED'`;
  const conditions = status === undefined ? [isUnarchived] : statusConditions(status);
  if (status === TenantStatus.ACTIVE) conditions.push(isUnarchived);
  const matches = Prisma.sql`t."id" = ANY ((SELECT "tollgate_find_tenants"(${search}, ${MAX_COUNTED}::int))::text[])`;
  return Prisma.join([...conditions, ...otherConditions(filter, matches)], ' AND ');
}

function otherConditions(
  { search, tierKey, minPercent, denied, keys }: BoardFilter,
  matches: Prisma.Sql,
): Prisma.Sql[] {
  return [
    ...(search === undefined ? [] : [matches]),
    ...(tierKey === undefined ? [] : [Prisma.sql`r."key" = ${tierKey}`]),
    ...(minPercent === undefined ? [] : [Prisma.sql`u."percent" >= ${minPercent}`]),
    ...(denied ? [Prisma.sql`u."denied" > 0`] : []),
    ...(keys === undefined ? [] : [Prisma.sql`t."key" = ANY (${[...keys]}::text[])`]),
  ];
}

/** Found tenants that are counted by an index; an array of Postgres can hold them. */
const MAX_COUNTED = 10_000_000;

/** Found tenants that are read by id. Of more, a page is full after a few rows in the order of the list. */
const MAX_FOUND = 500;

/**
 * Ids of the tenants whose key or name contains `search`, by an index that row-level security keeps queries from using. Null without
 * a search, for more than {@link MAX_FOUND}, and in a scope that does not see all tenants: then the query of the list has to compare.
 */
export async function findBySearch(tx: Tx, search: string | undefined): Promise<string[] | null> {
  if (search === undefined) return null;
  const [row] = await tx.$queryRaw<{ ids: string[] | null }[]>`
    SELECT "tollgate_find_tenants"(${search}, ${MAX_FOUND}::int) AS "ids"`;
  return row?.ids ?? null;
}

/**
 * Under row-level security, Postgres uses no statistics for comparisons of enums: it would expect one active tenant and sort
 * all of them. Comparisons as text keep the ranked index.
 */
function statusConditions(status: TenantStatus | undefined): Prisma.Sql[] {
  if (status !== undefined && status !== TenantStatus.ACTIVE)
    return [Prisma.sql`t."status" = ${status}::"TenantStatus"`];
  const others = status === undefined ? ['ARCHIVED'] : ['ARCHIVED', 'SUSPENDED'];
  return others.map((other) => Prisma.sql`t."status"::text <> ${other}`);
}

@Injectable()
export class TenantsRepository {
  constructor(private readonly database: Database) {}

  /** By key; at most one row more than the page. */
  async list(filter: TenantFilter, page: Page<string>, skip = 0): Promise<TenantRow[]> {
    const found = await findBySearch(this.database.client, filter.search);
    return this.database.client.tenant.findMany({
      where: { AND: [matching(filter, found), page.after === undefined ? {} : { key: { gt: page.after } }] },
      orderBy: { key: 'asc' },
      take: page.first + 1,
      skip,
    });
  }

  async count(filter: TenantFilter): Promise<number> {
    const found = await findBySearch(this.database.client, filter.search);
    return this.database.client.tenant.count({ where: matching(filter, found) });
  }

  /** Tenants of a filter, by key; at most one more than `most`. */
  async listIds(tx: Tx, filter: BoardFilter, most: number): Promise<Pick<TenantRow, 'id' | 'key'>[]> {
    const found = await findBySearch(tx, filter.search);
    return tx.$queryRaw<Pick<TenantRow, 'id' | 'key'>[]>`
      SELECT t."id", t."key" FROM ${BOARD_TABLES} WHERE ${boardConditions(filter, found)}
      ORDER BY t."key" LIMIT ${most + 1}`;
  }

  findByKey(key: string): Promise<TenantRow | null> {
    return this.database.client.tenant.findUnique({ where: { key } });
  }

  /**
   * Id of the tenant to filter a list by: null without a key (all visible tenants), empty for an unknown tenant.
   * @throws ApiError BAD_USER_INPUT for a malformed key
   */
  async findFilterId(key: string | null | undefined): Promise<string | null> {
    if (key == null) return null;
    if (!tenantKeySchema.safeParse(key).success) throw badInput('tenantKey is not a tenant key');
    return (await this.findByKey(key))?.id ?? '';
  }

  async setSpendCap(
    tx: Tx,
    tenantId: string,
    cap: { spendCapMinor: number | null; spendCapCurrency: string | null },
  ): Promise<void> {
    await tx.tenant.update({ where: { id: tenantId }, data: cap });
  }

  findById(tenantId: string, tx: Tx = this.database.client): Promise<TenantRow | null> {
    return tx.tenant.findUnique({ where: { id: tenantId } });
  }

  listByIds(tenantIds: readonly string[]): Promise<TenantRow[]> {
    return this.database.client.tenant.findMany({ where: { id: { in: [...tenantIds] } } });
  }

  async listSubscriptions(
    tenantIds: string[],
    tx: Tx = this.database.client,
  ): Promise<Map<string, SubscriptionRow>> {
    const rows = await tx.subscription.findMany({
      where: { tenantId: { in: tenantIds } },
      include: { tier: true, pinnedVersion: true },
    });
    return new Map(rows.map((row) => [row.tenantId, row]));
  }

  /** Members by address, per tenant id; tenants without members are omitted. */
  async listMembers(tenantIds: string[]): Promise<Map<string, Member[]>> {
    const rows = await this.database.client.member.findMany({
      where: { tenantId: { in: tenantIds } },
      orderBy: { email: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.tenantId);
  }

  /** Creates tenants without subscriptions, in this order. Parents may be among them. */
  async create(
    tx: Tx,
    tenants: readonly Omit<Prisma.TenantUncheckedCreateInput, 'id'>[],
  ): Promise<TenantRow[]> {
    // Prisma splits long lists into several statements, and parents must exist first.
    const [children, parents] = partition(tenants, ({ parentKey }) => parentKey != null);
    const data = [...parents, ...children].map((tenant) => ({ id: newId('tenant'), ...tenant }));
    const rows = await tx.tenant.createManyAndReturn({ data });
    const byKey = new Map(rows.map((row) => [row.key, row]));
    return tenants.map(({ key }) => byKey.get(key) as TenantRow);
  }

  /** Replaces the floors of locked tenants. */
  async setFloors(
    tx: Tx,
    changes: readonly { tenant: TenantRow; floors: readonly ChildFloor[] }[],
  ): Promise<TenantRow[]> {
    const json = JSON.stringify(changes.map(({ tenant: { id }, floors }) => ({ id, floors })));
    await tx.$executeRaw`
      UPDATE "tenant" AS old SET "floors" = new."floors"
      FROM jsonb_to_recordset(${json}::jsonb) AS new ("id" text, "floors" jsonb) WHERE old."id" = new."id"`;
    return this.raiseVersions(
      tx,
      changes.map(({ tenant }) => tenant),
    );
  }

  /** Floors of the children of these parents, by key of the child. */
  async listFloors(
    tx: Tx,
    parentKeys: readonly string[],
  ): Promise<Map<string, { parentKey: string | null; floors: ChildFloor[] }>> {
    const rows = await tx.tenant.findMany({
      where: { parentKey: { in: [...parentKeys] }, status: { not: TenantStatus.ARCHIVED } },
      select: { key: true, parentKey: true, floors: true },
    });
    return new Map(
      rows.map(({ key, parentKey, floors }) => [key, { parentKey, floors: childFloorsSchema.parse(floors) }]),
    );
  }

  /** Of all children, archived ones included. */
  async listChildIds(parentKey: string): Promise<string[]> {
    const rows = await this.database.client.tenant.findMany({ where: { parentKey }, select: { id: true } });
    return rows.map(({ id }) => id);
  }

  /** Children that are not archived. */
  countChildren(tx: Tx, parentKey: string): Promise<number> {
    return tx.tenant.count({ where: { parentKey, status: { not: TenantStatus.ARCHIVED } } });
  }

  /** Locks a tenant until the transaction ends; null if unknown or archived. */
  async lockByKey(tx: Tx, key: string): Promise<TenantRow | null> {
    return (await this.lockByKeys(tx, [key])).get(key) ?? null;
  }

  /** Locks tenants until the transaction ends; unknown and archived ones are omitted. */
  async lockByKeys(tx: Tx, keys: readonly string[]): Promise<Map<string, TenantRow>> {
    if (keys.length === 0) return new Map();
    // In one order, so that changes of several tenants do not wait for each other in a circle.
    // Ids and keys are permanent, so that rows that refer to a tenant can be written meanwhile.
    await tx.$executeRaw`
      SELECT 1 FROM "tenant" WHERE "key" = ANY(${[...keys]}::text[]) ORDER BY "key" FOR NO KEY UPDATE`;
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...keys] }, status: { not: TenantStatus.ARCHIVED } },
    });
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** The input with the version of its tenant, which is locked. */
  async withVersion<I extends { tenantKey: string }>(
    tx: Tx,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const tenant = await this.lockByKey(tx, input.tenantKey);
    return { ...input, expectedVersion: tenant?.version ?? 0 };
  }

  /** Archives a tenant and revokes its API keys and open invitations. */
  async archive(tx: Tx, tenantId: string, at: Date): Promise<TenantRow> {
    await tx.apiKey.updateMany({ where: { tenantId, revokedAt: null }, data: { revokedAt: at } });
    await tx.invitation.updateMany({
      where: { tenantId, acceptedAt: null, revokedAt: null },
      data: { revokedAt: at },
    });
    return this.setStatus(tx, tenantId, TenantStatus.ARCHIVED);
  }

  findSubscription(tx: Tx, tenantId: string): Promise<SubscriptionRow> {
    return tx.subscription.findUniqueOrThrow({
      where: { tenantId },
      include: { tier: true, pinnedVersion: true },
    });
  }

  /** Changes locked tenants. */
  async update(tx: Tx, changes: readonly { tenant: TenantRow; facts: TenantFacts }[]): Promise<TenantRow[]> {
    const json = JSON.stringify(changes.map(({ tenant: { id }, facts }) => ({ id, ...facts })));
    await tx.$executeRaw`
      UPDATE "tenant" AS old SET "name" = new."name", "time_zone" = new."timeZone",
        "billing_anchor_day" = new."billingAnchorDay", "tags" = new."tags"
      FROM jsonb_to_recordset(${json}::jsonb)
        AS new ("id" text, "name" text, "timeZone" text, "billingAnchorDay" int, "tags" text[])
      WHERE old."id" = new."id"`;
    return this.raiseVersions(
      tx,
      changes.map(({ tenant }) => tenant),
    );
  }

  /** Replaces other names of time zones, which earlier releases stored as typed, by the canonical ones. No calendar changes. */
  async renameTimeZones(): Promise<void> {
    const { tenant, subscriptionMove } = this.database.client;
    const [ofTenants, ofMoves] = [
      await tenant.groupBy({ by: ['timeZone'] }),
      await subscriptionMove.groupBy({ by: ['timeZone'] }),
    ];
    for (const { timeZone } of [...ofTenants, ...ofMoves]) {
      const canonical = canonicalTimeZone(timeZone) ?? timeZone;
      if (canonical === timeZone) continue;
      const change = { where: { timeZone }, data: { timeZone: canonical } };
      await tenant.updateMany(change);
      await subscriptionMove.updateMany(change);
    }
  }

  /** The tenants as stored, with their next versions, in the same order. */
  async raiseVersions(tx: Tx, tenants: readonly Pick<TenantRow, 'id'>[]): Promise<TenantRow[]> {
    const rows = await tx.tenant.updateManyAndReturn({
      where: { id: { in: tenants.map(({ id }) => id) } },
      data: { version: { increment: 1 } },
    });
    return inOrderOf(tenants, rows);
  }

  setStatus(tx: Tx, tenantId: string, status: TenantStatus): Promise<TenantRow> {
    return tx.tenant.update({ where: { id: tenantId }, data: { status, version: { increment: 1 } } });
  }

  addMember(
    tx: Tx,
    tenantId: string,
    data: Pick<Member, 'email' | 'name' | 'role'> & { userId?: string | null },
  ): Promise<Member> {
    return tx.member.create({ data: { id: newId('member'), tenantId, ...data } });
  }
}

function matching(
  { search, tierKey, status, parentKey, visible }: TenantFilter,
  found: string[] | null,
): Prisma.TenantWhereInput {
  const part = { contains: escapeLike(search ?? ''), mode: 'insensitive' as const };
  return {
    ...(search === undefined
      ? {}
      : found === null
        ? { OR: [{ key: part }, { name: part }] }
        : { id: { in: found } }),
    ...(tierKey === undefined ? {} : { subscription: { tier: { key: tierKey } } }),
    ...(status === undefined ? {} : { status }),
    ...(parentKey === undefined ? {} : { parentKey }),
    ...(visible === 'all' ? {} : { AND: { id: { in: [...visible] } } }),
  };
}

function partition<T>(list: readonly T[], isFirst: (one: T) => boolean): [first: T[], second: T[]] {
  const groups = Map.groupBy(list, isFirst);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');
