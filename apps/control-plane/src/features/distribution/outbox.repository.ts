import { Injectable } from '@nestjs/common';
import { OutboxKind, Prisma } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

/** Any number that no other advisory lock here uses. */
const RELAY_LOCK = 7_164_001;

/** The longest that a relay holds the lock: publishing 1,000,000 tenants takes some minutes. */
const RELAY_TRANSACTION_MS = 600_000;
const RELAY_WAIT_MS = 30_000;

/** Published rows that are removed by one statement. */
const FORGOTTEN_AT_ONCE = 5000;

/** What a change left in the outbox. */
export interface ChangeEvents {
  changeId: string;
  /** Revision that carries all of it; null while something is not published. */
  revision: number | null;
  publishedAt: Date | null;
}

/** What one pass of the relay has to publish. */
export interface PendingChanges {
  eventIds: bigint[];
  changeIds: string[];
  /** Keys of the tenants that changed, in the order in which their changes were made. */
  tenants: string[];
}

/** Queries of the relay: the outbox and the list of revisions. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Runs `work` in a transaction while no other relay, in whatever process, runs. */
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

  /** What became of a change; null when there is no such change or it had nothing to publish. */
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
   * What waits to be published, as far as `tx`' snapshot sees it. Marking just these, and not all up to the highest id, is
   * what loses nothing when transactions commit in another order than they took their ids in.
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

  /** Those of these tenants that are to be known to nodes. */
  async listExisting(keys: readonly string[], tx: Tx = this.database.client): Promise<string[]> {
    if (keys.length === 0) return [];
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...keys] }, subscription: { isNot: null } },
      select: { key: true },
    });
    return rows.map(({ key }) => key);
  }

  /** Removes rows that were published before `before`, some at a time so that nobody waits for it. */
  async forgetPublished(before: Date): Promise<void> {
    let removed: number;
    do {
      removed = await this.database.client.$executeRaw`
        DELETE FROM "outbox_event" WHERE "id" IN (
          SELECT "id" FROM "outbox_event" WHERE "published_at" < ${before} ORDER BY "published_at" LIMIT ${FORGOTTEN_AT_ONCE}
        )`;
    } while (removed === FORGOTTEN_AT_ONCE);
  }

  /** Runs `read` on one unchanging view of the whole database. */
  inSnapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(read, {
      isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead,
      timeout: RELAY_TRANSACTION_MS,
      maxWait: RELAY_WAIT_MS,
    });
  }
}
