import {
  type NodeJournalEntry,
  nodeJournalSchema,
  type UsageFrame,
  usageFrameSchema,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import type * as z from 'zod';
import { readJson } from './config-redis.js';

/** One entry of a stream: what a node wrote, or the text that is none of that. */
export type StreamEntry<T> =
  | { readonly id: string; readonly value: T }
  | { readonly id: string; readonly value?: undefined; readonly text: string };

export interface NodeStreamOptions<T> {
  readonly key: string;
  readonly schema: z.ZodType<T>;
  /** About this many entries are kept for readers that were away. */
  readonly maxEntries: number;
  /** What they take together, bytes: where entries are large, fewer are kept. */
  readonly maxBytes: number;
}

/** A Redis stream that nodes append to. Its length has a bound, whoever reads it or not: what is oldest goes first. */
export class NodeStream<T> {
  constructor(private readonly options: NodeStreamOptions<T>) {}

  async write(redis: Redis, value: T): Promise<void> {
    const { key, maxEntries, maxBytes } = this.options;
    const text = JSON.stringify(value);
    const kept = Math.max(1, Math.min(maxEntries, Math.floor(maxBytes / text.length)));
    await redis.xadd(key, 'MAXLEN', '~', kept, '*', 'frame', text);
  }

  /**
   * Entries after `lastId` (`$`: only new ones; `0`: all that are kept), `count` at most. With `blockMs`, waits that long for
   * one, and needs a connection of its own.
   */
  async read(
    redis: Redis,
    lastId: string,
    { count, blockMs }: { count: number; blockMs?: number },
  ): Promise<StreamEntry<T>[]> {
    const { key, schema } = this.options;
    const reply =
      blockMs === undefined
        ? await redis.xread('COUNT', count, 'STREAMS', key, lastId)
        : await redis.xread('COUNT', count, 'BLOCK', blockMs, 'STREAMS', key, lastId);
    return (reply?.[0]?.[1] ?? []).map(([id, fields]) => {
      const value = readJson(schema, fields[1]);
      return value === undefined ? { id, text: fields[1] ?? '' } : { id, value };
    });
  }

  /** Lets go of the entries before `minId`, roughly: some of them may stay. */
  async trim(redis: Redis, minId: string): Promise<void> {
    await redis.xtrim(this.options.key, 'MINID', '~', minId);
  }

  /** Id of the newest entry that was ever written; `0-0`: none was, or the stream is gone with all it knew. */
  async newestId(redis: Redis): Promise<string> {
    try {
      const reply = (await redis.xinfo('STREAM', this.options.key)) as unknown[];
      return String(reply[reply.indexOf('last-generated-id') + 1]);
    } catch (error) {
      if (error instanceof Error && /no such key/i.test(error.message)) return '0-0';
      throw error;
    }
  }
}

const MEGABYTE = 1024 * 1024;

/** What nodes decided: 100 nodes for ten minutes. */
export const USAGE_STREAM = new NodeStream<UsageFrame>({
  key: 'tg:usage',
  schema: usageFrameSchema,
  maxEntries: 60_000,
  maxBytes: 256 * MEGABYTE,
});

/** What nodes saw that may be lost; apart from usage, so that it never takes the room of what is counted. */
export const JOURNAL_STREAM = new NodeStream<NodeJournalEntry>({
  key: 'tg:journal',
  schema: nodeJournalSchema,
  maxEntries: 6000,
  maxBytes: 64 * MEGABYTE,
});

/**
 * Frames after `lastId`, waiting up to `blockMs` for one; a frame that cannot be read is passed over. See
 * {@link NodeStream.read}.
 */
export async function readUsageFrames(
  redis: Redis,
  lastId: string,
  blockMs: number,
): Promise<{ lastId: string; frames: UsageFrame[] }> {
  const entries = await USAGE_STREAM.read(redis, lastId, { count: 1000, blockMs });
  const frames = entries.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return { lastId: entries.at(-1)?.id ?? lastId, frames };
}
