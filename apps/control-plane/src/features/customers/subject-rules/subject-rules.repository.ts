import { Injectable } from '@nestjs/common';
import type { Prisma, SubjectRule } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
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

  findLive(tx: Tx, target: SubjectRuleTarget, at: Date): Promise<SubjectRuleRow | null> {
    return tx.subjectRule.findFirst({ where: { ...target, ...liveAt(at) } });
  }

  create(tx: Tx, data: Prisma.SubjectRuleUncheckedCreateInput): Promise<SubjectRuleRow> {
    return tx.subjectRule.create({ data });
  }

  remove(tx: Tx, id: string, removedAt: Date, removedBy: string): Promise<SubjectRuleRow> {
    return tx.subjectRule.update({ where: { id }, data: { removedAt, removedBy } });
  }

  /** Serializes changes of the platform's rules until the transaction ends. */
  async lockPlatform(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PLATFORM_LOCK}::bigint)`;
  }

  async hasApi(tx: Tx, key: string): Promise<boolean> {
    return (await tx.api.count({ where: { key, deletedAt: null } })) > 0;
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
