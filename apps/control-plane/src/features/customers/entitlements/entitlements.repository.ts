import { Injectable } from '@nestjs/common';
import { type Entitlement, EntitlementKind, type Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/paging.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** A grant with the rows that end it. */
export type EntitlementRow = Entitlement & { ends: Entitlement[] };

export interface EntitlementFilter {
  /** Null: all visible tenants. */
  tenantId: string | null;
  /** Only grants that are in force at that time or later. */
  liveAt: Date | undefined;
}

const WITH_ENDS = { ends: { orderBy: { id: 'asc' } } } satisfies Prisma.EntitlementInclude;

/** Queries of the ledger. Rows are added, never changed. */
@Injectable()
export class EntitlementsRepository {
  constructor(private readonly database: Database) {}

  /** Grants, newest first; at most one row more than the page. */
  list(filter: EntitlementFilter, page: Page<string>): Promise<EntitlementRow[]> {
    return this.database.client.entitlement.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
      include: WITH_ENDS,
    });
  }

  count(filter: EntitlementFilter): Promise<number> {
    return this.database.client.entitlement.count({ where: matching(filter) });
  }

  findById(id: string): Promise<EntitlementRow | null> {
    return this.database.client.entitlement.findFirst({
      where: { id, kind: EntitlementKind.GRANT },
      include: WITH_ENDS,
    });
  }

  /** Grants of a tenant: these, or all of a purchase. */
  listGrants(
    tx: Tx,
    tenantId: string,
    which: { ids: string[] } | { purchaseId: string },
  ): Promise<EntitlementRow[]> {
    const chosen = 'ids' in which ? { id: { in: which.ids } } : { purchaseId: which.purchaseId };
    return tx.entitlement.findMany({
      where: { tenantId, kind: EntitlementKind.GRANT, ...chosen },
      orderBy: { id: 'asc' },
      include: WITH_ENDS,
    });
  }

  async add(tx: Tx, rows: Prisma.EntitlementCreateManyInput[]): Promise<void> {
    await tx.entitlement.createMany({ data: rows });
  }
}

function matching({ tenantId, liveAt }: EntitlementFilter): Prisma.EntitlementWhereInput {
  const isLater = liveAt && { OR: [{ endsAt: null }, { endsAt: { gt: liveAt } }] };
  return {
    kind: EntitlementKind.GRANT,
    ...(tenantId === null ? {} : { tenantId }),
    ...(liveAt === undefined ? {} : { ...isLater, ends: { none: { endsAt: { lte: liveAt } } } }),
  };
}
