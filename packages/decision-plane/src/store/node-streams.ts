import {
  type NodeJournalEntry,
  nodeJournalSchema,
  type UsageFrame,
  usageFrameSchema,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import type * as z from 'zod';
import { readJson } from './config-redis.js';

export type StreamEntry<T> =
  | { readonly id: string; readonly value: T }
  | { readonly id: string; readonly value?: undefined; readonly text: string };

export interface NodeStreamOptions<T> {
  readonly key: string;
  readonly schema: z.ZodType<T>;
  /** Approximate. */
  readonly maxEntries: number;
  /** Large entries reduce the number that is kept. */
  readonly maxBytes: number;
}

/** The oldest entries are dropped first. */
export class NodeStream<T> {
  constructor(private readonly options: NodeStreamOptions<T>) {}

  async write(redis: Redis, value: T): Promise<void> {
    const { key, maxEntries, maxBytes } = this.options;
    const text = JSON.stringify(value);
    const kept = Math.max(1, Math.min(maxEntries, Math.floor(maxBytes / text.length)));
    await redis.xadd(key, 'MAXLEN', '~', kept, '*', 'frame', text);
  }

  /** Entries after `lastId` (`$`: new ones only; `0`: all). `blockMs` waits for one and requires a dedicated connection. */
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

  /** Deletes most entries before `minId`; some may remain. */
  async trim(redis: Redis, minId: string): Promise<void> {
    await redis.xtrim(this.options.key, 'MINID', '~', minId);
  }

  /** Id of the newest entry ever written; `0-0` if there was none or the stream was lost. */
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

/** Usage of all nodes: room for 100 nodes and ten minutes. */
export const USAGE_STREAM = new NodeStream<UsageFrame>({
  key: 'tg:usage',
  schema: usageFrameSchema,
  maxEntries: 60_000,
  maxBytes: 256 * MEGABYTE,
});

/** Journal entries of nodes, which may be lost; separate from usage, so that they do not displace it. */
export const JOURNAL_STREAM = new NodeStream<NodeJournalEntry>({
  key: 'tg:journal',
  schema: nodeJournalSchema,
  maxEntries: 6000,
  maxBytes: 64 * MEGABYTE,
});

/** Waits up to `blockMs` for a frame; skips invalid ones. */
export async function readUsageFrames(
  redis: Redis,
  lastId: string,
  blockMs: number,
): Promise<{ lastId: string; frames: UsageFrame[] }> {
  const entries = await USAGE_STREAM.read(redis, lastId, { count: 1000, blockMs });
  const frames = entries.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return { lastId: entries.at(-1)?.id ?? lastId, frames };
}
