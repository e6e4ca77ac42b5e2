import { Injectable } from '@nestjs/common';
import { type Prisma, type QuotaRequest, QuotaRequestStatus } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type QuotaRequestRow = QuotaRequest;

export interface QuotaRequestFilter {
  /** Null: all visible tenants. */
  tenantId: string | null;
  status: QuotaRequestStatus | undefined;
}

@Injectable()
export class QuotaRequestsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; at most one row more than the page. */
  list(filter: QuotaRequestFilter, page: Page<string>): Promise<QuotaRequestRow[]> {
    return this.database.client.quotaRequest.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(filter: QuotaRequestFilter): Promise<number> {
    return this.database.client.quotaRequest.count({ where: matching(filter) });
  }

  findById(id: string, tx: Tx = this.database.client): Promise<QuotaRequestRow | null> {
    return tx.quotaRequest.findUnique({ where: { id } });
  }

  /** An open or countered request for the limit. */
  findUndecided(
    tx: Tx,
    tenantId: string,
    apiKey: string,
    limitName: string,
  ): Promise<QuotaRequestRow | null> {
    const status = { in: [QuotaRequestStatus.OPEN, QuotaRequestStatus.COUNTERED] };
    return tx.quotaRequest.findFirst({ where: { tenantId, apiKey, limitName, status } });
  }

  create(tx: Tx, data: Prisma.QuotaRequestUncheckedCreateInput): Promise<QuotaRequestRow> {
    return tx.quotaRequest.create({ data });
  }

  update(tx: Tx, id: string, data: Prisma.QuotaRequestUncheckedUpdateInput): Promise<QuotaRequestRow> {
    return tx.quotaRequest.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
  }
}

function matching({ tenantId, status }: QuotaRequestFilter): Prisma.QuotaRequestWhereInput {
  return { ...(tenantId === null ? {} : { tenantId }), ...(status === undefined ? {} : { status }) };
}
