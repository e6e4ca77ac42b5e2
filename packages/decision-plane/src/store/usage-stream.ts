import {
  type NodeJournalEntry,
  nodeJournalSchema,
  type UsageFrame,
  usageFrameSchema,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { NodeStream } from './node-stream.js';

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
