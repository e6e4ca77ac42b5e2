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

  /**
   * Stores all available entries. Returns their number.
   * @param secondReader position of another reader, for which entries stay in the stream until it is full
   */
  async drain<T>(
    name: string,
    stream: NodeStream<T>,
    store: StoreEntries<T>,
    secondReader?: string,
  ): Promise<number> {
    let total = 0;
    let lastId: string | undefined;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const taken = await this.takeBatch(name, stream, store);
      if (taken === undefined || taken.entries.length === 0) break;
      total += taken.entries.length;
      lastId = taken.lastId;
      if (taken.entries.length < BATCH) break;
    }
    if (lastId !== undefined) {
      const read = secondReader === undefined ? [lastId] : [lastId, await this.positions.find(secondReader)];
      await stream.trim(this.redis.config, this.trimmableUntil(read));
    }
    return total;
  }

  /** Entries after `lastId`; from the beginning if the stream's ids are lower: Redis was emptied or restored. */
  async readAfter<T>(stream: NodeStream<T>, lastId: string, count: number): Promise<StreamEntry<T>[]> {
    const entries = await stream.read(this.redis.config, lastId, { count });
    if (entries.length > 0) return entries;
    const newest = await stream.newestId(this.redis.config);
    if (newest === '0-0' || compareIds(newest, lastId) >= 0) return [];
    return stream.read(this.redis.config, '0', { count });
  }

  private takeBatch<T>(name: string, stream: NodeStream<T>, store: StoreEntries<T>) {
    return this.positions.exclusively(name, async (tx, lastId) => {
      const entries = await this.readAfter(stream, lastId, BATCH);
      const newest = entries.at(-1)?.id;
      if (newest === undefined) return { entries, lastId };
      await store(
        tx,
        entries.flatMap(({ value }) => (value === undefined ? [] : [value])),
      );
      await this.positions.advance(tx, name, newest, entries.filter(isInvalid), this.clock.now());
      return { entries, lastId: newest };
    });
  }

  private trimmableUntil(readUntil: readonly string[]): string {
    const keptSince = `${this.clock.now().getTime() - KEEP_MS}-0`;
    return readUntil.reduce((least, id) => (compareIds(id, least) < 0 ? id : least), keptSince);
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
