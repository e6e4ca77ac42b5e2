import { Injectable } from '@nestjs/common';
import { tenantKeySchema } from '@tollgate/contracts';
import { CHAINED_COLUMNS, type ChainedEntry } from '@tollgate/contracts/audit-chain';
import { type AuditEntry, Prisma } from '@tollgate/database';
import * as z from 'zod';
import { badInput } from '../../../platform/api-error.js';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database } from '../../../platform/prisma/database.js';
import { currentScope } from '../../../platform/tenant-scope.js';

/** Filter of audit entries; omitted fields match all. */
export interface AuditFilter {
  tenantKey?: string | undefined;
  entity?: string | undefined;
  entityId?: string | undefined;
  /** Id or full name of the actor. */
  actor?: string | undefined;
  action?: string | undefined;
  changeId?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? undefined);
const text = (pattern: RegExp, what: string) => optional(z.string().regex(pattern, what));

const filterSchema = z.object({
  tenant: optional(z.string().refine((key) => tenantKeySchema.safeParse(key).success, 'is not a tenant key')),
  entity: text(/^[A-Za-z]{1,40}$/, 'is not a type of object'),
  entityId: text(/^[\x21-\x7e]{1,100}$/, 'is not an id'),
  actor: text(/^[^\p{Cc}]{1,300}$/u, 'is not the name or id of an actor'),
  action: text(/^[A-Za-z_]{1,40}\.[A-Za-z_]{1,40}$/, 'is not an action, such as tier.publish'),
  changeId: text(/^[\x21-\x7e]{1,100}$/, 'is not an id'),
  from: optional(z.date()),
  to: optional(z.date()),
});

/** @throws ApiError BAD_USER_INPUT naming the invalid argument. */
export function parseAuditFilter(args: z.input<typeof filterSchema>): AuditFilter {
  const parsed = filterSchema.safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(`${issue?.path.join('.')} ${issue?.message}`);
  }
  const { tenant, ...rest } = parsed.data;
  return { tenantKey: tenant, ...rest };
}

export type AuditEntryRow = AuditEntry;

/** A position among all entries, ordered by chain and sequence. */
export type ChainPlace = Pick<ChainedEntry, 'chain' | 'sequence'>;

export const FIRST_PLACE: ChainPlace = { chain: '', sequence: 0 };

/** Reads the audit trail. `Change.audit` writes it, in the transaction of the change. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with one row more than the page size if there is a next page. */
  list(filter: AuditFilter, page: Page<string>): Promise<AuditEntryRow[]> {
    return this.database.client.auditEntry.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(filter: AuditFilter): Promise<number> {
    return this.database.client.auditEntry.count({ where: matching(filter) });
  }

  findById(id: string): Promise<AuditEntryRow | null> {
    return this.database.client.auditEntry.findUnique({ where: { id } });
  }

  /** Up to `take` entries after a position, by chain and sequence. `tenantKey` may name the platform chain. */
  async listChained(filter: AuditFilter, after: ChainPlace, take: number): Promise<ChainedEntry[]> {
    // One text for all rows: reading single values is five times slower.
    const [found] = await this.database.client.$queryRaw<[{ entries: string }]>`
      SELECT coalesce(json_agg(entry), '[]')::text AS "entries" FROM (
        SELECT ${Prisma.raw(CHAINED_COLUMNS)}
        FROM "audit_entry"
        WHERE ("chain", "sequence") > (${after.chain}, ${BigInt(after.sequence)}) ${matchingSql(filter)}
        ORDER BY "chain", "sequence" LIMIT ${take}
      ) AS entry`;
    return JSON.parse(found.entries);
  }

  /** The chains among these that have an entry. */
  async findChains(chains: string[]): Promise<Set<string>> {
    const rows = await this.database.client.$queryRaw<{ chain: string }[]>`
      SELECT DISTINCT "chain" FROM "audit_entry" WHERE "chain" = ANY (${chains})`;
    return new Set(rows.map(({ chain }) => chain));
  }

  /** Whether the tenant of a chain is in the scope of the request. */
  async mayKnowOf(tenantKey: string): Promise<boolean> {
    if (currentScope() === 'all') return true;
    return (await this.database.client.tenant.count({ where: { key: tenantKey } })) > 0;
  }

  /** Chains with an entry since this time, in order. */
  async listChainsSince(since: Date): Promise<string[]> {
    const rows = await this.database.client.$queryRaw<{ chain: string }[]>`
      SELECT DISTINCT "chain" FROM "audit_entry" WHERE "at" >= ${since} ORDER BY "chain"`;
    return rows.map(({ chain }) => chain);
  }
}

function matching(filter: AuditFilter): Prisma.AuditEntryWhereInput {
  const { actor, from, to, ...same } = filter;
  const given = Object.entries(same).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(actor === undefined ? {} : { OR: [{ actor }, { actorId: actor }] }),
    ...(from === undefined && to === undefined
      ? {}
      : { at: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
  };
}

function matchingSql({
  tenantKey,
  entity,
  entityId,
  actor,
  action,
  changeId,
  from,
  to,
}: AuditFilter): Prisma.Sql {
  const conditions = [
    // By chain: covered by the index that gives the order.
    tenantKey !== undefined && Prisma.sql`AND "chain" = ${tenantKey}`,
    entity !== undefined && Prisma.sql`AND "entity" = ${entity}`,
    entityId !== undefined && Prisma.sql`AND "entity_id" = ${entityId}`,
    actor !== undefined && Prisma.sql`AND ("actor" = ${actor} OR "actor_id" = ${actor})`,
    action !== undefined && Prisma.sql`AND "action" = ${action}`,
    changeId !== undefined && Prisma.sql`AND "change_id" = ${changeId}`,
    from !== undefined && Prisma.sql`AND "at" >= ${from}`,
    to !== undefined && Prisma.sql`AND "at" < ${to}`,
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? Prisma.empty : Prisma.join(conditions, ' ');
}
