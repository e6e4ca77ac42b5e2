import { Injectable } from '@nestjs/common';
import type { PolicyRevision } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/paging.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type RevisionRow = PolicyRevision;

/** What the audit trail says of a change. */
export interface AuditedChange {
  changeId: string;
  at: Date;
  actor: string;
  action: string;
  entity: string;
  entityId: string;
  reason: string | null;
}

/** Reads the revisions that were published. */
@Injectable()
export class RevisionHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row more than the page holds, when there is one. */
  list(catalogueOnly: boolean, page: Page<number>): Promise<RevisionRow[]> {
    const { first, after } = page;
    return this.database.client.policyRevision.findMany({
      where: { AND: [this.matching(catalogueOnly), after === undefined ? {} : { number: { lt: after } }] },
      orderBy: { number: 'desc' },
      take: first + 1,
    });
  }

  count(catalogueOnly: boolean): Promise<number> {
    return this.database.client.policyRevision.count({ where: this.matching(catalogueOnly) });
  }

  find(number: number, tx: Tx = this.database.client): Promise<RevisionRow | null> {
    return tx.policyRevision.findUnique({ where: { number } });
  }

  newest(tx: Tx = this.database.client): Promise<RevisionRow | null> {
    return tx.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /** Length of each of these catalogues that are kept, by revision. */
  async listSizes(catalogueRevisions: readonly number[]): Promise<Map<string, number>> {
    const rows = await this.database.client.policyCatalogue.findMany({
      where: { revision: { in: [...catalogueRevisions] } },
      select: { revision: true, bytes: true },
    });
    return new Map(rows.map(({ revision, bytes }) => [String(revision), bytes]));
  }

  /** The first entry of each of these changes, in their order. */
  async listChanges(changeIds: readonly string[]): Promise<AuditedChange[]> {
    const rows = await this.database.client.auditEntry.findMany({
      where: { changeId: { in: [...changeIds] } },
      distinct: ['changeId'],
      orderBy: [{ changeId: 'asc' }, { id: 'asc' }],
    });
    return rows.map(({ changeId, at, actor, action, entity, entityId, reason }) => ({
      changeId,
      at,
      actor,
      action,
      entity,
      entityId,
      reason,
    }));
  }

  private matching(catalogueOnly: boolean) {
    return catalogueOnly
      ? { number: { equals: this.database.client.policyRevision.fields.catalogueRevision } }
      : {};
  }
}
