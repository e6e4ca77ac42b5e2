import {
  type NodeJournalEntry,
  nodeJournalSchema,
  type UsageFrame,
  usageFrameSchema,
} from '@tollgate/contracts';
import { decodeBlock, InvalidTraffic, type TrafficBlock } from '@tollgate/replay';
import type { Redis } from 'ioredis';
import type * as z from 'zod';
import { readJson } from './config-redis.js';

/** A stored entry, or the reason and first bytes of an unusable one. */
export type StreamEntry<T> =
  | { readonly id: string; readonly value: T }
  | { readonly id: string; readonly value?: undefined; readonly text: string };

/** Format of the entries; `Written` differs from `T` if the writer encodes them itself. */
export interface StreamCodec<T, Written = T> {
  encode(value: Written): string | Buffer;
  /** Returns the value, or a text for the log if there is none. */
  decode(bytes: Buffer): { readonly value: T } | { readonly value?: undefined; readonly text: string };
}

export interface NodeStreamOptions<T, Written = T> {
  readonly key: string;
  readonly codec: StreamCodec<T, Written>;
  /** Approximate. */
  readonly maxEntries: number;
  /** Large entries reduce the number that is kept. */
  readonly maxBytes: number;
}

/** The oldest entries are dropped first. */
export class NodeStream<T, Written = T> {
  constructor(private readonly options: NodeStreamOptions<T, Written>) {}

  async write(redis: Redis, value: Written): Promise<void> {
    const { key, codec, maxEntries, maxBytes } = this.options;
    const content = codec.encode(value);
    const kept = Math.max(1, Math.min(maxEntries, Math.floor(maxBytes / content.length)));
    await redis.xadd(key, 'MAXLEN', '~', kept, '*', 'frame', content);
  }

  /** Entries after `lastId` (`$`: new ones only; `0`: all). `blockMs` waits for one and requires a dedicated connection. */
  async read(
    redis: Redis,
    lastId: string,
    { count, blockMs }: { count: number; blockMs?: number },
  ): Promise<StreamEntry<T>[]> {
    const { key, codec } = this.options;
    const reply =
      blockMs === undefined
        ? await redis.xreadBuffer('COUNT', count, 'STREAMS', key, lastId)
        : await redis.xreadBuffer('COUNT', count, 'BLOCK', blockMs, 'STREAMS', key, lastId);
    const [[, entries] = []] = (reply ?? []) as [Buffer, [Buffer, Buffer[]][]][];
    return (entries ?? []).map(([id, fields]) => ({
      id: id.toString(),
      ...codec.decode(fields[1] ?? Buffer.alloc(0)),
    }));
  }

  /** Deletes most entries before `minId`, which is cheap, or all of them. */
  async trim(redis: Redis, minId: string, which: 'most' | 'all' = 'most'): Promise<void> {
    const { key } = this.options;
    if (which === 'all') await redis.xtrim(key, 'MINID', '=', minId);
    else await redis.xtrim(key, 'MINID', '~', minId);
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

/** JSON texts, validated by a schema. */
export function jsonOf<T>(schema: z.ZodType<T>): StreamCodec<T> {
  return {
    encode: (value) => JSON.stringify(value),
    decode: (bytes) => {
      const text = bytes.toString();
      const value = readJson(schema, text);
      return value === undefined ? { text } : { value };
    },
  };
}

/** Bytes kept of an unusable block. */
const KEPT_BYTES = 256;

const blocks: StreamCodec<TrafficBlock, Buffer> = {
  encode: (encoded) => encoded,
  decode: (bytes) => {
    try {
      return { value: decodeBlock(bytes) };
    } catch (error) {
      if (!(error instanceof InvalidTraffic)) throw error;
      return { text: `${error.message}; ${bytes.subarray(0, KEPT_BYTES).toString('base64')}` };
    }
  },
};

const MEGABYTE = 1024 * 1024;

/** Usage of all nodes: room for 100 nodes and ten minutes. */
export const USAGE_STREAM = new NodeStream<UsageFrame>({
  key: 'tg:usage',
  codec: jsonOf(usageFrameSchema),
  maxEntries: 60_000,
  maxBytes: 256 * MEGABYTE,
});

/** Journal entries of nodes, which may be lost; separate from usage, so that they do not displace it. */
export const JOURNAL_STREAM = new NodeStream<NodeJournalEntry>({
  key: 'tg:journal',
  codec: jsonOf(nodeJournalSchema),
  maxEntries: 6000,
  maxBytes: 64 * MEGABYTE,
});

/** Recorded traffic of nodes, which may be lost: 45 seconds of 80,000 decisions per second. Nodes write encoded blocks. */
export const TRAFFIC_STREAM = new NodeStream<TrafficBlock, Buffer>({
  key: 'tg:traffic',
  codec: blocks,
  maxEntries: 20_000,
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
