import { Injectable } from '@nestjs/common';
import type { RecordedEntry } from '../../../platform/changes/audit-trail.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export interface ChangeEntry extends RecordedEntry {
  id: string;
  at: Date;
  actor: string;
}

/** Reads the audit entries of a change, and later ones about the same objects. */
@Injectable()
export class RecordedChangesRepository {
  constructor(private readonly database: Database) {}

  /** In order; empty for an unknown change. */
  async list(changeId: string, tx: Tx = this.database.client): Promise<ChangeEntry[]> {
    const rows = await tx.auditEntry.findMany({ where: { changeId }, orderBy: { id: 'asc' } });
    return rows.map((row) => ({
      ...row,
      before: row.before as RecordedEntry['before'],
      after: row.after as RecordedEntry['after'],
    }));
  }

  /** The newest later entry of another change about the same object; null if none. */
  async findLater(
    changeId: string,
    { id, entity, entityId }: ChangeEntry,
    tx: Tx = this.database.client,
  ): Promise<{ actor: string; at: Date; action: string } | null> {
    return tx.auditEntry.findFirst({
      where: { entity, entityId, id: { gt: id }, changeId: { not: changeId } },
      orderBy: { id: 'desc' },
      select: { actor: true, at: true, action: true },
    });
  }
}
