import { Injectable } from '@nestjs/common';
import { OutboxKind, type PolicyRevision, Prisma } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

/** Any number that no other advisory lock here uses. */
const RELAY_LOCK = 7_164_001;

/** A relay holds the lock while it talks to Redis; its own deadline there is far below this. */
const RELAY_TRANSACTION_MS = 30_000;

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
  /** Keys of the tenants that changed, in the order in which their changes were made. */
  tenants: string[];
}

/** Queries of the relay: the outbox and the list of revisions. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Runs `work` in a transaction while no other relay, in whatever process, runs. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.client.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${RELAY_LOCK}::bigint)`;
        return work(tx);
      },
      { timeout: RELAY_TRANSACTION_MS, maxWait: RELAY_TRANSACTION_MS },
    );
  }

  async hasPending(): Promise<boolean> {
    const rows = await this.database.client.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (SELECT 1 FROM "outbox_event" WHERE "revision" IS NULL) AS "found"`;
    return rows[0]?.found === true;
  }

  newestRevision(): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /**
   * A number that no revision has had, greater than `above`: sequences do not roll back. `above` matters after Postgres
   * came back from a backup that is older than what Redis holds.
   */
  async nextRevision(tx: Tx, above: number): Promise<number> {
    const rows = await tx.$queryRaw<{ next: bigint }[]>`
      SELECT setval(s, greatest(nextval(s), ${above}::bigint + 1)) AS "next"
      FROM (SELECT pg_get_serial_sequence('policy_revision', 'number')::regclass AS s) AS sequence`;
    return Number(rows[0]?.next);
  }

  /** Records a published revision and marks what it carried. */
  async recordRevision(tx: Tx, revision: PolicyRevision, eventIds: readonly bigint[]): Promise<void> {
    await tx.policyRevision.create({ data: revision });
    await tx.$executeRaw`
      UPDATE "outbox_event" SET "revision" = ${revision.number}, "published_at" = ${revision.publishedAt}
      WHERE "id" = ANY(${eventIds}::bigint[])`;
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
    const rows = await tx.$queryRaw<{ id: bigint; kind: string; key: string }[]>`
      SELECT "id", "kind"::text AS "kind", "entity_key" AS "key" FROM "outbox_event"
      WHERE "revision" IS NULL ORDER BY "txid", "id"`;
    const tenants = rows.filter((row) => row.kind === OutboxKind.TENANT).map((row) => row.key);
    return { eventIds: rows.map((row) => row.id), tenants: [...new Set(tenants)] };
  }

  /** Runs `read` on one unchanging view of the whole database. */
  inSnapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.client.$transaction(read, {
      isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead,
      timeout: RELAY_TRANSACTION_MS,
      maxWait: RELAY_TRANSACTION_MS,
    });
  }
}
