import { Injectable } from '@nestjs/common';
import type { NodeStream, StreamEntry } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { StreamPositionsRepository } from './usage-counts.repository.js';

/** Entries per transaction. */
const BATCH = 500;

/** Transactions per run, so that a long backlog does not hold the job's lock. */
const MAX_BATCHES = 100;

/** Time for which stored entries stay in the stream: the live view shows the last minute to new viewers. */
const KEEP_MS = 120_000;

/** Stores the entries of a batch in the transaction that advances the position. */
export type StoreEntries<T> = (tx: Tx, values: readonly T[]) => Promise<void>;

/**
 * Reads streams of nodes into Postgres exactly once: the position is stored in the transaction that stores the entries.
 * One worker at a time reads a stream. Stored entries are trimmed.
 */
@Injectable()
export class StreamReader {
  constructor(
    private readonly positions: StreamPositionsRepository,
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {}

  /** Stores all available entries. Returns their number. */
  async drain<T>(name: string, stream: NodeStream<T>, store: StoreEntries<T>): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const taken = await this.takeBatch(name, stream, store);
      total += taken;
      if (taken < BATCH) break;
    }
    return total;
  }

  private async takeBatch<T>(name: string, stream: NodeStream<T>, store: StoreEntries<T>): Promise<number> {
    const taken = await this.positions.exclusively(name, async (tx, lastId) => {
      const entries = await this.readAfter(stream, lastId);
      const newest = entries.at(-1)?.id;
      if (newest === undefined) return { entries, lastId };
      await store(
        tx,
        entries.flatMap(({ value }) => (value === undefined ? [] : [value])),
      );
      await this.positions.advance(tx, name, newest, entries.filter(isInvalid), this.clock.now());
      return { entries, lastId: newest };
    });
    if (taken === undefined || taken.entries.length === 0) return 0;
    await stream.trim(this.redis.config, this.trimmableUntil(taken.lastId));
    return taken.entries.length;
  }

  /** Starts at the beginning if the stream's ids are lower than the position: Redis was emptied or restored. */
  private async readAfter<T>(stream: NodeStream<T>, lastId: string): Promise<StreamEntry<T>[]> {
    const entries = await stream.read(this.redis.config, lastId, { count: BATCH });
    if (entries.length > 0) return entries;
    const newest = await stream.newestId(this.redis.config);
    if (newest === '0-0' || compareIds(newest, lastId) >= 0) return [];
    return stream.read(this.redis.config, '0', { count: BATCH });
  }

  private trimmableUntil(lastId: string): string {
    const keptMs = this.clock.now().getTime() - KEEP_MS;
    return compareIds(lastId, `${keptMs}-0`) < 0 ? lastId : `${keptMs}-0`;
  }
}

function isInvalid<T>(entry: StreamEntry<T>): entry is StreamEntry<T> & { text: string } {
  return entry.value === undefined;
}

/** Stream ids are `milliseconds-sequence`. */
function compareIds(a: string, b: string): number {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number);
  return aMs - bMs || aSeq - bSeq;
}
