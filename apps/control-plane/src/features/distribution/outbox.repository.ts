import { Injectable } from '@nestjs/common';
import { OutboxKind, Prisma } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

const RELAY_LOCK = 7_164_001;

/** Maximum duration of a publication: 1,000,000 tenants take minutes. */
const RELAY_TRANSACTION_MS = 600_000;
const RELAY_WAIT_MS = 30_000;

const DELETE_BATCH = 5000;

export interface ChangeEvents {
  changeId: string;
  /** Revision that contains all rows; null while a row is pending. */
  revision: number | null;
  publishedAt: Date | null;
}

export interface PendingChanges {
  eventIds: bigint[];
  changeIds: string[];
  /** In the order of the changes. */
  tenants: string[];
}

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Holds the relay's lock, which is exclusive over all processes. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.exclusive(
      async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${RELAY_LOCK}::bigint)`;
        return work(tx);
      },
      { timeout: RELAY_TRANSACTION_MS, maxWait: RELAY_WAIT_MS },
    );
  }

  async hasPending(): Promise<boolean> {
    const rows = await this.database.client.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (SELECT 1 FROM "outbox_event" WHERE "revision" IS NULL) AS "found"`;
    return rows[0]?.found === true;
  }

  /** Null if there is no such change or it published nothing. */
  async findChange(changeId: string): Promise<ChangeEvents | null> {
    const events = await this.database.client.outboxEvent.findMany({
      where: { changeId },
      select: { revision: true, publishedAt: true },
      orderBy: { revision: { sort: 'desc', nulls: 'first' } },
    });
    const last = events[0];
    return last === undefined ? null : { changeId, ...last };
  }

  /**
   * Pending rows in the snapshot of `tx`. The relay marks exactly these rows, because transactions with lower ids may
   * commit later.
   */
  async listPending(tx: Tx): Promise<PendingChanges> {
    const rows = await tx.$queryRaw<{ id: bigint; changeId: string; kind: string; key: string }[]>`
      SELECT "id", "change_id" AS "changeId", "kind"::text AS "kind", "entity_key" AS "key" FROM "outbox_event"
      WHERE "revision" IS NULL ORDER BY "txid", "id"`;
    const tenants = rows.filter((row) => row.kind === OutboxKind.TENANT).map((row) => row.key);
    return {
      eventIds: rows.map(({ id }) => id),
      changeIds: [...new Set(rows.map(({ changeId }) => changeId))],
      tenants: [...new Set(tenants)],
    };
  }

  async listExisting(keys: readonly string[], tx: Tx = this.database.client): Promise<string[]> {
    if (keys.length === 0) return [];
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...keys] }, subscription: { isNot: null } },
      select: { key: true },
    });
    return rows.map(({ key }) => key);
  }

  /** In small batches, to avoid blocking others. */
  async deletePublished(before: Date): Promise<void> {
    let deleted: number;
    do {
      deleted = await this.database.client.$executeRaw`
        DELETE FROM "outbox_event" WHERE "id" IN (
          SELECT "id" FROM "outbox_event" WHERE "published_at" < ${before} ORDER BY "published_at" LIMIT ${DELETE_BATCH}
        )`;
    } while (deleted === DELETE_BATCH);
  }

  /** REPEATABLE READ. */
  inSnapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(read, {
      isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead,
      timeout: RELAY_TRANSACTION_MS,
      maxWait: RELAY_WAIT_MS,
    });
  }
}
