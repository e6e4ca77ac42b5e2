import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** Timeout of the transaction that stores a batch. */
const TRANSACTION_MS = 30_000;

/** A worker that stalls within a batch loses the stream to other workers after this time. */
const IDLE_MS = 10_000;

/** Characters kept of an unusable entry. */
const KEPT_CHARACTERS = 4000;

/** Read positions of streams. */
@Injectable()
export class StreamPositionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Runs `work` in a transaction with the id of the last stored entry. Returns undefined, without running it, while
   * another worker reads the stream.
   */
  async exclusively<T>(stream: string, work: (tx: Tx, lastId: string) => Promise<T>): Promise<T | undefined> {
    return this.database.exclusive(
      async (tx) => {
        await tx.$executeRaw`SELECT set_config('idle_in_transaction_session_timeout', ${`${IDLE_MS}`}, true)`;
        await tx.$executeRaw`
          INSERT INTO "stream_position" ("stream", "last_id", "read_at") VALUES (${stream}, '0-0', now())
          ON CONFLICT DO NOTHING`;
        const [position] = await tx.$queryRaw<{ last_id: string }[]>`
          SELECT "last_id" FROM "stream_position" WHERE "stream" = ${stream} FOR UPDATE SKIP LOCKED`;
        return position === undefined ? undefined : work(tx, position.last_id);
      },
      { timeout: TRANSACTION_MS },
    );
  }

  /** Advances the position to `lastId` and stores unusable entries separately. */
  async advance(
    tx: Tx,
    stream: string,
    lastId: string,
    unusable: readonly { id: string; text: string }[],
    at: Date,
  ): Promise<void> {
    await tx.streamPosition.update({
      where: { stream },
      data: { lastId, readAt: at, setAside: { increment: unusable.length } },
    });
    if (unusable.length === 0) return;
    const data = unusable.map(({ id, text }) => ({
      stream,
      entryId: id,
      text: text.slice(0, KEPT_CHARACTERS).replaceAll('\0', '\uFFFD'),
      at,
    }));
    await tx.streamReject.createMany({ data, skipDuplicates: true });
  }
}
