import { Injectable } from '@nestjs/common';
import type { Prisma, SubjectRule } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { inOrderOf } from '../../../platform/prisma/in-order-of.js';
import type { SubjectEffectKind } from './subject-rules.graphql.js';

export type SubjectRuleRow = SubjectRule;

export interface SubjectRuleFilter {
  /** Null: rules of the platform. */
  tenantId: string | null;
  /** Only those in effect at that time or later. */
  liveAt: Date | undefined;
  /** Only with this effect. */
  kind?: SubjectEffectKind | undefined;
  /** Only with this in the pattern or the reason. */
  search: string | undefined;
}

/** At most one live rule of an owner has it. */
export type SubjectRuleTarget = Pick<
  SubjectRule,
  'tenantId' | 'dimension' | 'pattern' | 'apiKey' | 'limitName'
>;

const liveAt = (at: Date) =>
  ({
    removedAt: null,
    OR: [{ endsAt: null }, { endsAt: { gt: at } }],
  }) satisfies Prisma.SubjectRuleWhereInput;

/** Unique among the advisory locks of this database. */
const PLATFORM_LOCK = 7_164_031;

@Injectable()
export class SubjectRulesRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; at most one row more than the page. */
  list(filter: SubjectRuleFilter, page: Page<string>): Promise<SubjectRuleRow[]> {
    return this.database.client.subjectRule.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(filter: SubjectRuleFilter, tx: Tx = this.database.client): Promise<number> {
    return tx.subjectRule.count({ where: matching(filter) });
  }

  findById(id: string, tx: Tx = this.database.client): Promise<SubjectRuleRow | null> {
    return tx.subjectRule.findUnique({ where: { id } });
  }

  /** Rules of a tenant, or of the platform, that have not ended, oldest first. */
  listLive(tenantId: string | null, at: Date, tx: Tx = this.database.client): Promise<SubjectRuleRow[]> {
    return tx.subjectRule.findMany({ where: { tenantId, ...liveAt(at) }, orderBy: { id: 'asc' } });
  }

  listByIds(ids: readonly string[], tx: Tx = this.database.client): Promise<SubjectRuleRow[]> {
    return tx.subjectRule.findMany({ where: { id: { in: [...ids] } } });
  }

  /** Rules of these owners that have not ended. @param tenantIds null: the platform */
  async listLiveOf(tx: Tx, tenantIds: readonly (string | null)[], at: Date): Promise<SubjectRuleRow[]> {
    const ids = tenantIds.filter((id) => id !== null);
    const owners = [{ tenantId: { in: ids } }, ...(tenantIds.includes(null) ? [{ tenantId: null }] : [])];
    return tx.subjectRule.findMany({ where: { AND: [{ OR: owners }, liveAt(at)] } });
  }

  /** In the order of `data`. */
  async create(
    tx: Tx,
    data: readonly (Prisma.SubjectRuleUncheckedCreateInput & { id: string })[],
  ): Promise<SubjectRuleRow[]> {
    const rows = await tx.subjectRule.createManyAndReturn({ data: [...data] });
    return inOrderOf(data, rows);
  }

  /** In the order of `rules`. */
  async remove(
    tx: Tx,
    rules: readonly SubjectRuleRow[],
    removedAt: Date,
    removedBy: string,
  ): Promise<SubjectRuleRow[]> {
    if (rules.length === 0) return [];
    const where = { id: { in: rules.map(({ id }) => id) } };
    return inOrderOf(
      rules,
      await tx.subjectRule.updateManyAndReturn({ where, data: { removedAt, removedBy } }),
    );
  }

  /** Serializes changes of the platform's rules until the transaction ends. */
  async lockPlatform(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PLATFORM_LOCK}::bigint)`;
  }

  /** The keys of those APIs that exist. */
  async listApiKeys(tx: Tx, keys: readonly string[]): Promise<Set<string>> {
    const where = { key: { in: [...keys] }, deletedAt: null };
    const apis = await tx.api.findMany({ where, select: { key: true } });
    return new Set(apis.map(({ key }) => key));
  }
}

function matching({ tenantId, liveAt: at, kind, search }: SubjectRuleFilter): Prisma.SubjectRuleWhereInput {
  const contains = { contains: search ?? '', mode: 'insensitive' as const };
  return {
    AND: [
      { tenantId },
      at === undefined ? {} : liveAt(at),
      kind === undefined ? {} : { effect: { path: ['kind'], equals: kind.toLowerCase() } },
      search === undefined ? {} : { OR: [{ pattern: contains }, { reason: contains }] },
    ],
  };
}
