import { Injectable } from '@nestjs/common';
import type { AuditEntry, Prisma } from '@tollgate/database';
import type { Page } from '../../platform/graphql/paging.js';
import { Database } from '../../platform/prisma/database.js';

export type AuditEntryRow = AuditEntry;

export interface AuditFilter {
  tenantKey: string | undefined;
  entity: string | undefined;
}

/** Reads the audit trail. It is written by `Change.audit`, in the transaction of the change. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row more than the page holds, when there is one. */
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
}

function matching({ tenantKey, entity }: AuditFilter): Prisma.AuditEntryWhereInput {
  return {
    ...(tenantKey === undefined ? {} : { tenantKey }),
    ...(entity === undefined ? {} : { entity }),
  };
}
