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

  /**
   * Records a published revision and marks what it carried: exactly the changes that the compiled snapshot saw. Telling
   * by transaction, and not by the highest id, is what loses nothing when transactions commit in another order than they
   * took their ids in.
   */
  async recordRevision(tx: Tx, revision: PolicyRevision, snapshot: string): Promise<void> {
    await tx.policyRevision.create({ data: revision });
    await tx.$executeRaw`
      UPDATE "outbox_event" SET "revision" = ${revision.number}, "published_at" = ${revision.publishedAt}
      WHERE "revision" IS NULL AND pg_visible_in_snapshot("txid", ${snapshot}::pg_snapshot)`;
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

  /** The transactions that `tx`' snapshot sees. */
  async currentSnapshot(tx: Tx): Promise<string> {
    const rows = await tx.$queryRaw<{ snapshot: string }[]>`SELECT pg_current_snapshot()::text AS "snapshot"`;
    return rows[0]?.snapshot ?? '';
  }

  /** Keys of the tenants with something to publish, in the order in which their changes were made. */
  async listPendingTenants(tx: Tx): Promise<string[]> {
    const rows = await tx.$queryRaw<{ key: string }[]>`
      SELECT "entity_key" AS "key" FROM "outbox_event"
      WHERE "revision" IS NULL AND "kind"::text = ${OutboxKind.TENANT}
      GROUP BY "entity_key" ORDER BY min("txid"), min("id")`;
    return rows.map((row) => row.key);
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
