import { Injectable } from '@nestjs/common';
import type { NodeStream, StreamEntry } from '@tollgate/decision-plane/operate';
import { Clock } from '../../../platform/clock.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { StreamPositionsRepository } from './usage-counts.repository.js';

const BATCH = 500;

/** Transactions per run, so that a long backlog does not hold the job's lock. */
const MAX_BATCHES = 100;

const KEEP_MS = 120_000;

/** The part of a stream that a reader uses. */
type ReadStream<T> = Pick<NodeStream<T, never>, 'read' | 'trim' | 'newestId'>;

export interface DrainOptions {
  /** Position of another reader, for which entries stay in the stream until it is full. */
  readonly secondReader?: string | undefined;
  /** Entries per transaction. Default 500. */
  readonly batch?: number;
  /** Time for which stored entries stay in the stream, ms; 0: none stays. Default two minutes, for the live view. */
  readonly keepMs?: number;
}

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
  async drain<T>(
    name: string,
    stream: ReadStream<T>,
    store: StoreEntries<T>,
    { secondReader, batch: size = BATCH, keepMs = KEEP_MS }: DrainOptions = {},
  ): Promise<number> {
    let total = 0;
    let lastId: string | undefined;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const taken = await this.takeBatch(name, stream, store, size);
      if (taken === undefined || taken.entries.length === 0) break;
      total += taken.entries.length;
      lastId = taken.lastId;
      if (taken.entries.length < size) break;
    }
    if (lastId !== undefined) {
      const read = secondReader === undefined ? [lastId] : [lastId, await this.positions.find(secondReader)];
      if (keepMs === 0) await stream.trim(this.redis.config, idAfter(earliest(read)), 'all');
      else await stream.trim(this.redis.config, this.trimmableUntil(read, keepMs));
    }
    return total;
  }

  /** Entries after `lastId`; from the beginning if the stream's ids are lower: Redis was emptied or restored. */
  async readAfter<T>(stream: ReadStream<T>, lastId: string, count: number): Promise<StreamEntry<T>[]> {
    const entries = await stream.read(this.redis.config, lastId, { count });
    if (entries.length > 0) return entries;
    const newest = await stream.newestId(this.redis.config);
    if (newest === '0-0' || compareIds(newest, lastId) >= 0) return [];
    return stream.read(this.redis.config, '0', { count });
  }

  private takeBatch<T>(name: string, stream: ReadStream<T>, store: StoreEntries<T>, size: number) {
    return this.positions.exclusively(name, async (tx, lastId) => {
      const entries = await this.readAfter(stream, lastId, size);
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

  private trimmableUntil(readUntil: readonly string[], keepMs: number): string {
    const keptSince = `${this.clock.now().getTime() - keepMs}-0`;
    return earliest([keptSince, ...readUntil]);
  }
}

function isInvalid<T>(entry: StreamEntry<T>): entry is StreamEntry<T> & { text: string } {
  return entry.value === undefined;
}

function earliest(ids: readonly string[]): string {
  return ids.reduce((least, id) => (compareIds(id, least) < 0 ? id : least));
}

function idAfter(id: string): string {
  const [ms, sequence] = id.split('-');
  return `${ms}-${Number(sequence) + 1}`;
}

/** Stream ids are `milliseconds-sequence`. */
function compareIds(a: string, b: string): number {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number);
  return aMs - bMs || aSeq - bSeq;
}
